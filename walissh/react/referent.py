"""What a message refers to by other words than a name: "the other one", "那台", "both".

One host is what is meant. Several are all meant ("both"), or it could be any of them: then
the person is asked, but only where the message cannot be understood without it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from walissh.react import pointing
from walissh.react.followed import Asked, Meant
from walissh.react.host import Host
from walissh.react.intent import spelling
from walissh.react.turn import Language

MAX_CHARS: Final = 300
"""Longer messages say by themselves what they are about."""
MAX_CHOICES: Final = 10
ELLIPSIS_WEIGHT: Final = 10
"""What says more than this beside its pointing word is no ellipsis any more."""

_QUOTED = re.compile(r"\"[^\"\n]{2,200}\"|`[^`\n]{2,200}`|[「『“][^」』”\n]{1,200}[」』”]")
_COUNT = re.compile(r"[两俩二三四五六七八九]|\d{1,2}|\b(?:both|two|three|four|five|six)\b")
_NUMBERS: Final = {
    **{each: at for at, each in enumerate("一二三四五六七八九十", 1)},
    **{each: at for at, each in enumerate(("first", "second", "third", "fourth", "fifth"), 1)},
    **{each: at for at, each in enumerate(("two", "three", "four", "five", "six"), 2)},
    **{"两": 2, "俩": 2, "both": 2, "sixth": 6, "former": 1, "latter": -1, "last": -1, "final": -1},
}


@dataclass(frozen=True, slots=True)
class Reference:
    """What words stand for; *is_clear* is false if it could be any one of the hosts."""

    meant: Meant
    is_clear: bool = True


@dataclass(frozen=True, slots=True)
class _Scene:
    """The plain text, the hosts talked about (the current one first), those of the session."""

    text: str
    recent: tuple[str, ...]
    hosts: tuple[Host, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(host.name for host in self.hosts)

    @property
    def current(self) -> str:
        return self.recent[0] if self.recent else self.names[0] if len(self.hosts) == 1 else ""

    @property
    def others(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name != self.current)


@dataclass(frozen=True, slots=True)
class _Pointed:
    """Where words point and at what: all of the hosts if *every*, else at one of them.

    With *asks* an ellipsis that could mean several is worth a question.
    """

    place: re.Match[str]
    hosts: tuple[str, ...]
    every: bool = False
    asks: bool = True


def resolve(
    text: str, recent: Sequence[str], hosts: Sequence[Host], *, answers: bool = False
) -> Reference | None:
    """Return the hosts that *text* means, None if it points at none.

    *recent* are the hosts talked about, the current one first; *hosts* those of the session.
    With *answers* the text chooses among *hosts*, and fewer words point.
    """
    if len(text) > MAX_CHARS or not hosts:
        return None
    known = {host.name for host in hosts}
    scene = _Scene(
        spelling.plain(_QUOTED.sub(" ", text)),
        tuple(name for name in recent if name in known),
        tuple(hosts),
    )
    pointed = (_answer(scene) if answers else None) or _pointed(scene)
    return _judged(scene, pointed, answers=answers) if pointed and pointed.hosts else None


def another(name: str, recent: Sequence[str], hosts: Sequence[Host]) -> Reference | None:
    """Return what is meant by one who says that it is not the host *name*."""
    known = {host.name for host in hosts}
    spoken = tuple(each for each in recent if each in known and each != name)
    others = _other(_Scene("", (name, *spoken), tuple(hosts)))
    return Reference(Meant(name, others), is_clear=len(others) == 1) if others else None


def question(meant: Meant, language: Language) -> Asked:
    """Return what is asked when *meant* could be any of several hosts."""
    if language == "zh":
        return Asked(f"“{meant.words}”指的是哪一台主机？", meant.hosts[:MAX_CHOICES])
    return Asked(f'Which host do you mean by "{meant.words}"?', meant.hosts[:MAX_CHOICES])


def _judged(scene: _Scene, pointed: _Pointed, *, answers: bool) -> Reference | None:
    """Take what is clear; what is not is worth a question only in an ellipsis."""
    beside = scene.text[: pointed.place.start()] + " " + scene.text[pointed.place.end() :]
    left = pointing.weight(beside)
    if left and pointing.says("speaking", beside):
        return None
    meant = Meant(pointed.place[0].strip(), pointed.hosts)
    if pointed.every or len(pointed.hosts) == 1:
        return Reference(meant)
    if answers or (pointed.asks and left <= ELLIPSIS_WEIGHT):
        return Reference(meant, is_clear=False)
    return None


# --- the kinds of pointing ----------------------------------------------------------------


def _pointed(scene: _Scene) -> _Pointed | None:
    """Return what the message points at; "not this one" alone points at the other."""
    wrong = pointing.found("not_this", scene.text)
    if wrong:
        scene = replace(scene, text=_blanked(scene.text, wrong))
    found = _of_a_kind(scene) or _by_place(scene)
    if found is None and wrong:
        return _Pointed(wrong, _other(scene))
    return found


def _by_place(scene: _Scene) -> _Pointed | None:
    for kind, hosts, every in _KINDS:
        place = pointing.found(kind, scene.text)
        while place and pointing.is_negated(scene.text, place.start()):
            scene = replace(scene, text=_blanked(scene.text, place))
            place = pointing.found(kind, scene.text)
        if place and not pointing.is_of_a_class(scene.text[: place.start()]):
            return _Pointed(place, hosts(scene, place), every=every)
    return None


def _blanked(text: str, place: re.Match[str]) -> str:
    return text[: place.start()] + " " * len(place[0]) + text[place.end() :]


def _every(scene: _Scene, place: re.Match[str]) -> tuple[str, ...]:
    """Return all hosts, or as many of those talked about as are counted."""
    count = _count(place[0])
    if not count:
        these = place[0].startswith(("这", "那", "these", "those", "它", "他"))
        return scene.recent if these and len(scene.recent) > 1 else scene.names
    if len(scene.recent) == count or (len(scene.recent) > count < len(scene.names)):
        return scene.recent[:count]
    return scene.names if len(scene.names) == count else ()


def _rest(scene: _Scene, place: re.Match[str]) -> tuple[str, ...]:
    """Return the hosts not talked about, or all but the current one; as many as are counted."""
    count = _count(place[0])
    unspoken = tuple(name for name in scene.names if name not in scene.recent)
    ways = (unspoken, scene.others, scene.recent[1:])
    fits = (way for way in ways if way and (not count or len(way) == count))
    return next(fits, ())


def _count(words: str) -> int:
    found = _COUNT.search(words)
    if not found:
        return 0
    return int(found[0]) if found[0].isdigit() else _NUMBERS[found[0]]


def _other(scene: _Scene, _: re.Match[str] | None = None) -> tuple[str, ...]:
    """Return the one other host, or the one that was talked about, or all others."""
    spoken = scene.recent[1:]
    return spoken if len(spoken) == 1 else scene.others


def _previous(scene: _Scene, _: re.Match[str]) -> tuple[str, ...]:
    return scene.recent[1:2] or scene.others


def _just_now(scene: _Scene, _: re.Match[str]) -> tuple[str, ...]:
    return scene.recent[:1] or scene.names


def _next(scene: _Scene, _: re.Match[str]) -> tuple[str, ...]:
    at = scene.names.index(scene.current) if scene.current else -1
    return scene.names[at + 1 : at + 2]


def _ordinal(scene: _Scene, place: re.Match[str]) -> tuple[str, ...]:
    told = {name: word for name, word in place.groupdict().items() if word}
    word = next(iter(told.values()), "")
    if "zh_last" in told or "zh_last2" in told:
        return scene.names[-1:]
    if "zh_first" in told:
        return scene.names[:1]
    number = int(word.rstrip("strdnh")) if word[:1].isdigit() else _NUMBERS.get(word, 0)
    if number == -1:
        return scene.names[-1:]
    return scene.names[number - 1 : number] if number else ()


def _that(scene: _Scene, place: re.Match[str]) -> tuple[str, ...]:
    """Return the host talked about; in contrast ("and that one?") not the current one."""
    beside = scene.text[: place.start()] + scene.text[place.end() :]
    if scene.recent and not pointing.weight(beside) and scene.others:
        return _other(scene)
    return scene.recent or scene.names


def _this(scene: _Scene, _: re.Match[str]) -> tuple[str, ...]:
    return (scene.current,) if scene.current else scene.names


_Find = Callable[[_Scene, re.Match[str]], tuple[str, ...]]
_KINDS: Final[tuple[tuple[str, _Find, bool], ...]] = (
    ("every", _every, True),
    ("rest", _rest, True),
    ("other", _other, False),
    ("previous", _previous, False),
    ("just_now", _just_now, False),
    ("next", _next, False),
    ("ordinal", _ordinal, False),
    ("that", _that, False),
    ("this", _this, False),
)


# --- by a word for a class of machines ----------------------------------------------------


def _of_a_kind(scene: _Scene) -> _Pointed | None:
    """Return what "the staging one", "db 的那几台" and their like point at."""
    for word, names in _classes(scene.hosts):
        if word not in scene.text:
            continue
        for kind in ("few_of_a_kind", "other_of_a_kind", "one_of_a_kind", "named_after_its_kind"):
            place = pointing.found_of(kind, word, scene.text)
            if place and not pointing.is_negated(scene.text, place.start()):
                return _picked(scene, kind, place, names)
    return None


def _picked(
    scene: _Scene, kind: str, place: re.Match[str], names: tuple[str, ...]
) -> _Pointed | None:
    if kind == "few_of_a_kind":
        return _Pointed(place, names, every=True)
    if kind == "other_of_a_kind":
        return _Pointed(place, tuple(name for name in names if name != scene.current))
    by_its_name = kind == "named_after_its_kind"
    if by_its_name and len(names) != 1:
        return None  # "the web server" of several is a program or all of them: no ellipsis
    return _Pointed(place, names, asks=not by_its_name)


def _classes(hosts: Sequence[Host]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the words for classes of these hosts, the longest first, with their hosts."""
    by_word: dict[str, list[str]] = {}
    for host in hosts:
        for word in pointing.classes(host):
            by_word.setdefault(word, []).append(host.name)
    ranked = sorted(by_word.items(), key=lambda each: (-len(each[0]), each[0]))
    return [(word, tuple(names)) for word, names in ranked]


# --- answers ------------------------------------------------------------------------------


def _answer(scene: _Scene) -> _Pointed | None:
    """Return what an answer chooses among the hosts that were offered."""
    place = pointing.found("answer_all", scene.text)
    if place:
        return _Pointed(place, scene.names, every=True)
    place = pointing.found("answer", scene.text)
    if place:
        return _Pointed(place, _ordinal(scene, place))
    for word, names in _classes(scene.hosts):
        place = pointing.found_of("bare_kind", word, scene.text)
        if place:
            return _Pointed(place, names)
    return None
