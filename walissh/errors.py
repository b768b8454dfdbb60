"""The one family of errors; the class names the fact, attributes carry data.

A message is a sentence for a person: what happened, where, what to do next. Drivers
translate foreign errors into these with ``raise ... from error``; the edges (web, jobs,
command line) map them once.
"""


class WalisshError(Exception):
    """Something that WaLiSSH can tell a person about in one sentence."""


class SettingsError(WalisshError):
    """A setting is unknown or malformed; the start stops with this line."""


class StartError(WalisshError):
    """A part could not be started (port taken, home not writable, second instance)."""


class StoreError(WalisshError):
    """The database could not be reached or refused a write."""


class StoreRefusedError(StoreError):
    """The database is there and will never take this: trying again cannot help."""


class SealError(StoreError):
    """A stored secret was sealed with another key than the present one."""


class QueueError(WalisshError):
    """Redis could not be reached; the work is saved and is queued later."""


class NotFoundError(WalisshError):
    """The thing is not there, or belongs to another person: the two look alike."""


class ConflictError(WalisshError):
    """The thing is no longer in the state that the request needs."""


class InvalidError(WalisshError):
    """Input from a person breaks a rule; *field* names the place, "" if none."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class TalkFileError(InvalidError):
    """A message or a file of messages cannot be kept or read; told at a terminal only."""


class TalkFileBusyError(ConflictError):
    """Another process writes the file, or the message is in it; told at a terminal only."""


class DeniedError(WalisshError):
    """Sign-in failed, or the token does not allow this."""


class ShellError(WalisshError):
    """A command could not be run on its host.

    *phase* is one of resolve, connect, host_key, authenticate, open_channel, run, sudo.
    *started* is true when the command may have begun: its outcome is then unknown.
    """

    def __init__(self, message: str, *, host: str, phase: str, started: bool = False) -> None:
        super().__init__(message)
        self.host = host
        self.phase = phase
        self.started = started


class HostKeyUnknownError(ShellError):
    """First contact: nobody has trusted this host key yet."""

    def __init__(self, message: str, *, host: str, fingerprint: str) -> None:
        super().__init__(message, host=host, phase="host_key")
        self.fingerprint = fingerprint


class HostKeyChangedError(ShellError):
    """The host shows another key than the trusted one; nothing was run."""

    def __init__(self, message: str, *, host: str, trusted: str, seen: str) -> None:
        super().__init__(message, host=host, phase="host_key")
        self.trusted = trusted
        self.seen = seen


class MachineChangedError(ShellError):
    """Another machine answers under the trusted key; nothing was run.

    *known* and *seen* are ids of machines, *seen* is "" if it tells none.
    """

    def __init__(self, message: str, *, host: str, known: str, seen: str) -> None:
        super().__init__(message, host=host, phase="host_key")
        self.known = known
        self.seen = seen


class ModelError(WalisshError):
    """The model gave no usable reply; *partial* is the text that had come."""

    def __init__(self, message: str, *, partial: str = "") -> None:
        super().__init__(message)
        self.partial = partial


class ModelBusyError(ModelError):
    """Worth another try after *retry_after_s* seconds (None: the caller decides).

    Rate limits, 5xx, refused or dropped connections, a stream closed without an end.
    """

    def __init__(
        self, message: str, *, retry_after_s: float | None = None, partial: str = ""
    ) -> None:
        super().__init__(message, partial=partial)
        self.retry_after_s = retry_after_s


class ModelRefusedError(ModelError):
    """The request itself is refused (401, 403, 404, 400): trying again cannot help."""


class ContextTooLongError(ModelError):
    """The request does not fit the model's window; *window_tokens* is its size, if named."""

    def __init__(
        self, message: str, *, window_tokens: int | None = None, partial: str = ""
    ) -> None:
        super().__init__(message, partial=partial)
        self.window_tokens = window_tokens


class BadPlanError(WalisshError):
    """A plan that the model wrote cannot be read; the text goes back to it."""


class TurnCancelledError(WalisshError):
    """The person stopped the turn while a step was under way."""
