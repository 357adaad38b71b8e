"""What notebooks show: launches, findings, profiles and sweeps as tables."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ._margay import Finding, Report

_CELL = '<td style="text-align: left">{}</td>'
_HEAD = '<th style="text-align: left">{}</th>'


class Findings(list):
    """Findings, as a list that notebooks show with their lines."""

    def _repr_html_(self) -> str:
        return "".join(finding(one) for one in self) or "<p>nothing found</p>"


class Profile(dict):
    """A profile, as a dictionary that notebooks show as tables."""

    def _repr_html_(self) -> str:
        return profile(self)


def table(rows: Iterable[Sequence[Any]], head: Sequence[str] = ()) -> str:
    """Rows of texts and numbers."""
    lines = ["".join(_HEAD.format(escape(name)) for name in head)] if head else []
    lines += ["".join(_CELL.format(escape(str(cell))) for cell in row) for row in rows]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def report(told: Report) -> str:
    """A launch: numbers, then what is to be said of it."""
    engine = told.engine if told.simd is None else f"{told.engine} with {told.simd}"
    rows = [
        ("threads", f"{told.threads:,}"),
        ("instructions", f"{told.instructions:,}"),
        ("seconds", f"{told.seconds:.3g}"),
        ("engine", engine if told.engine_reason is None else f"{engine} ({told.engine_reason})"),
    ]
    html = f"<p><code>{escape(told.kernel)}</code></p>{table(rows)}"
    html += "".join(f"<p><b>warning</b>: {escape(str(remark))}</p>" for remark in told.warnings)
    if told.printed:
        html += f"<pre>{escape(told.printed)}</pre>"
    html += "".join(finding(found) for found in told.findings)
    return html + (profile(told.profile) if told.profile else "")


def finding(found: Finding) -> str:
    """A finding with its lines."""
    return f"<pre>{escape(found.text)}</pre>"


def profile(data: dict[str, Any]) -> str:
    """A table for each list of a profile, and one for its numbers."""
    numbers = {name: value for name, value in data.items() if not isinstance(value, (list, dict))}
    html = table(numbers.items()) if numbers else ""
    for name, rows in data.items():
        if isinstance(rows, dict):
            html += f"<h4>{escape(name)}</h4>{table(rows.items())}"
        elif isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
            head = list(dict.fromkeys(key for row in rows for key in row))
            html += f"<h4>{escape(name)}</h4>{table(([row.get(key, '') for key in head] for row in rows), head)}"
        elif isinstance(rows, list) and rows:
            html += f"<h4>{escape(name)}</h4>{table([row] for row in rows)}"
    return html
