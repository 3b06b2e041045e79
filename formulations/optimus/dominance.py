"""Which pairs (p, w) of a job can be left out because another pair is never worse.

All functions work on blocks: `time[j, p-1, w-1]` is the remaining time of job j, infinity where the pair is
not available. Demands are not negative, so a componentwise smaller pair never uses more.
"""

from __future__ import annotations

import numpy as np

from dmlopt.packing import BoolArray, FloatArray, IntArray


def least_times(time: FloatArray) -> FloatArray:
    """Least time among all pairs (p', w') <= (p, w) componentwise, the pair itself included."""
    least = np.minimum.accumulate(time, axis=1)
    # Column by column: accumulating along the last, contiguous axis is several times slower in NumPy.
    for column in range(1, time.shape[2]):
        np.minimum(least[:, :, column], least[:, :, column - 1], out=least[:, :, column])
    return least


def undominated(time: FloatArray, least: FloatArray) -> BoolArray:
    """Pairs without another pair (p', w') <= (p, w) of at most the same time.

    (p, w) is kept exactly when its time is below the least time of its two smaller neighbours' corners.
    """
    kept = time < np.inf
    kept[:, 1:, :] &= time[:, 1:, :] < least[:, :-1, :]
    kept[:, :, 1:] &= time[:, :, 1:] < least[:, :, :-1]
    return kept


def drop_exchanged(
    kept: BoolArray,
    time: FloatArray,
    least: FloatArray,
    worker_demand: IntArray,
    server_demand: IntArray,
) -> None:
    """Drop from `kept` every pair that loses against an exchange of tasks which uses no more of any resource.

    b workers less make room for a = min_r floor(b O_r / N_r) more servers; then every pair
    (p', w') <= (p + a, w - b) uses at most what (p, w) uses. The same with servers and workers changing
    places. Of two pairs with equal use and equal time the one with fewer servers stays: the first exchange
    must be strictly faster, the second only as fast.
    """
    servers, workers = time.shape[1:]
    _drop(kept, time, least, _exchange_rates(worker_demand, server_demand, workers, servers), True)
    flipped = kept.transpose(0, 2, 1)  # a view: what is dropped there is dropped in `kept`
    rates = _exchange_rates(server_demand, worker_demand, servers, workers)
    _drop(flipped, time.transpose(0, 2, 1), least.transpose(0, 2, 1), rates, False)


def _exchange_rates(given: IntArray, taken: IntArray, most: int, limit: int) -> IntArray:
    """rates[b, j]: how many `taken` tasks fit into what b `given` tasks of job j use, at most `limit`."""
    freed = np.arange(most, dtype=np.int64)[:, None, None] * given
    fitting = np.where(taken > 0, freed // np.maximum(taken, 1), limit)
    return np.asarray(np.minimum(fitting.min(axis=2), limit), dtype=np.int64)


def _drop(kept: BoolArray, time: FloatArray, least: FloatArray, rates: IntArray, strict: bool) -> None:
    """Second axis: the task that is added; third axis: the task that is given up."""
    top = time.shape[1] - 1
    for given_up, rate in enumerate(rates):
        gains = np.flatnonzero(rate > 0)  # rate 0 is componentwise dominance, which is done
        if not len(gains):
            continue
        job, added, spared = np.nonzero(kept[gains, :, given_up:])
        job = gains[job]
        rival = least[job, np.minimum(added + rate[job], top), spared]
        own = time[job, added, spared + given_up]
        # Nothing given up and still more tasks (they use nothing): then the rivals include the pair itself.
        loses = rival < own if strict or given_up == 0 else rival <= own
        kept[job[loses], added[loses], spared[loses] + given_up] = False
