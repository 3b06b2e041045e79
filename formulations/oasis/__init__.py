"""OASiS (Bao et al., INFOCOM 2018): online admission and elastic scheduling of parameter-server training jobs."""

from formulations.oasis.formulation import OasisFormulation
from formulations.oasis.problem import Job, OasisProblem, PriceConstants, ServerGroup
from formulations.oasis.solution import Schedules
from formulations.oasis.utility import Sigmoid, TableUtility

FORMULATION = OasisFormulation()

__all__ = [
    "FORMULATION",
    "Job",
    "OasisProblem",
    "PriceConstants",
    "Schedules",
    "ServerGroup",
    "Sigmoid",
    "TableUtility",
]
