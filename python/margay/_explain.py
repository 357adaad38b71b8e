"""What PTX files and instructions mean: checks, explanations, forms."""

from __future__ import annotations

import os
import re
from html import escape
from typing import TYPE_CHECKING, Any

from . import _margay
from ._errors import CallError
from ._module import Code, read

if TYPE_CHECKING:
    from ._margay import Diagnostic
    from ._options import Approx, Semantics


def check(
    text: Code | None = None,
    target: str | None = None,
    *,
    path: str | os.PathLike[str] | None = None,
    name: str | None = None,
) -> list[Diagnostic]:
    """Checks PTX source: all errors, warnings and notes, in source order.

    Parameters
    ----------
    text : str, bytes or os.PathLike
        The text, or a file, as `RawModule` takes it.
    target : str, optional
        The architecture to judge for, such as `sm_90`, instead of the file's `.target`.
    path : str or os.PathLike, optional
        The name of the file, instead of `text`.
    name : str, optional
        The name in messages; else the name of the file, or `<ptx>`.

    Raises
    ------
    CallError
        If there is no such target.
    OSError
        If the file cannot be read.
    KeyboardInterrupt
        On Ctrl-C, however large the text is.

    >>> import margay
    >>> for found in margay.check(".version 8.0\\n.target sm_80\\n.entry k() { add.u32 %r1, 1, 2; }"):
    ...     print(found.code, found.line, found.message)
    P201 3 register `%r1` is not declared
    """
    __tracebackhide__ = True
    if (text is None) == (path is None):
        raise TypeError("`check` takes PTX source or a file\nhelp: give one of `text` and `path=`")
    data, name = read(text if text is not None else "", path, name)
    return _margay.check(data, name, target)


def link(*sources: Code, allow_undefined: bool = False) -> str:
    """Makes one module of several: its PTX, as `margay link` writes it.

    What one declares `.extern` is resolved to the definition in another, private names that collide are renamed, and of `.weak`
    and `.common` definitions one is kept. The result has the highest `.version` and `.target`.

    Parameters
    ----------
    *sources : str, bytes or os.PathLike
        The texts, or files, as `RawModule` takes them.
    allow_undefined : bool
        Leave names that none defines as they are.

    Raises
    ------
    PtxError
        If they do not go together, or one is not valid PTX.
    OSError
        If a file cannot be read.

    >>> import margay
    >>> head = ".version 8.0\\n.target sm_80\\n.address_size 64\\n"
    >>> kernel = head + ".extern .func f(); .visible .entry k() { call f; ret; }"
    >>> function = head + ".visible .func f() { ret; }"
    >>> margay.RawModule(code=margay.link(kernel, function)).get_function("k")(1, 1).threads
    1
    """
    __tracebackhide__ = True
    if not sources:
        raise TypeError("`link` takes PTX sources or files\nhelp: give at least one")
    texts = [read(source) for source in sources]
    # Those without a file are told apart by their places.
    named = [(text, f"<ptx {k}>" if name == "<ptx>" and len(texts) > 1 else name) for k, (text, name) in enumerate(texts, 1)]
    return _margay.link(named, allow_undefined)


def forms(name: str, *, sample: int | None = None, seed: int = 0) -> list[str]:
    """The forms of an instruction: every combination of words once, without the selectors and masks that may be left out.

    Parameters
    ----------
    sample : int, optional
        So many forms drawn at random instead, selectors and masks included.
    seed : int
        Draw others.

    Raises
    ------
    CallError
        If there is no such instruction.

    >>> import margay
    >>> margay.forms("bfe")
    ['bfe.u32 d, a, b, c', 'bfe.u64 d, a, b, c', 'bfe.s32 d, a, b, c', 'bfe.s64 d, a, b, c']
    """
    __tracebackhide__ = True
    return _margay.forms(name, sample, seed)


class Explanation:
    """A text to be read: `print` it, or let a notebook show it as a table."""

    text: str
    """As the command prints it."""

    def __init__(self, text: str, html: str) -> None:
        self.text = text
        self._html = html

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self._html


def explain(
    what: str, *values: int, semantics: Semantics = "manual", approx: Approx | None = None, **named: int
) -> Explanation:
    """Explains an instruction or a diagnostic; with values, what the instruction computes, stage by stage.

    Parameters
    ----------
    what : str
        An opcode (`vadd4`), the code of a diagnostic (`P303`), the words of an instruction on matrices (`mma.m16n8k16.f16`), for who
        holds which element, or an instruction with operands (`"vadd4.u32.u32.u32 d, a, b, c"`).
    *values : int
        For an instruction with operands: its values, in the order in which its names are read.
    **named : int
        The values by name instead.
    semantics : {"manual", "ptxas-13.5"}
        The semantics to compute: the manual's, or those of ptxas 13.5.
    approx : {"device", "rounded"}, optional
        The results of approximate functions: a device's, which is the default, or correctly rounded ones.

    Raises
    ------
    CallError
        If there is no such thing, or values are missing or do not fit.
    PtxError
        If the instruction is not legal PTX.

    >>> import margay
    >>> margay.explain("vset.s32.u32.lt d, a.b3, b.h1", 0x80ff7f01, b=0x01020304)
    compare bytes, half-words or words
        a = 0x80ff7f01 = -2130739455
        b = 0x01020304 = 16909060
        ta = -128    (.b3, signed)
        tb = 258    (.h1, unsigned)
        tmp = 1
    d = 0x00000001 = 1
    """
    __tracebackhide__ = True
    words = what.split()
    if len(words) == 1:
        if values or named:
            help = "write operands after it, such as `add.u32 d, a, b`"
            raise CallError(f"`{what}` alone takes no values", help)
        pages = _margay.explain(what)
        return Explanation("\n".join(page[4] for page in pages).rstrip(), "<hr>".join(map(_page, pages)))
    evaluated = _margay.evaluate(
        what,
        [_number(value) for value in values],
        [f"{name}={_number(value)}" for name, value in named.items()],
        semantics,
        approx,
    )
    return Explanation(evaluated[4].rstrip(), _evaluation(what, evaluated))


def _number(value: Any) -> str:
    """A value as the command takes it."""
    if isinstance(value, (str, bytes)):
        return str(value)
    return str(value.__index__()) if hasattr(value, "__index__") else str(value)


def _page(page: Any) -> str:
    name, purpose, paragraphs, sections, _ = page
    html = f"<h3>{escape(name)}</h3>" + "".join(f"<p>{escape(text)}</p>" for text in [purpose, *paragraphs] if text)
    for heading, lines in sections:
        shown = _fragment(lines) if heading.endswith(_FRAGMENT) else f"<pre>{escape(chr(10).join(lines).rstrip())}</pre>"
        html += f"<h4>{escape(heading)}</h4>{shown}"
    return html


_FRAGMENT = "rows down, columns across"
"""What the heading of a matrix ends with: its columns stand in the first line, its rows in the first word of the others."""


def _fragment(lines: list[str]) -> str:
    """Who holds which element of a matrix; all that a lane holds has the lane's colour."""
    head, *rows = [re.split(r"\s{2,}", line.strip()) for line in lines if line.strip()]
    html = "<tr><th></th>" + "".join(f"<th>{escape(column)}</th>" for column in head) + "</tr>"
    for row, *cells in rows:
        html += f"<tr><th>{escape(row)}</th>" + "".join(map(_holder, cells)) + "</tr>"
    return f"<table>{html}</table>"


def _holder(cell: str) -> str:
    lane = re.match(r"T(\d+) ", cell)
    colour = f"background: hsl({int(lane[1]) * 45 // 4}, 60%, 85%); color: black; " if lane else ""
    return f'<td style="{colour}text-align: left"><code>{escape(cell)}</code></td>'


def _evaluation(what: str, evaluated: Any) -> str:
    purpose, stages, results, differences, _ = evaluated
    cell = '<td style="text-align: left"><code>{}</code></td>'
    rows = [[name, value, note] for name, value, note in stages]
    for text, number, elements in results:
        name, _, bits = text.partition(" = ")
        rows.append([name, bits if number is None else f"{bits} = {number}", ""])
        rows += [["", element, ""] for element in elements]
    table = "".join("<tr>" + "".join(cell.format(escape(text)) for text in row) + "</tr>" for row in rows)
    notes = "".join(f"<p>{escape(line)}</p>" for line in differences)
    return f"<p><code>{escape(what)}</code>: {escape(purpose)}</p><table>{table}</table>{notes}"
