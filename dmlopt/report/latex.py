"""A comparison as a LaTeX table (booktabs)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from dmlopt.compare import CompareRow
from dmlopt.report.tables import HEADER, cells

_ESCAPED = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


def escape(text: str) -> str:
    """Text as LaTeX shows it: every character that means something to LaTeX is spelled out."""
    return "".join(_ESCAPED.get(character, character) for character in " ".join(text.split()))


def latex_table(rows: Sequence[CompareRow]) -> str:
    r"""A `tabular` with a block per instance; needs `\usepackage{booktabs}` and, for ", `[T1]{fontenc}`."""
    lines = [r"\begin{tabular}{llrrrrl}", r"\toprule", _line(HEADER), r"\midrule"]
    for position, (instance, group) in enumerate(groupby(rows, key=lambda row: row.instance)):
        if position:
            lines.append(r"\addlinespace")
        lines.append(rf"\multicolumn{{{len(HEADER)}}}{{l}}{{\textit{{{escape(instance)}}}}} \\")
        lines += [_line(cells(row)) for row in group]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _line(texts: Sequence[str]) -> str:
    return " & ".join(map(escape, texts)) + r" \\"
