"""Markdown of a model into safe HTML: the model is an untrusted author.

Raw HTML is escaped, images become their text (a picture's address could carry data out),
and what is left passes an allow list. Code is coloured with classes only.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import mistune
import nh3
from markupsafe import Markup, escape
from mistune import HTMLRenderer, InlineParser, InlineState
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from walissh.react.turn import Citation

MAX_COLOURED_CHARS = 20_000
KEPT = 512

_TAGS = frozenset(
    [
        "p",
        "br",
        "hr",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "strong",
        "em",
        "del",
        "code",
        "pre",
        "blockquote",
        "ul",
        "ol",
        "li",
        "a",
        "sup",
        "span",
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ]
)
_ATTRIBUTES: Mapping[str, set[str]] = {
    "a": {"href", "class", "data-command", "data-first", "data-last"},
    "code": {"class"},
    "div": {"class", "tabindex"},
    "pre": {"class", "tabindex"},
    "span": {"class"},
    "ol": {"start"},
    "sup": {"class"},
}
HEADING_STEPS = 2
_LINK = re.compile(r"https?://|mailto:|#", re.IGNORECASE)
_MARK = r"\[(?P<cite_n>\d{1,3})\](?!\()"
_RECALL = r"\[(?P<recall_names>[mM]\d{1,3}(?:, ?[mM]\d{1,3}){0,9})\](?!\()"
_FORMATTER: HtmlFormatter[str] = HtmlFormatter(nowrap=True)


@lru_cache(maxsize=KEPT)
def render(
    text: str,
    citations: tuple[Citation, ...] = (),
    memories: tuple[str, ...] = (),
    turn_id: str = "",
) -> Markup:
    """Return *text* as HTML; marks such as ``[1]`` that *citations* know become links.

    So do those of *memories*, such as ``[m1]``, to what turn *turn_id* was given.
    """
    return _rendered(text, _Marks(citations, memories, turn_id), coloured=True)


def render_growing(text: str) -> Markup:
    """Return text that still comes: drawn once, so not kept, and its code uncoloured.

    That is twenty times quicker; and hundreds of its states would drive out of memory
    what is drawn again and again.
    """
    return _rendered(text, _Marks(), coloured=False)


@dataclass(frozen=True, slots=True)
class _Marks:
    """What the marks in a text may lead to."""

    citations: tuple[Citation, ...] = ()
    memories: tuple[str, ...] = ()
    turn_id: str = ""


def _rendered(text: str, marks: _Marks, *, coloured: bool) -> Markup:
    parser = mistune.create_markdown(
        renderer=_Renderer(marks, coloured),
        plugins=["table", "strikethrough", "url", _marks],
    )
    html = str(parser(text.encode("utf-8", "replace").decode()))  # half a surrogate pair
    return Markup(  # noqa: S704  cleaned by the allow list
        nh3.clean(
            html,
            tags=set(_TAGS),
            attributes=dict(_ATTRIBUTES),
            url_schemes={"http", "https", "mailto"},
            link_rel="noopener noreferrer nofollow",
        )
    )


class _Renderer(HTMLRenderer):
    def __init__(self, marks: _Marks, coloured: bool) -> None:
        super().__init__(escape=True)
        self._cited = {each.n: each for each in marks.citations}
        self._memories, self._turn_id = marks.memories, marks.turn_id
        self._coloured = coloured

    def cite(self, n: str) -> str:
        """Return a small number that leads to the lines it rests on."""
        found = self._cited.get(int(n))
        if found is None:
            return f"[{n}]"
        return (
            f'<sup class="cite"><a class="cite-link" href="#L-{escape(found.command_id)}-'
            f'{found.first_line}" data-command="{escape(found.command_id)}"'
            f' data-first="{found.first_line}" data-last="{found.last_line}">{found.n}</a></sup>'
        )

    def recall(self, names: str) -> str:
        """Return small marks that lead to the memories which they name."""
        found = [each.strip().lower() for each in names.split(",")]
        if not all(each in self._memories for each in found):
            return f"[{names}]"
        links = (f'<a href="#recalled-{escape(self._turn_id)}-{each}">{each}</a>' for each in found)
        return f'<sup class="cite">{" ".join(links)}</sup>'

    def heading(self, text: str, level: int, **attrs: Any) -> str:
        """Return a heading two steps lower: the page has its own first and second ones."""
        return super().heading(text, min(6, level + HEADING_STEPS), **attrs)

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Return a link that leads away from here or within the page, else its text.

        An address of this site could be a deed in disguise, such as a sign-in link.
        """
        return super().link(text, url, title) if _LINK.match(url.strip()) else text

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Return a picture's text: loading it would call the address it names."""
        return str(escape(text or title or url))

    def block_code(self, code: str, info: str | None = None) -> str:
        """Return a code block, coloured when its language is known."""
        language = (info or "").split(maxsplit=1)[0] if info and info.strip() else ""
        small = len(code) <= MAX_COLOURED_CHARS
        inner = _coloured(code, language) if self._coloured and small else str(escape(code))
        return f'<pre class="code" tabindex="0"><code>{inner}</code></pre>\n'

    def table(self, text: str) -> str:
        """Return a table that scrolls in its own box when it is too wide."""
        return f'<div class="wide" tabindex="0"><table>{text}</table></div>\n'


def _marks(md: mistune.Markdown) -> None:
    md.inline.register("cite", _MARK, _parse_mark, before="link")
    md.inline.register("recall", _RECALL, _parse_recall, before="link")


def _parse_mark(_inline: InlineParser, match: re.Match[str], state: InlineState) -> int:
    token: dict[str, Any] = {"type": "cite", "raw": match["cite_n"]}
    state.append_token(token)
    return match.end()


def _parse_recall(_inline: InlineParser, match: re.Match[str], state: InlineState) -> int:
    token: dict[str, Any] = {"type": "recall", "raw": match["recall_names"]}
    state.append_token(token)
    return match.end()


def _coloured(code: str, language: str) -> str:
    try:
        lexer = get_lexer_by_name(language) if language else None
    except ClassNotFound:
        lexer = None
    return str(escape(code)) if lexer is None else highlight(code, lexer, _FORMATTER)
