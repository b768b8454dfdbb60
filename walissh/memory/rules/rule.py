"""A standing rule, and whether a command falls under it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Literal

from walissh.memory.rules import deeds, hours, places
from walissh.memory.rules.hours import Window


class Effect(StrEnum):
    """What a rule asks of a command that falls under it."""

    NEVER = "never"
    ASK = "ask"
    ONLY_READ = "only_read"


@dataclass(frozen=True, slots=True)
class Target:
    """What the command would be done to: a program by *name*, a path, a thing, a command."""

    kind: Literal["name", "path", "thing", "command"]
    name: str


@dataclass(frozen=True, slots=True)
class StandingRule:
    """A line of the person that can be checked.

    *actions* are canonical verbs; () with `ONLY_READ`. No targets: whatever it is done to.
    No hosts: every host but *excepted*. No windows: always; with *outside*, except in them.
    Minutes and days are those of *zone*.
    """

    text: str
    effect: Effect
    actions: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    hosts: tuple[str, ...] = ()
    excepted: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    outside: bool = False
    zone: str = "UTC"

    def applies(
        self,
        command: str,
        host: str,
        groups: Sequence[str] = (),
        at: datetime | None = None,
        read_only: bool = False,
    ) -> bool:
        """Tell whether *command* on *host* falls under the rule at the instant *at*.

        *groups* are those of the host, with its stage among them. *read_only* is the gate's
        word. What the command does is told from its text; in doubt the rule applies.
        Without *at* the hours are not looked at.
        """
        if not self.concerns(host, groups) or (at is not None and not self.holds(at)):
            return False
        if self.effect is Effect.ONLY_READ:
            return not read_only
        return any(
            deeds.does(command, action, self.targets, read_only=read_only)
            for action in self.actions
        )

    def concerns(self, host: str, groups: Sequence[str] = ()) -> bool:
        """Tell whether the rule speaks of this host."""
        if self.excepted and places.matches(self.excepted, host, groups):
            return False
        return not self.hosts or places.matches(self.hosts, host, groups)

    def holds(self, at: datetime) -> bool:
        """Tell whether the rule holds at this instant; an unknown zone counts as UTC."""
        if not self.windows:
            return True
        there = at.astimezone(hours.zone_of(self.zone) or UTC)
        return any(window.holds(there) for window in self.windows) is not self.outside
