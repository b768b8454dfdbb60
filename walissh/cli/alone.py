"""What a turn of ``walissh check`` works with: there is no model, and nobody to ask.

It leaves out what only a talk with a model needs and what costs a short-lived process much:
reading what a message is meant to do, and counting tokens.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from walissh.brain.run_playbook import OnlyPlaybooks
from walissh.errors import ShellError, TurnCancelledError
from walissh.react import offered
from walissh.react.followed import Intended, Intent
from walissh.react.gauge import Window
from walissh.react.misled import Sign
from walissh.react.needs import Shell
from walissh.react.prompt import Built, Prompt
from walissh.react.turn import DynamicContext, Exit, Message, Reply, Request
from walissh.react.window.values import Fitted

CONTACT: Final = frozenset({"resolve", "connect", "host_key", "authenticate"})
"""Phases in which a host is lost to all further commands."""


@dataclass(slots=True)
class OneContact:
    """A `react.needs.Shell` that does not try again to reach a host that it could not reach.

    *lost* is why it could not. Once *stop* is set nothing more is run.
    """

    shell: Shell
    stop: threading.Event
    lost: ShellError | None = None

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
    ) -> Exit:
        """Run *command* as ever (`react.needs.Shell`)."""
        if self.lost is not None:
            raise ShellError(str(self.lost), host=self.lost.host, phase=self.lost.phase)
        if self.stop.is_set():
            return Exit(None, "cancelled")
        try:
            return self.shell.run(
                run_id,
                host_id,
                command,
                limit_s=limit_s,
                on_output=on_output,
                cancelled=lambda: self.stop.is_set() or cancelled(),
                revision=revision,
            )
        except ShellError as error:
            if error.phase in CONTACT and not error.started:
                self.lost = error
            raise

    def check(self, host_id: str) -> None:
        """Make contact as ever."""
        self.shell.check(host_id)


@dataclass(slots=True)
class Stoppable:
    """A `react.needs.Model` that has its turn cancelled once *stop* is set."""

    model: OnlyPlaybooks
    stop: threading.Event
    cancel: Callable[[], object] = field(default=lambda: None)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(
        self,
        request: Request,
        *,
        on_text: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> Reply:
        """Answer as the model does."""
        if self.stop.is_set():
            self.cancel()
            raise TurnCancelledError("The check was stopped.")
        return self.model.complete(request, on_text=on_text, cancelled=cancelled)


class OnlyDiagnosis:
    """A `react.needs.Understanding` that takes every question for one about what is wrong."""

    def intent_of(self, context: DynamicContext) -> Intended:
        """Return what our own question is meant to do."""
        return Intended(Intent.DIAGNOSE, 1.0, "rule", "check")

    def misled(self, turn_id: str, sign: Sign) -> None:
        """Learn nothing."""


class WholeTurn(Prompt):
    """A `react.prompt.Prompt` that sends all of the turn as it is: nobody counts tokens."""

    def build(self, context: DynamicContext, window: Window, *, wrap_up: bool = False) -> Built:
        """Return the messages of the turn, with the tool of playbooks while it is there."""
        request = Request(
            messages=(Message("system", ""), *context.history),
            tools=() if wrap_up else (offered.RUN_COMMAND,),
            hosts=tuple(host.name for host in context.hosts),
            language=context.turn.language,
        )
        fitted = Fitted(request.messages, (), context.summary, "", 0)
        return Built(request, (), fitted, 0)
