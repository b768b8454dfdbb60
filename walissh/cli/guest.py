"""The installation as a talk sees it that must leave no trace there: it is read only.

All of it is asked in the installation's own context, whatever the present one is.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from walissh.errors import ShellError, StoreError

if TYPE_CHECKING:  # loaded when it is needed: `walissh --help` looks at every command
    from flask import Flask

    from walissh.memory.entry import Proposed, Recollection
    from walissh.react.circumstances import Circumstances
    from walissh.react.gauge import Learned
    from walissh.react.host import Endpoint, Host, HostKey
    from walissh.react.needs import Commands, Shell
    from walissh.react.turn import CommandRun, DynamicContext, Exit, Message, Session, Turn

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Inventory:
    """The hosts of the installation, with their secrets; nothing is written.

    Satisfies `react.needs.Hosts` and `ssh.hosts.Endpoints`.
    """

    app: "Flask"

    def within_reach(self, owner_id: str) -> "list[Host]":
        """Return this person's servers by name."""
        from walissh.store import hosts

        with self.app.app_context():
            return hosts.within_reach(owner_id)

    def of_session(self, session: "Session") -> "list[Host]":
        """Return the session's hosts that are within its owner's reach."""
        from walissh.store import hosts

        with self.app.app_context():
            return hosts.of_session(session)

    def get(self, host_id: str, owner_id: str) -> "Host | None":
        """Return the host if it is within this person's reach."""
        from walissh.store import hosts

        with self.app.app_context():
            return hosts.get(host_id, owner_id)

    def endpoint(self, host_id: str) -> "Endpoint":
        """Return how to log in, hops and plain secrets included."""
        from walissh.store import hosts

        with self.app.app_context():
            return hosts.endpoint(host_id)

    def record_check(self, host_id: str, error: ShellError | None) -> None:
        """Keep nothing of how the contact went."""

    def remember_seen_key(self, host_id: str, key: "HostKey") -> None:
        """Keep nothing: an unknown key is met again by ``walissh host test``."""

    def meet_machine(self, host: "Host", told: str) -> str | None:
        """Return the id by which the host is known; a first one passes and is not kept."""
        return host.machine_id or told

    def sudo_password(self, host_id: str, run_id: str) -> str | None:
        """Return the password of the host, if there is one."""
        from walissh.store import hosts

        with self.app.app_context():
            return hosts.sudo_password(host_id, run_id)


@dataclass(frozen=True, slots=True)
class WitnessedShell:
    """The road to the hosts, with each command in the installation's audit trail.

    What cannot be written there does not run.
    """

    shell: "Shell"
    app: "Flask"
    commands: "Commands"

    def run(
        self,
        run_id: str,
        host_id: str,
        command: str,
        *,
        limit_s: int,
        on_output: Callable[[str], None],
        cancelled: Callable[[], bool],
        revision: int | None = None,
    ) -> "Exit":
        """Run *command* as ever, witnessed before and after."""
        run = self.commands.get(run_id)
        if run is None:
            raise ShellError("Its talk is gone. Nothing was run.", host=host_id, phase="run")
        self._begin(run)
        try:
            ended = self.shell.run(
                run_id,
                host_id,
                command,
                limit_s=limit_s,
                on_output=on_output,
                cancelled=cancelled,
                revision=revision,
            )
        except ShellError as error:
            self._end(run, "unknown" if error.started else "failed", phase=error.phase)
            raise
        what = "cancelled" if ended.ended_by == "cancelled" else "finished"
        self._end(run, what, exit_code=ended.exit_code)
        return ended

    def check(self, host_id: str) -> None:
        """Connect, verify the key, log in, run ``true``."""
        self.shell.check(host_id)

    def _begin(self, run: "CommandRun") -> None:
        from walissh.store import witness

        try:
            with self.app.app_context():
                witness.note(run, "running", decided_by=run.decided_by)
        except StoreError as error:
            raise ShellError(
                f"{run.host}: the audit trail cannot be written: {error} Nothing was run. See:"
                " walissh doctor",
                host=run.host,
                phase="run",
            ) from error

    def _end(self, run: "CommandRun", what: str, **facts: object) -> None:
        from walissh.store import witness

        try:
            with self.app.app_context():
                witness.note(run, what, **facts)
        except StoreError as error:
            # that it ran stands there already, and what it printed must not be lost for this
            logger.warning("the end of a command is not in the audit trail: %s", error)


@dataclass(frozen=True, slots=True)
class GuestCircumstances:
    """The person's role and rules as the installation has them, the outputs as the talk has."""

    app: "Flask"

    def of_turn(self, turn: "Turn", session: "Session") -> "Circumstances":
        """Return who asks, in what kind of session, and the rules that are in force now."""
        from walissh.store import circumstances

        flagged = circumstances.is_flagged(session.id)
        with self.app.app_context():
            return replace(circumstances.of_turn(turn, session), flagged=flagged)


@dataclass(frozen=True, slots=True)
class KnownLessons:
    """What was known of the model at the start, with nothing added (`react.gauge.Lessons`)."""

    known: "Learned"

    def of_model(self, model: str) -> "Learned":
        """Return what is known of the model."""
        return self.known

    def keep(self, model: str, learned: "Learned") -> None:
        """Keep nothing."""


@dataclass(frozen=True, slots=True)
class NoMemory:
    """A mind that learns nothing and recalls nothing (`react.needs.Mind`).

    Core memory is read: it holds what the person set by hand, their standing rules too.
    """

    app: "Flask"

    def prepare(self, context: "DynamicContext") -> "DynamicContext":
        """Return *context* with core memory."""
        from walissh.store import core_memory

        try:
            with self.app.app_context():
                return replace(context, core=tuple(core_memory.current(context.turn.user_id)))
        except StoreError as error:
            logger.warning("core memory was not read: %s", error)
            return context

    def is_outdated(self, turn: "Turn", given: "Recollection | None" = None) -> bool:
        """Tell that nothing it was given changes."""
        return False

    def remember(self, context: "DynamicContext", proposal: "Proposed", host: str) -> str:
        """Refuse what the model proposes."""
        return "[not kept: this talk is ephemeral]"

    def confirmed(self, turn: "Turn") -> None:
        """Keep no case."""

    def search(self, user_id: str, query: str) -> "Sequence[Message]":
        """Find nothing: other talks are memory as well."""
        return []

    def with_sources(self, context: "DynamicContext", answer: str) -> str:
        """Return *answer* as it is."""
        return answer

    def track(self, run: "CommandRun") -> None:
        """Note nothing."""

    def release(self, turn: "Turn") -> None:
        """Forget nothing: nothing is kept."""

    def credit(self, turn: "Turn") -> None:
        """Count nothing."""

    def tidy(self) -> None:
        """Forget nothing: nothing is kept."""

    def learn(self, turn_id: str) -> bool:
        """Learn nothing, and be done."""
        return True
