"""The Shell that the agent knows: one command on one host, over the pool."""

import codecs
import secrets
from collections.abc import Callable

from walissh.errors import NotFoundError, SealError, ShellError
from walissh.react.host import Endpoint, Host
from walissh.react.turn import Exit
from walissh.safety.placeholders import UNNUMBERED, Names
from walissh.ssh import dialect, identity, sudo
from walissh.ssh.command import Command, Order, Terms, seldom
from walissh.ssh.connect import UntrustedKeyError
from walissh.ssh.hosts import Endpoints
from walissh.ssh.pool import Pool
from walissh.ssh.remote import Started
from walissh.ssh.sudo import Answers

_CHECK_LIMIT_S = 20


class SshShell:
    """``react.needs.Shell`` over SSH: the only road to a host."""

    def __init__(
        self,
        pool: Pool,
        endpoints: Endpoints,
        output_limit_mb: int = 256,
        names_of: Callable[[str], Names] = lambda _: UNNUMBERED,
    ) -> None:
        self._pool = pool
        self._names_of = names_of
        self._endpoints = endpoints
        self._output_limit = output_limit_mb * 1024 * 1024

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
        """Run *command*, giving purified whole lines to *on_output* as they come.

        The limit counts from the start of the command; connecting has its own. With
        *revision*, only while the host is as it was then. Raises ShellError; ``started``
        tells whether the command may have begun.
        """
        names = self._names_of(run_id)
        order = Order(run_id, command, limit_s, on_output, cancelled, names)
        return self._run(host_id, order, revision)

    def check(self, host_id: str) -> None:
        """Connect anew, verify the key, log in, run ``true``; raises ShellError."""
        self._pool.retire(host_id)
        run_id = f"check-{secrets.token_hex(8)}"
        order = Order(run_id, "true", _CHECK_LIMIT_S, lambda _: None, lambda: False)
        result = self._run(host_id, order)
        if result.exit_code != 0:
            name = self._endpoint(host_id).host.name
            raise ShellError(
                f"{name}: the log-in works, but the command 'true' did not end well "
                f"({result.ended_by}, exit code {result.exit_code}). Check the login shell.",
                host=name,
                phase="run",
                started=True,
            )

    def _endpoint(self, host_id: str) -> Endpoint:
        try:
            return self._endpoints.endpoint(host_id)
        except NotFoundError as error:
            raise ShellError(
                f"The host {host_id} is not known any more. Nothing was run. Choose another "
                "host or add it again.",
                host=host_id,
                phase="resolve",
            ) from error
        except SealError as error:
            raise ShellError(
                f"{error} Nothing was run.", host=host_id, phase="authenticate"
            ) from error

    def _run(self, host_id: str, order: Order, revision: int | None = None) -> Exit:
        endpoint = self._endpoint(host_id)
        # asked of the very endpoint that is dialled: nothing can change in between
        if revision is not None and endpoint.host.revision != revision:
            raise identity.changed_since(endpoint.host)
        data = _encode(order.command, endpoint.host)
        terms = self._terms(endpoint.host, order)
        try:
            opened = self._pool.open_session(endpoint, gave_up=seldom(order.cancelled))
        except UntrustedKeyError as untrusted:
            self._endpoints.remember_seen_key(untrusted.host_id, untrusted.key)
            raise untrusted.error from None
        if opened is None:
            return Exit(None, "cancelled")
        link, channel = opened
        try:
            return Command(self._pool, link, channel, order, terms).to_the_end(data)
        finally:
            channel.close()
            link.give_back()

    def _terms(self, host: Host, order: Order) -> Terms:
        def admit(started: Started) -> None:
            identity.recognise(self._endpoints, host, started.machine_id)
            if not started.bash:
                dialect.refuse_other_meaning(host, order.command)

        return Terms(self._output_limit, admit, self._answers(host, order))

    def _answers(self, host: Host, order: Order) -> Answers | None:
        if not sudo.wants(order.command):
            return None
        try:
            password = self._endpoints.sudo_password(host.id, order.run_id)
        except SealError as error:
            raise ShellError(f"{error} Nothing was run.", host=host.name, phase="sudo") from error
        return Answers(host.name, password)


_SHELL_SIGNS = frozenset(b"\t\n !\"#$%&'()*;<=>?[\\]^`{|}~")


def _touches_shell(char: str, encoding: str) -> bool:
    """Tell whether a shell in another locale would read a part of *char* as syntax.

    The second byte of a GBK or Big5 character may be ``|`` or a backquote, so that what
    the gate judged as one word would run as two commands.
    """
    return not _SHELL_SIGNS.isdisjoint(char.encode(encoding, "replace"))


def _encode(command: str, host: Host) -> bytes:
    problem = ""
    if "\0" in command:
        problem = "it contains a NUL character"
    try:
        codecs.lookup(host.encoding)
        data = command.encode(host.encoding)
    except (LookupError, UnicodeEncodeError):
        problem = problem or f"it cannot be written in the host's encoding {host.encoding}"
    else:
        if any(_touches_shell(char, host.encoding) for char in command if not char.isascii()):
            problem = problem or (
                f"in the host's encoding {host.encoding} one of its characters holds a byte that "
                "a shell takes for a sign of its own"
            )
    if problem:
        raise ShellError(
            f"{host.name}: this command cannot be sent: {problem}. Nothing was run. Change "
            "the command, or the encoding on the host page.",
            host=host.name,
            phase="run",
        )
    return data
