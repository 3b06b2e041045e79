"""Training speed of one job (paper eqs. 3 and 4), written as 1/f: seconds per step.

    synchronous  (4):  1/f = th0 M/w + th1 + th2 w/p + th3 w + th4 p      step = one global batch of M
    asynchronous (3):  1/f = (th0 + th1 w/p + th2 w + th3 p) / w          step = one worker's mini-batch

p = parameter servers, w = workers. The functions take floats or arrays of any shapes that broadcast. The
terms are added in the order of the coefficients, so that scalar and array evaluation give the same bits.
"""

from __future__ import annotations

from typing import Any, Final

SYNC: Final = 0
ASYNC: Final = 1
TABLE: Final = 2
MODES: Final = ("sync", "async", "table")
THETA_COUNT: Final = (5, 4, 0)


def synchronous_seconds(theta: Any, batch: Any, servers: Any, workers: Any) -> Any:
    """Seconds per global step, 1/f of eq. 4; `theta` = (th0, .., th4)."""
    return (
        theta[0] * (batch / workers)
        + theta[1]
        + theta[2] * (workers / servers)
        + theta[3] * workers
        + theta[4] * servers
    )


def asynchronous_seconds(theta: Any, servers: Any, workers: Any) -> Any:
    """Seconds per worker step of all workers together, 1/f of eq. 3; `theta` = (th0, .., th3)."""
    one_worker = theta[0] + theta[1] * (workers / servers) + theta[2] * workers + theta[3] * servers
    return one_worker / workers
