"""Whether a rewording still says the same: nothing lost, nothing brought in, no "not" moved.

What is compared is the gist: the words that say something, in their order. A rewording may
only leave out what says nothing; a merger holds the gist of each of both.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from walissh.memory import naming, quote, tables, words
from walissh.memory.entry import Found, Memory, MemoryType, Op
from walissh.memory.extract import names, pref_secrets, preferences, prose
from walissh.memory.stem import stem
from walissh.safety import redact

MAX_CONTENT_CHARS = 600
SAME_SENTENCE = 0.6
"""So many of its words make a sentence the one, or a text a retelling of the other."""
_NOT = re.compile(r"(?i)(?<=[a-z])n['’]t\b")
_CANNOT = re.compile(r"(?i)\bcan(?:not|\s+not|['’]t)\b")
_SHORTENED = re.compile(r"(?i)(?<=[a-z])['’](?:d|ll|s|m|re|ve)\b")
_WRITTEN = re.compile(r"[!-~]+")
_AROUND = ".,;:!?()[]{}<>\"'`"


def fault(originals: Sequence[Memory], content: str, said: str) -> str:
    """Return why *content* may not stand for all of *originals*, "" if it may.

    *said* are the person's words of the turn. All originals are of one type and subject.
    """
    kind = originals[0].type
    return (
        _unfit(content)
        or _lossy(originals, content)
        or _brought_in(originals, content, _context(originals, said))
        or (_bent if kind is MemoryType.USER_PREFERENCE else _commanding)(originals, content)
    )


@lru_cache(maxsize=256)
def gist(text: str) -> tuple[str, ...]:
    """Return the words of *text* that say something, in order: stems, names, single Han."""
    return tuple(_gist(text))


# --- the checks -----------------------------------------------------------------------


def _unfit(content: str) -> str:
    if not content.strip() or len(content) > MAX_CONTENT_CHARS:
        return "it is empty or too long"
    if quote.line(content, MAX_CONTENT_CHARS) != content:
        return "it is not one plain line"
    if redact.redact(content) != content or pref_secrets.kind_told(content):
        return "it holds a secret"
    return ""


def _lossy(originals: Sequence[Memory], content: str) -> str:
    new = gist(content)
    for each in originals:
        # what is merged into another may share words with it; the other stays as it is
        whole = each is originals[0]
        if not (_stands_in if whole else _is_told)(gist(each.content), new):
            return "it leaves out or moves a word"
        if not _written(each.content) <= _written(content):
            return "it changes a value, a number or a path"
        value = gist(each.value)
        if _holds(gist(each.content), value) and not _holds(new, value):
            return "it changes the value"
    return ""


def _brought_in(originals: Sequence[Memory], content: str, context: str) -> str:
    own = " ".join(_own_texts(originals))
    if not _written(content) <= _written(own) | _written(context):
        return "it brings in a value, a number or a path"
    if not set(gist(content)) <= set(gist(own)) | set(gist(context)):
        return "it brings in a word"
    if _turning(content) - sum((_turning(each.content) for each in originals), Counter[str]()):
        return "it brings in a word that turns or narrows it"
    return ""


def _bent(originals: Sequence[Memory], content: str) -> str:
    """Tell why a preference would be read as another one."""
    read = preferences.from_user(content)
    old = originals[0]
    same = {_reading(old), *map(_reading, preferences.from_user(old.content))}
    if any(_reading(each) not in same for each in read):
        return "it reads as another preference"
    # words from around it may turn it: then it must be read as the same by the rules
    if len(originals) == 1 and not read and gist(content) != gist(old.content):
        return "it says more than the preference"
    return ""


def _commanding(originals: Sequence[Memory], content: str) -> str:
    return "it reads as an instruction" if preferences.from_user(content) else ""


# --- what is compared -----------------------------------------------------------------


def _context(originals: Sequence[Memory], said: str) -> str:
    """Return the person's own words that a rewording may draw on.

    A preference has its own sentence alone: a word of another one could turn it. What was
    measured has none.
    """
    kind = originals[0].type
    own = [each.seen for each in prose.sentences(said) if not each.asked]
    if kind is MemoryType.USER_PREFERENCE:
        wanted = {word for each in originals for word in gist(each.content)}
        own = [each for each in own if _share(wanted, each) >= SAME_SENTENCE]
    elif kind is not MemoryType.TROUBLESHOOTING_CASE:
        return ""
    return " ".join(own)


def _own_texts(originals: Sequence[Memory]) -> Iterator[str]:
    for each in originals:
        yield from (each.content, each.subject, each.value, each.host)
        yield from (each.symptom, each.cause, each.fix)


def _share(wanted: set[str], text: str) -> float:
    return len(wanted & set(gist(text))) / len(wanted) if wanted else 0.0


def _reading(preference: Found | Memory) -> tuple[str, str, bool, tuple[str, ...]]:
    key, removes = naming.key(preference.subject), preference.op is Op.REMOVE
    return key, preference.scope, removes, gist(preference.value) or (folded(preference.value),)


def _holds(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Tell whether *part* stands in *whole* in one piece."""
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def _is_told(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Tell whether *whole* holds most of *part*, and all names and what turns it."""
    wanted, there = set(part), set(whole)
    markers = _lists().markers
    bound = {word for word in wanted if word in markers or names.is_known(word)}
    return bound <= there and len(wanted & there) >= SAME_SENTENCE * len(wanted)


def _stands_in(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Tell whether *whole* holds all of *part* in its order, with others between perhaps."""
    rest = iter(whole)
    return all(word in rest for word in part)


def _turning(text: str) -> Counter[str]:
    markers = _lists().markers
    return Counter(word for word in gist(text) if word in markers)


@lru_cache(maxsize=256)
def _written(text: str) -> frozenset[str]:
    """Return what must stand letter by letter: all that is not made of letters alone."""
    found = (each.strip(_AROUND) for each in _WRITTEN.findall(_plain(text)))
    return frozenset(each for each in found if each and not each.isalpha())


def _gist(text: str) -> Iterator[str]:
    lists = _lists()
    for piece in words.pieces(lists.without_fillers(_plain(text))):
        if words.is_han(piece):
            yield from (
                each for each in piece if each in lists.markers or each not in words.stopwords()
            )
        else:
            word = piece.lower().strip("./:-")
            if word in lists.markers or not word.isalpha():
                yield word
            elif word not in words.stopwords():
                yield stem(word)


def _plain(text: str) -> str:
    text = _CANNOT.sub("can not", unicodedata.normalize("NFKC", text))
    return _SHORTENED.sub(" ", _NOT.sub(" not", text))


def folded(value: str) -> str:
    """Return *value* as two values are compared: up to case, blanks and final marks."""
    return " ".join(unicodedata.normalize("NFKC", value).casefold().split()).strip(" .。!！;；")


@dataclass(frozen=True, slots=True)
class _Lists:
    fillers: re.Pattern[str]
    markers: frozenset[str]

    def without_fillers(self, text: str) -> str:
        return self.fillers.sub(" ", text)


@cache
def _lists() -> _Lists:
    table = tables.read("walissh.memory", "refine.yaml")
    fillers, markers = table["fillers"], table["markers"]
    english = "|".join(fillers["en"])
    chinese = "|".join(fillers["zh"])
    return _Lists(
        re.compile(rf"(?i)\b(?:{english})\b|{chinese}"),
        frozenset(f"{markers['en']} {markers['zh']}".split()),
    )
