"""The worked examples: E1 (two jobs), E2 (a greedy stuck at the start), E3 (three resources)."""

from formulations.optimus import Job, OptimusProblem

SYNC_THETA = (1.02, 2.78, 4.92, 0.00, 0.02)  # paper, Table 2, synchronous; M = 40
ASYNC_THETA = (2.83, 3.92, 0.00, 0.11)  # paper, Table 2, asynchronous
RESNEXT_THETA = (0.0005393, 0.1561, 0.1104, 0.01991, 0.001166)  # M = 128
UNIT = [("slot", "task")]
THREE = [("cpu", "core"), ("gpu", "GPU"), ("memory", "GB")]

JOB_A = Job("sync", 100, (1,), (1,), theta=(1, 1, 1, 0, 0.1), batch=10)
JOB_B = Job("async", 100, (1,), (1,), theta=(4, 2, 0, 0.1))

E3_JOBS = (
    Job("sync", 1000, worker=(2, 1, 8), server=(3, 0, 9), theta=SYNC_THETA, batch=40),
    Job("async", 20000, worker=(2, 1, 10), server=(4, 0, 10), theta=ASYNC_THETA),
    Job("sync", 5000, worker=(2, 1, 10), server=(3, 0, 10), theta=(0.004, 0.42, 0.42, 0.007, 0), batch=32),
)


def example_1(capacity: int) -> OptimusProblem:
    return OptimusProblem.from_jobs(UNIT, [capacity], [JOB_A, JOB_B])


def example_2() -> OptimusProblem:
    job = Job("sync", 10, (1,), (1,), theta=(1, 1, 1, 0.1, 0.6), batch=2)
    return OptimusProblem.from_jobs(UNIT, [10], [job])


def example_3(capacity: tuple[int, ...] = (32, 6, 96), waiting: float | None = None) -> OptimusProblem:
    return OptimusProblem.from_jobs(THREE, capacity, E3_JOBS, waiting)


def one_job(theta: tuple[float, ...], batch: int | None, slots: int = 40) -> OptimusProblem:
    mode = "async" if batch is None else "sync"
    return OptimusProblem.from_jobs(UNIT, [slots], [Job(mode, 1, (1,), (1,), theta=theta, batch=batch)])
