"""Random small Optimus problems: all modes, limits, waiting, zero demands, gaps in tables."""

from hypothesis import strategies as st

from formulations.optimus import Job, OptimusProblem

coefficients = st.one_of(st.just(0.0), st.floats(0.01, 5.0))


@st.composite
def jobs(draw: st.DrawFn, resources: int) -> Job:
    mode = draw(st.sampled_from(["sync", "async", "table"]))
    demand = st.tuples(*[st.integers(0, 3)] * resources)
    common = {
        "mode": mode,
        "steps": draw(st.floats(0.5, 1000)),
        "worker": draw(demand),
        "server": draw(demand),
        "server_max": draw(st.integers(1, 4)),
        "worker_max": draw(st.integers(1, 4)),
    }
    if mode == "table":
        rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
        speeds = st.lists(st.one_of(st.just(0.0), st.floats(0.1, 4)), min_size=columns, max_size=columns)
        table = draw(st.lists(speeds, min_size=rows, max_size=rows))
        if not any(map(any, table)):
            table[-1][-1] = 1.0
        return Job(**common, speed=tuple(map(tuple, table)))
    count = 5 if mode == "sync" else 4
    theta = list(draw(st.tuples(*[coefficients] * count)))
    theta[1] = max(theta[1], 0.01)
    batch = draw(st.integers(1, 64)) if mode == "sync" else None
    return Job(**common, theta=tuple(theta), batch=batch)


@st.composite
def problems(draw: st.DrawFn, most_jobs: int = 3) -> OptimusProblem:
    """Small problems of all speed modes, with and without waiting, feasible or not."""
    resources = draw(st.integers(1, 3))
    chosen = draw(st.lists(jobs(resources), min_size=1, max_size=most_jobs))
    capacity = draw(st.lists(st.integers(0, 40), min_size=resources, max_size=resources))
    cost = draw(st.one_of(st.none(), st.just(0.0), st.floats(1, 2000)))
    waiting = None if cost is None else [cost] * len(chosen)
    kinds = [(f"r{index}", "unit") for index in range(resources)]
    return OptimusProblem.from_jobs(kinds, capacity, chosen, waiting)
