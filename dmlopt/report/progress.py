"""The line that shows a long run on a terminal: phase, incumbent, bound, gap, time."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from dmlopt.control import Progress
from dmlopt.report import numbers
from dmlopt.result import relative_gap


class ProgressLine:
    """A context manager whose `update` is a `progress` callback; silent unless the console is a terminal."""

    def __init__(self, title: str, console: Console) -> None:
        self._title = title
        self._began = time.perf_counter()
        self._last = Progress("starting")
        self._live = (
            Live(
                get_renderable=self._render,
                console=console,
                transient=True,
                refresh_per_second=8,
                redirect_stdout=False,
            )
            if console.is_terminal
            else None
        )

    def __enter__(self) -> ProgressLine:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def update(self, progress: Progress) -> None:
        """Remember the newest sign of life; numbers it does not bring stay as they were."""
        last = self._last
        self._last = Progress(
            progress.phase,
            last.incumbent if progress.incumbent is None else progress.incumbent,
            last.bound if progress.bound is None else progress.bound,
            last.nodes if progress.nodes is None else progress.nodes,
        )

    def _render(self) -> Text:
        return Text(progress_text(self._title, self._last, time.perf_counter() - self._began), no_wrap=True)


def progress_text(title: str, progress: Progress, elapsed: float) -> str:
    """One line such as `exact: tree, best 12.5, bound 12.4, gap 0.8 %, 40 nodes, 1.20 s`."""
    parts = [progress.phase]
    if progress.incumbent is not None:
        parts.append(f"best {numbers.number(progress.incumbent, 7)}")
    if progress.bound is not None:
        parts.append(f"bound {numbers.number(progress.bound, 7)}")
    gap = relative_gap(progress.incumbent, progress.bound)
    if gap is not None:
        parts.append(f"gap {numbers.gap(gap)}")
    if progress.nodes is not None:
        parts.append(f"{progress.nodes} nodes")
    return f"{title}: {', '.join(parts)}, {elapsed:.1f} s"
