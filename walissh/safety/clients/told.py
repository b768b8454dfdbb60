"""What a client's arguments tell: the values that every module of this package hands back."""

from collections.abc import Iterable
from dataclasses import dataclass

from walissh.react.turn import SEVERITY, Risk

_ABOUT_WORKS = frozenset({"endless", "terminal"})
_ABOUT_PROGRAM = frozenset({"flag", "argument", "subcommand", "missing", "stdin", "no_terminal"})


@dataclass(frozen=True, slots=True)
class Told:
    """What one call of a client may do.

    *code* is a key of ``reasons.yaml`` and *word* the part that decided. *works*: the form
    that ends; *ends*: a time limit around it would end it. *shown*: files of this machine
    whose content leaves it or is printed.
    """

    risk: Risk
    interactive: bool = False
    code: str = "read_only"
    word: str = ""
    works: str = ""
    ends: bool = False
    shown: tuple[str, ...] = ()

    def args(self, program: str, text: str) -> tuple[str, ...]:
        """Return the parts of the sentence behind *code*; *text* is the whole command."""
        if self.code in _ABOUT_WORKS:
            return (program, self.works or f"timeout 10 {program}")
        if self.code in _ABOUT_PROGRAM:
            return (program, self.word)
        return (self.word or text,)


READS = Told(Risk.READ_ONLY)


def changes(word: str = "") -> Told:
    """Tell that *word* changes something."""
    return Told(Risk.MUTATING, code="mutating", word=word)


def destroys(word: str = "") -> Told:
    """Tell that *word* deletes data, stops a service or runs any program."""
    return Told(Risk.DESTRUCTIVE, code="destructive", word=word)


def exposes(word: str = "") -> Told:
    """Tell that *word* prints passwords or keys."""
    return Told(Risk.SECRET_EXPOSURE, code="secret_exposure", word=word)


def sends(word: str) -> Told:
    """Tell that *word* sends what this machine holds to another one."""
    return Told(Risk.SECRET_EXPOSURE, code="sends_away", word=word)


def unclear(code: str, word: str = "") -> Told:
    """Tell that the effect cannot be told from the text, and why."""
    return Told(Risk.OPAQUE, code=code, word=word)


def waits(works: str, *, risk: Risk = Risk.READ_ONLY, code: str = "terminal") -> Told:
    """Tell that it wants a person, or never ends; *works* is the form that does end."""
    return Told(risk, interactive=True, code=code, works=works, ends=True)


def of(risk: Risk, word: str = "") -> Told:
    """Tell the plain *risk* of *word*."""
    plain = {Risk.READ_ONLY: "read_only", Risk.OPAQUE: "statement"}
    return Told(risk, code=plain.get(risk, risk.value), word=word)


def severity(risk: Risk) -> int:
    """Return how far *risk* stands from safe."""
    return SEVERITY.index(risk)


def worst(told: Iterable[Told]) -> Told:
    """Return all of *told* in one: the highest risk, and whatever keeps it from ending."""
    parts = [*told, READS]
    top = max(parts, key=lambda each: severity(each.risk))
    waiting = next((each for each in parts if each.interactive), None)
    shown = tuple(dict.fromkeys(path for each in parts for path in each.shown))
    why = waiting if waiting and top.risk is Risk.READ_ONLY else top
    ends = all(each.ends for each in parts if each.interactive) and waiting is not None
    works = waiting.works if waiting else ""
    return Told(top.risk, waiting is not None, why.code, why.word, works, ends, shown)
