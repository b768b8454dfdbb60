"""One clause of a standing rule, English or Chinese, made into a rule that can be checked.

Everything in the clause must be understood: hours and places are taken out first, then the
effect and the verb, and what is left must name targets. A condition, a story or a question
leaves words over, and such a clause is not made into a rule.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from walissh.memory.rules import chinese, english, hours, places, targets
from walissh.memory.rules.rule import Effect, StandingRule, Target

Why = Literal["no_effect", "no_action", "not_understood", "zone"]


@dataclass(frozen=True, slots=True)
class Said:
    """What a language's grammar found: effect, verbs, and the words for what they are done to.

    *only* means that the verbs are allowed in the hours named, and never else.
    """

    effect: Effect
    actions: tuple[str, ...]
    about: str
    only: bool = False


class NotUnderstoodError(ValueError):
    """The clause cannot be made into a rule; *why* and the words in question say so."""

    def __init__(self, why: Why, words: str = "") -> None:
        super().__init__(why, words)
        self.why: Why = why
        self.words = words


def read(clause: str, *, zone: str, known: frozenset[str]) -> StandingRule:
    """Return the rule; raises NotUnderstoodError."""
    if _QUESTION.search(clause) or _STORY.search(clause):
        raise NotUnderstoodError("no_effect")
    time = hours.take(clause)
    if not time.known:
        raise NotUnderstoodError("zone", time.zone)
    place = places.take(time.rest, known)
    said = _said(" ".join(_EMPTY.sub(" ", place.rest).split()))
    if said.only and not time.windows:
        raise NotUnderstoodError("not_understood", said.about)
    rule = StandingRule(
        text=clause.strip(),
        effect=said.effect,
        actions=said.actions,
        hosts=place.hosts,
        excepted=place.excepted,
        windows=time.windows,
        outside=time.outside is not said.only,
        zone=time.zone or zone,
    )
    return _aimed(rule, said.about, known, named=place.named or bool(place.excepted))


_EMPTY = re.compile(r"[(（\[]\s*[)）\]]")
_QUESTION = re.compile(
    r"[?？]|吗\s*[。！!]?\s*$|呢\s*[。！!]?\s*$|\b(?:why|what|how|who|should (?:we|i)"
    r"|shall (?:we|i)"
    r"|can (?:we|i)"
    r"|did|does|is it|are (?:we|you)|do (?:we|you|i))\b|为什么|为啥|是不是|能不能|可不可以"
    r"|要不要|该不该|怎么",
    re.I,
)
_STORY = re.compile(
    r"\b(?:said|says|told|wrote|states|thinks?|i think|suppose|imagine|example|e\.g\.|just once"
    r"|this time|for now|for today|today|tonight|tomorrow|this (?:week|month|once|task|turn)"
    r"|right now)\b"
    r"|这次|本次|这一次|今天|今晚|明天|现在先|暂时|目前|临时|他说|她说|他们说|文档(?:里"
    r"|上)?[说写]|手册|例如|比如|假如|如果|要是|万一",
    re.I,
)


def _said(text: str) -> Said:
    found = chinese.read(text) if chinese.is_chinese(text) else english.read(text)
    if found is None:
        raise NotUnderstoodError("no_effect")
    if not found.actions and found.effect is not Effect.ONLY_READ:
        raise NotUnderstoodError("no_action", found.about)
    return Said(found.effect, found.actions, found.about, found.only)


def _aimed(rule: StandingRule, about: str, known: frozenset[str], *, named: bool) -> StandingRule:
    """Give the rule its targets; a host among them is where, not what."""
    runs = rule.actions == ("run",)
    found = targets.command(about) if runs else targets.read(about)
    if found is None:
        raise NotUnderstoodError("not_understood", about.strip())
    aims, hosts, whole = _told_apart(found, known)
    if rule.effect is Effect.ONLY_READ:
        return _read_only(rule, aims, hosts, named=named)
    rule = replace(rule, targets=aims, hosts=rule.hosts + hosts)
    if (hosts or whole) and not aims:
        rule = replace(rule, actions=tuple(dict.fromkeys(_of_machines(rule.actions))))
    return rule


def _told_apart(
    found: tuple[Target, ...], known: frozenset[str]
) -> tuple[tuple[Target, ...], tuple[str, ...], bool]:
    """Part what was read into targets and hosts; tell whether a whole machine is meant."""
    hosts = tuple(
        each.name
        for each in found
        if each.kind in ("name", "command") and places.looks_like_host(each.name, known)
    )
    machine = Target("thing", "machine")
    aims = tuple(each for each in found if each.name not in hosts and each != machine)
    return aims, hosts, machine in found


def _of_machines(actions: tuple[str, ...]) -> Iterator[str]:
    """Say what the verbs mean of a machine: who restarts web1 reboots it."""
    for action in actions:
        yield "reboot" if action in ("restart", "stop", "start", "kill") else action


def _read_only(
    rule: StandingRule, aims: tuple[Target, ...], hosts: tuple[str, ...], *, named: bool
) -> StandingRule:
    names = tuple(each.name for each in aims if each.kind in ("name", "command"))
    others = tuple(each for each in aims if each.kind not in ("name", "command"))
    if others and names:
        raise NotUnderstoodError("not_understood", names[0])
    if others:
        return replace(rule, effect=Effect.NEVER, actions=("change",), targets=others)
    if names and named:  # "mysql is read-only on db1"
        aims = tuple(Target("name", name) for name in names)
        return replace(rule, effect=Effect.NEVER, actions=("change",), targets=aims)
    return replace(rule, hosts=rule.hosts + hosts + names)
