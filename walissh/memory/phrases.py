"""Whether a text says one of a list of things, and how such lists are read from a file.

A list is regular expressions on lower-case text: ``en`` ones match whole words, ``zh``
ones anywhere. Only the beginning and the end of a long text are looked at, for that is
where a person says what she wants, and what is between is often a pasted log.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from unicodedata import normalize

import yaml

from walissh.errors import InvalidError

HEAD_CHARS = 2_000
TAIL_CHARS = 500

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it is built
_SPACE = re.compile(r"\s+")
_EDGE = " \t.,;:!?。，；：！？、~…—-\"'“”()"
_BETWEEN = re.compile(r"[\s.,;:!?。，；：！？、~…—\-]*")
_WORD_BEGIN, _WORD_END = r"(?<![a-z0-9_./-])", r"(?![a-z0-9_]|[./-][a-z0-9])"
_MAX_FILE_CHARS = 200_000


def seen(text: str) -> str:
    """Return what of *text* is looked at: lower case, plain forms, single spaces."""
    if len(text) > HEAD_CHARS + TAIL_CHARS:
        text = f"{text[:HEAD_CHARS]} {text[-TAIL_CHARS:]}"
    if not text.isascii():
        text = normalize("NFKC", text).replace("’", "'")
    return _SPACE.sub(" ", text.lower()).strip()


@dataclass(frozen=True, slots=True)
class Phrases:
    """A list of things that can be said; *texts* of all its methods are `seen` ones.

    With *whole* a text must be made of nothing else but what may stand *beside* them. A
    text longer than *at_most* characters, or one that says a thing of *unless*, says
    nothing of this list.
    """

    said: re.Pattern[str]
    beside: re.Pattern[str] | None = None
    unless: re.Pattern[str] | None = None
    whole: bool = False
    at_most: int = HEAD_CHARS + TAIL_CHARS + 1

    def hold(self, text: str) -> bool:
        """Tell whether *text* says one of these things."""
        return self.first(text) is not None

    def first(self, text: str) -> str | None:
        """Return the words that say it, None if it is not said."""
        if len(text) > self.at_most:
            return None
        found = self._made_of(text.strip(_EDGE)) if self.whole else _words(self.said.search(text))
        if found is None or (self.unless is not None and self.unless.search(text)):
            return None
        return found

    def _made_of(self, text: str) -> str | None:
        """Return *text* if it is these things one after the other; the first that fits holds.

        Never a second try: a list whose entries overlap would try every way to cut a text.
        """
        at, said = 0, False
        while at < len(text):
            found = self.said.match(text, at)
            said = said or found is not None
            if found is None and self.beside is not None:
                found = self.beside.match(text, at)
            if found is None:
                return None
            between = _BETWEEN.match(text, found.end())
            at = between.end() if between else found.end()
        return text if said else None


def _words(found: re.Match[str] | None) -> str | None:
    return found[0] if found else None


# --- reading a file, with the line for what is wrong --------------------------------------


class Place:
    """One value of a YAML file and where it stands; scalars stay the text they are.

    Each reader raises InvalidError, which names file and line.
    """

    __slots__ = ("_file", "_node")

    def __init__(self, node: yaml.Node, file: str) -> None:
        self._node, self._file = node, file

    def fail(self, what: str) -> InvalidError:
        """Return the error that *what* is wrong here."""
        line = self._node.start_mark.line + 1
        return InvalidError(f"{self._file}, line {line}: {what}", field=f"line {line}")

    def text(self) -> str:
        """Return a scalar."""
        if not isinstance(self._node, yaml.ScalarNode):
            raise self.fail("here must be a single value. Write it on one line.")
        return str(self._node.value)

    def is_text(self) -> bool:
        """Tell whether it is a scalar."""
        return isinstance(self._node, yaml.ScalarNode)

    def items(self) -> "list[Place]":
        """Return the parts of a list."""
        if not isinstance(self._node, yaml.SequenceNode):
            raise self.fail("here must be a list. Begin each part with a dash.")
        return [Place(each, self._file) for each in self._node.value]

    def fields(self, *allowed: str) -> "dict[str, Place]":
        """Return the fields of a mapping; with *allowed*, no others may be there."""
        if not isinstance(self._node, yaml.MappingNode):
            raise self.fail("here must be names with values, such as `name: value`.")
        found: dict[str, Place] = {}
        for name_node, node in self._node.value:
            place = Place(name_node, self._file)
            name = place.text()
            if name in found:
                raise place.fail(f"{name!r} stands here twice. Take one out.")
            if allowed and name not in allowed:
                raise place.fail(f"{name!r} is not known here. Use {', '.join(allowed)}.")
            found[name] = Place(node, self._file)
        return found

    def yes(self) -> bool:
        """Return a yes or no."""
        text = self.text().lower()
        if text not in ("yes", "no", "true", "false"):
            raise self.fail(f"{text!r} is neither yes nor no. Write one of them.")
        return text in ("yes", "true")

    def number(self, least: float, most: float) -> float:
        """Return a number within these bounds."""
        try:
            number = float(self.text())
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise self.fail(f"{self.text()!r} is no number from {least:g} to {most:g}.")
        return number


def document(text: str, file: str) -> Place:
    """Return the root of a YAML text; *file* names it in errors."""
    if len(text) > _MAX_FILE_CHARS:
        raise InvalidError(
            f"{file}: the file has more than {_MAX_FILE_CHARS} characters. Make it shorter."
        )
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise InvalidError(
            f"{file}, line {line}: this is not YAML ({error.problem}). Correct the line.",
            field=f"line {line}",
        ) from error
    except yaml.YAMLError as error:
        raise InvalidError(f"{file}: this is not YAML ({error}). Correct the file.") from error
    if node is None:
        raise InvalidError(f"{file}: the file is empty. Fill it or remove it.")
    return Place(node, file)


PHRASE_FIELDS = ("zh", "en", "unless", "whole", "beside", "at_most")


def phrases(place: Place, fields: Mapping[str, Place]) -> Phrases:
    """Return the list of things that *fields* (`PHRASE_FIELDS`) of *place* describe."""
    said = _patterns(fields)
    if not said:
        raise place.fail("there are no words. Give a list under `zh` or `en`.")
    whole = "whole" in fields and fields["whole"].yes()
    longest = HEAD_CHARS + TAIL_CHARS + 1
    at_most = int(fields["at_most"].number(1, longest)) if "at_most" in fields else longest
    return Phrases(
        said=_compiled(place, _either(said)),
        beside=_list(fields, "beside"),
        unless=_list(fields, "unless"),
        whole=whole,
        at_most=at_most,
    )


def _list(fields: Mapping[str, Place], name: str) -> re.Pattern[str] | None:
    if name not in fields:
        return None
    patterns = _patterns(fields[name].fields("zh", "en"))
    return _compiled(fields[name], _either(patterns)) if patterns else None


def _patterns(fields: Mapping[str, Place]) -> list[str]:
    found = [_checked(each) for each in fields["zh"].items()] if "zh" in fields else []
    words = [_checked(each) for each in fields["en"].items()] if "en" in fields else []
    if words:
        found.append(f"{_WORD_BEGIN}(?:{_either(words)}){_WORD_END}")
    return found


def _either(patterns: Iterable[str]) -> str:
    return "|".join(patterns)


def _checked(place: Place) -> str:
    pattern = place.text()
    # in a group, as it will stand: a flag or a reference to a group would not work there
    if _compiled(place, f"(?:{pattern})").match("") is not None:
        raise place.fail(f"{pattern!r} is found in every text. Give it at least one letter.")
    return pattern


def _compiled(place: Place, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise place.fail(
            f"this is no regular expression ({error}). Correct it, or put it in quotes."
        ) from error
