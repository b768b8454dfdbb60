"""Which rules of the gate fit a command; what may be allowed is read narrowly, the rest widely."""

import fnmatch
import re
from collections.abc import Iterator, Sequence

from walissh.react.circumstances import (
    Circumstances,
    GateRule,
    is_another_machine,
    is_of,
)
from walissh.react.host import Host
from walissh.react.turn import Decision, Risk
from walissh.safety import risk, shell, wrap
from walissh.safety.risk import Judgement
from walissh.safety.table import UNKNOWN
from walissh.safety.words import SEVERAL

ANY = "*"
"""Stands for one word of a command."""

NEVER_ALLOWED = frozenset({Risk.DESTRUCTIVE, Risk.SECRET_EXPOSURE, Risk.OPAQUE})
"""What no rule lets through unasked."""

_BLANKS = re.compile(r"[ \t]+")
_ONE_WORD = re.compile(r"(?!-)[\w@%+=:,./-]+")
_GLOB = re.compile(r"[*?\[]")
_SIGNS = re.compile(r"[\s;|&()<>`\"'{}$]+")


def allowing(
    command: str, host: Host, judgement: Judgement, circumstances: Circumstances
) -> GateRule | None:
    """Return a rule that lets *command* run unasked, None if it must not or none does."""
    if judgement.interactive or judgement.exposes or judgement.risk in NEVER_ALLOWED:
        return None
    if circumstances.flagged or circumstances.read_only_session:
        return None
    fitting = _fitting(Decision.ALLOW, command, host, judgement, circumstances)
    return next(fitting, None)


def against(
    decision: Decision, command: str, host: Host, judgement: Judgement, circumstances: Circumstances
) -> Iterator[GateRule]:
    """Give the rules by which *command* is asked for, or refused."""
    return _fitting(decision, command, host, judgement, circumstances)


def _fitting(
    decision: Decision, command: str, host: Host, judgement: Judgement, circumstances: Circumstances
) -> Iterator[GateRule]:
    for rule in circumstances.rules:
        if (
            rule.decision == decision
            and rule.risk in ("", judgement.risk)
            and rule.role in ("", circumstances.role)
            and _is_there(rule, host)
            and _speaks_of(rule, command)
        ):
            yield rule


def _is_there(rule: GateRule, host: Host) -> bool:
    if rule.group and not in_group(host, rule.group):
        return False
    if not rule.host_id:
        return rule.decision != Decision.ALLOW or not is_another_machine(host)
    if rule.host_id != host.id:
        return False
    # what forbids goes on forbidding on a rebuilt machine, what allows does not
    return rule.decision != Decision.ALLOW or (
        is_of(rule.host_identity, host) and not is_another_machine(host)
    )


def in_group(host: Host, group: str) -> bool:
    """Tell whether *group* is one of the host's groups or its stage."""
    return group.casefold() in {each.casefold() for each in (*host.groups, host.stage) if each}


def _speaks_of(rule: GateRule, command: str) -> bool:
    if not rule.command or rule.command.strip() == command.strip():
        return True
    if rule.decision == Decision.ALLOW:
        return is_pattern(rule.command) and _fills(rule.command, command)
    return _mentions(rule.command.split(), command)


# --- words of a command ---------------------------------------------------------------


def is_pattern(command: str) -> bool:
    """Tell whether a word of *command* stands for any other."""
    return ANY in command.split()


def leaves_program_open(command: str) -> bool:
    """Tell whether a pattern says not even which program is run, as ``sudo *`` does."""
    words = tuple(command.split())
    if not words or words[0] == ANY or shell.parse(command).fault:
        return True
    inside = wrap.unwrap(words)
    if inside and ANY in inside.script.split():
        return True
    return ANY in _programs(command)


def _programs(command: str) -> list[str]:
    """Return the first word of each simple command in *command*, those inside wrappers too."""
    return [text.partition(" ")[0] for text in risk.simple_texts(command)]


def _fills(pattern: str, command: str) -> bool:
    """Tell whether *command* is *pattern* with plain words, no options, for its stars.

    What is run is what the pattern names: no word may make another program of it.
    """
    wanted, given = pattern.split(), _BLANKS.split(command.strip())
    if len(wanted) != len(given):
        return False
    fits = all(
        word == want or (want == ANY and _ONE_WORD.fullmatch(word))
        for want, word in zip(wanted, given, strict=True)
    )
    return fits and not leaves_program_open(pattern) and _programs(pattern) == _programs(command)


def _mentions(wanted: Sequence[str], command: str) -> bool:
    """Tell whether some part of *command* is what is meant, other words between or not."""
    if shell.parse(command).fault:
        words = [each for each in _SIGNS.split(command) if each]
        return any(_in_order(wanted, words[start:]) for start in range(len(words)))
    return any(_in_order(wanted, text.split()) for text in risk.simple_texts(command))


def _in_order(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Tell whether *words* begin with the program wanted and may hold the rest in order."""
    if not words or not (_is_word(wanted[0], words[0]) or _may_be(words[0], wanted[0])):
        return False
    return _may_hold(wanted[1:], words[1:]) or SEVERAL in words[0]


def _may_hold(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Tell whether *wanted* are among *words* in order; one word may stand for several."""
    at = 0
    for word in words:
        if at == len(wanted) or SEVERAL in word:
            return True
        if _is_word(wanted[at], word):
            at += 1
        while at < len(wanted) and _may_be(word, wanted[at]):
            at += 1
    return at == len(wanted)


def _is_word(want: str, word: str) -> bool:
    return want in (ANY, word, word.rpartition("/")[2]) or UNKNOWN in word


def _may_be(word: str, want: str) -> bool:
    """Tell whether a pattern of files becomes *want*, and perhaps more, when it is run."""
    return bool(_GLOB.search(word)) and fnmatch.fnmatchcase(want, word)
