"""Whether a text says one of a list of things, and how such lists are read from a file.

A list is regular expressions on lower-case text: ``en`` ones match whole words, ``zh``
ones anywhere, but not in a text of ASCII alone. Only the beginning and the end of a long
text are looked at, for that is where a person says what she wants, and what is between is
often a pasted log.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from unicodedata import normalize

from walissh.memory.alternatives import sorted_by_letter
from walissh.memory.tables import Place

HEAD_CHARS = 2_000
TAIL_CHARS = 500

_WIDE = re.compile("[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]")
_EDGE = " \t.,;:!?。，；：！？、~…—-\"'“”()"
_BETWEEN = re.compile(r"[\s.,;:!?。，；：！？、~…—\-]*")
_WORD_BEGIN, _WORD_END = r"(?<![a-z0-9_./-])", r"(?![a-z0-9_]|[./-][a-z0-9])"
_LETTER_BEGIN = r"(?<![a-z0-9_./-].)"  # the same, said after the first letter
_BACK_REFERENCE = re.compile(r"\\[1-9]|\(\?P[<=]")


def seen(text: str) -> str:
    """Return what of *text* is looked at: lower case, plain forms, single spaces."""
    if len(text) > HEAD_CHARS + TAIL_CHARS:
        text = f"{text[:HEAD_CHARS]} {text[-TAIL_CHARS:]}"
    if not text.isascii():
        text = text.replace("’", "'")
        if _WIDE.search(text):  # else not worth its time
            text = normalize("NFKC", text)
    return " ".join(text.lower().split())


@dataclass(frozen=True, slots=True)
class Words:
    """A list of expressions, in parts that are searched for one after the other."""

    zh: tuple[re.Pattern[str], ...]
    en: tuple[re.Pattern[str], ...]

    def search(self, text: str) -> bool:
        """Tell whether one of them is anywhere in *text*."""
        parts = self.en if text.isascii() else (*self.zh, *self.en)
        return any(each.search(text) for each in parts)

    def match(self, text: str, at: int) -> re.Match[str] | None:
        """Return the first one that stands in *text* just at this place."""
        for each in (*self.zh, *self.en):
            found = each.match(text, at)
            if found and found.end() > at:
                return found
        return None

    def without(self, text: str) -> str:
        """Return *text* with a space for each of them."""
        for each in (*self.zh, *self.en):
            text = each.sub(" ", text)
        return text


@dataclass(frozen=True, slots=True)
class Phrases:
    """A list of things that can be said; *texts* of all its methods are `seen` ones.

    With *whole* a text must be made of nothing else but what may stand *beside* them. A
    text longer than *at_most* characters, or one that says a thing of *unless*, says
    nothing of this list.
    """

    said: Words
    beside: Words
    unless: Words
    whole: bool
    at_most: int

    def hold(self, text: str) -> bool:
        """Tell whether *text* says one of these things."""
        if len(text) > self.at_most:
            return False
        found = self._made_of(text.strip(_EDGE)) if self.whole else self.said.search(text)
        return found and not self.unless.search(text)

    def _made_of(self, text: str) -> bool:
        """Tell whether *text* is these things one after the other; the first that fits holds.

        Never a second try: a list whose entries overlap would try every way to cut a text.
        """
        at, said = 0, False
        while at < len(text):
            found = self.said.match(text, at)
            said = said or found is not None
            found = found or self.beside.match(text, at)
            if found is None:
                return False
            between = _BETWEEN.match(text, found.end())
            at = between.end() if between else found.end()
        return said


# --- reading them from a file -----------------------------------------------------------

PHRASE_FIELDS = ("zh", "en", "unless", "whole", "beside", "at_most")


def phrases(place: Place, fields: Mapping[str, Place]) -> Phrases:
    """Return the list of things that *fields* (`PHRASE_FIELDS`) of *place* describe."""
    whole = "whole" in fields and fields["whole"].yes()
    said = _words(place, fields, in_order=whole)
    if not (said.zh or said.en):
        raise place.fail("there are no words. Give a list under `zh` or `en`.")
    longest = HEAD_CHARS + TAIL_CHARS + 1
    at_most = int(fields["at_most"].number(1, longest)) if "at_most" in fields else longest
    return Phrases(said, _part(fields, "beside"), _part(fields, "unless"), whole, at_most)


def _part(fields: Mapping[str, Place], name: str) -> Words:
    if name not in fields:
        return Words((), ())
    return _words(fields[name], fields[name].fields("zh", "en"), in_order=name == "beside")


def _words(place: Place, fields: Mapping[str, Place], *, in_order: bool) -> Words:
    zh = [_checked(each) for each in fields["zh"].items()] if "zh" in fields else []
    en = [_checked(each) for each in fields["en"].items()] if "en" in fields else []
    word = f"{_WORD_BEGIN}(?:%s){_WORD_END}"
    if in_order:
        return Words(
            _compiled(place, "|".join(zh), "%s"),
            _compiled(place, "|".join(en), word),
        )
    zh_led, zh_others = sorted_by_letter(zh)
    en_led, en_others = sorted_by_letter(en, before=_LETTER_BEGIN)
    return Words(
        _compiled(place, zh_led, "%s") + _compiled(place, zh_others, "%s"),
        _compiled(place, en_led, f"(?:%s){_WORD_END}") + _compiled(place, en_others, word),
    )


def _checked(place: Place) -> str:
    pattern = place.text()
    if _BACK_REFERENCE.search(pattern):
        raise place.fail(f"{pattern!r} refers back to a group, which a list cannot. Spell it out.")
    # in a group, as it will stand: a flag would not work there
    (found,) = _compiled(place, f"(?:{pattern})", "%s")
    if found.match("") is not None:
        raise place.fail(f"{pattern!r} is found in every text. Give it at least one letter.")
    return pattern


def _compiled(place: Place, pattern: str, form: str) -> tuple[re.Pattern[str], ...]:
    if not pattern:
        return ()
    try:
        return (re.compile(form.replace("%s", pattern)),)
    except (re.error, OverflowError, RecursionError) as error:
        raise place.fail(
            f"this is no regular expression ({error}). Correct it, or put it in quotes."
        ) from error
