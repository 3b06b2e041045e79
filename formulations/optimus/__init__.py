"""Optimus (Peng et al., EuroSys 2018): parameter servers and workers for every job of a shared cluster."""

from formulations.optimus.formulation import OptimusFormulation
from formulations.optimus.problem import Job, OptimusProblem
from formulations.optimus.solution import Allocation

FORMULATION = OptimusFormulation()

__all__ = ["FORMULATION", "Allocation", "Job", "OptimusProblem"]
