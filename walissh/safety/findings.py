"""What is found of a command: risks in their order, findings, and the reasons in words."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from walissh.react.turn import SEVERITY, Language, Risk
from walissh.safety import lists
from walissh.safety.table import GLOB, UNKNOWN

MAX_SHOWN = 80
MAX_REASONS = 8


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, as a *code* of ``reasons.yaml`` and the parts of the command that decided."""

    code: str
    args: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Keep long parts short: reasons are shown, and cached by the thousand."""
        object.__setattr__(self, "args", tuple(_shorten(arg) for arg in self.args))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a command may do; *interactive*: it never ends or wants a terminal.

    *exposes*: a part of it shows credentials, whatever else it does: its output is withheld.
    """

    risk: Risk
    interactive: bool
    reasons: tuple[Reason, ...]
    exposes: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One part's contribution; *ends*: a time limit around it would end it."""

    risk: Risk
    reason: Reason | None = None
    interactive: bool = False
    ends: bool = False


def reason_text(reason: Reason, language: Language) -> str:
    """Return *reason* as a sentence."""
    return _texts()[reason.code][language].format(*reason.args, "", "")


def combine(findings: Iterable[Finding]) -> Judgement:
    """Return all *findings* in one: the worst of them decides."""
    found = list(findings)
    risk = max((each.risk for each in found), key=SEVERITY.index, default=Risk.READ_ONLY)
    deciding = [
        each.reason
        for each in found
        if each.reason and (each.interactive or (each.risk is risk and risk is not Risk.READ_ONLY))
    ]
    shows = [each.reason for each in found if each.risk is Risk.SECRET_EXPOSURE and each.reason]
    if risk is not Risk.SECRET_EXPOSURE:
        deciding = [*deciding[: MAX_REASONS - 1], *shows[:1]]
    reasons = tuple(dict.fromkeys(deciding))[:MAX_REASONS] or (Reason("read_only"),)
    exposes = any(each.risk is Risk.SECRET_EXPOSURE for each in found)
    return Judgement(risk, any(each.interactive for each in found), reasons, exposes)


@cache
def _texts() -> dict[str, dict[str, str]]:
    texts: dict[str, dict[str, str]] = lists.load("walissh.safety", "reasons.yaml")
    return texts


def _shorten(arg: str) -> str:
    arg = arg.replace(UNKNOWN, "…").replace(GLOB, "")
    return arg if len(arg) <= MAX_SHOWN else arg[: MAX_SHOWN - 1] + "…"
