"""Which form an answer has: an address, a path, an hour, a size, an order to follow.

Who asks "where" is answered by a path or an address, whatever else it is called; so a text is
marked in the index with the forms that stand in it, and a question leans to those it asks for.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

# the one written in C reads ten times as fast; not each build of the library has it
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_CHARS = 2000
"""A longer text is no answer in one line: only its beginning is marked."""
QUESTION_CHARS = 500
RULE = "rule"
BAR = "|"
NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class Form:
    """How one form of answer is asked for, and how it is written.

    *mark* stands in the index beside the words, and no word looks like it; *name* has the title
    in Chinese and in English, by a bar; *weight* is what it counts as against a word. A text of
    a *relevant* form bears on a question for it though they share no word.
    """

    mark: str
    name: str
    weight: float
    relevant: bool
    asked: "Patterns"
    written: "Patterns"


@dataclass(frozen=True, slots=True)
class Patterns:
    """Any of several patterns, the Chinese ones apart: half of them need not be tried."""

    chinese: str
    other: str

    def in_question(self, question: str) -> bool:
        """Tell whether one is in *question*: of a Chinese one the Chinese patterns."""
        pattern = self.other if question.isascii() else self.chinese
        return _compiled(pattern).search(question) is not None

    def in_text(self, text: str) -> bool:
        """Tell whether one is in *text*."""
        fitting = [self.other] if text.isascii() else [self.other, self.chinese]
        return any(_compiled(each).search(text) for each in fitting)


def of_text(text: str) -> Iterator[str]:
    """Yield the marks of the forms that stand in *text*."""
    beginning = text[:MAX_CHARS].lower()
    return (form.mark for form in known().values() if form.written.in_text(beginning))


def asked(question: str) -> Iterator[Form]:
    """Yield the forms that *question* asks for."""
    text = question[:QUESTION_CHARS].lower()
    return (form for form in known().values() if form.asked.in_question(text))


def asks_for_rule(question: str) -> bool:
    """Tell whether *question* is for what the person wishes, allows or is used to."""
    return known()[RULE].asked.in_question(question[:QUESTION_CHARS].lower())


@cache
def asking() -> frozenset[str]:
    """Return the marks and names of the forms that make nothing relevant by themselves."""
    forms = (form for form in known().values() if not form.relevant)
    return frozenset(text for form in forms for text in (form.mark, form.name))


@cache
def known() -> dict[str, Form]:
    """Return the forms of the file beside this module, by their keys there."""
    text = (files("walissh.memory") / "forms.yaml").read_text("utf-8")
    fields: dict[str, dict[str, Any]] = yaml.load(text, Loader=_Loader)  # noqa: S506  a safe one
    return {key: _form(key, **each) for key, each in fields.items()}


def _form(
    key: str,
    title: tuple[str, str],
    weight: float,
    asked: Sequence[str],
    written: Sequence[str],
    relevant: bool = False,
) -> Form:
    mark = f"@={key}"
    name = BAR.join((*title, mark))
    return Form(mark, name, weight, relevant, _patterns(asked), _patterns(written))


def _patterns(lines: Sequence[str]) -> Patterns:
    chinese = [line for line in lines if not line.isascii()]
    other = [line for line in lines if line.isascii()]
    return Patterns("|".join(chinese) or NEVER, "|".join(other) or NEVER)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile at the first need: of a form not all patterns are needed at once."""
    return re.compile(pattern)
