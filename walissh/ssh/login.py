"""Logging in: the methods a host allows, tried in a fixed order."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import paramiko

from walissh.errors import InvalidError, ShellError
from walissh.react.host import Auth, Endpoint, Host
from walissh.ssh import keys

_MAX_AGENT_KEYS = 4  # a stock sshd hangs up after 6 failed tries

Prompt = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class _Step:
    """One thing to try: *method* in SSH's words, *label* in a person's."""

    method: str
    label: str
    attempt: Callable[[], Sequence[str]]


@dataclass(slots=True)
class _Record:
    """What happened so far; it becomes the error's sentence."""

    offered: list[str]
    tried: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)


def log_in(transport: paramiko.Transport, endpoint: Endpoint) -> None:
    """Authenticate *transport*, in several steps where the host wants them.

    Raises ShellError(phase="authenticate") that says what was tried and what the host
    offers.
    """
    host = endpoint.host
    record = _Record(_offers(transport, host))
    if transport.is_authenticated():
        return
    for step in _steps(transport, endpoint, record):
        if step.method not in record.offered:
            continue
        if not transport.is_active():
            break
        if _passes(step, record):
            return
    raise _refused(host, record)


def _offers(transport: paramiko.Transport, host: Host) -> list[str]:
    """Ask with the method ``none``, which hardly any host lets in."""
    try:
        transport.auth_none(host.user)
    except paramiko.BadAuthenticationType as answer:
        return list(answer.allowed_types)
    except (paramiko.SSHException, EOFError) as error:
        raise _fail(host, f"the host ended the log-in ({error})") from error
    return []


def _steps(transport: paramiko.Transport, endpoint: Endpoint, record: _Record) -> Iterator[_Step]:
    auth, user = endpoint.host.auth, endpoint.host.user
    if auth in (Auth.AUTO, Auth.KEY):
        yield from _stored_key(transport, endpoint)
    if auth in (Auth.AUTO, Auth.AGENT):
        yield from _agent_keys(transport, endpoint.host)
    password = endpoint.password
    # with auth by key the password is only for a host that wants more after the key
    if password is None or (auth in (Auth.KEY, Auth.AGENT) and not record.passed):
        return
    if auth is not Auth.KEYBOARD_INTERACTIVE:
        yield _Step(
            "password",
            "password",
            partial(transport.auth_password, user, password, fallback=False),
        )
    yield _Step(
        "keyboard-interactive",
        "keyboard-interactive",
        partial(transport.auth_interactive, user, _answers(password, record)),
    )


def _stored_key(transport: paramiko.Transport, endpoint: Endpoint) -> Iterator[_Step]:
    host = endpoint.host
    if endpoint.private_key is None:
        if host.auth is Auth.KEY:
            raise _fail(host, "no private key is stored for it")
        return
    try:
        key = keys.load(endpoint.private_key, endpoint.passphrase)
    except InvalidError as error:
        raise _fail(host, f"the stored key cannot be used: {error}") from error
    label = f"stored key {keys.host_key(key).fingerprint}"
    yield _Step("publickey", label, partial(transport.auth_publickey, host.user, key))


def _agent_keys(transport: paramiko.Transport, host: Host) -> Iterator[_Step]:
    agent, found = _agent()
    if not found and host.auth is Auth.AGENT:
        raise _fail(host, "no SSH agent with keys is running where WaLiSSH runs")
    try:
        for key in found[:_MAX_AGENT_KEYS]:
            yield _Step(
                "publickey",
                f"agent key {keys.fingerprint(key.asbytes())}",
                partial(transport.auth_publickey, host.user, key),
            )
    finally:
        if agent is not None:
            agent.close()


def _agent() -> tuple[paramiko.Agent | None, tuple[paramiko.AgentKey, ...]]:
    try:
        agent = paramiko.Agent()
        return agent, agent.get_keys()
    except (paramiko.SSHException, OSError):
        return None, ()


def _answers(password: str, record: _Record) -> Callable[[str, str, list[Prompt]], list[str]]:
    """Answer hidden prompts with the password, visible ones with nothing."""

    def answer(_title: str, _instructions: str, prompts: list[Prompt]) -> list[str]:
        record.asked.extend(text.strip() for text, _ in prompts)
        return ["" if echo else password for _, echo in prompts]

    return answer


def _passes(step: _Step, record: _Record) -> bool:
    """Try one step; a partial success or a refusal changes what is offered next."""
    record.tried.append(step.label)
    try:
        rest = step.attempt()
    except paramiko.BadAuthenticationType as error:
        record.offered = list(error.allowed_types)
    except (paramiko.SSHException, EOFError):
        pass  # the record tells it; a closed connection is seen by the caller
    else:
        record.passed.append(step.label)
        record.offered = list(rest)
        return not rest
    return False


def _refused(host: Host, record: _Record) -> ShellError:
    offered = ", ".join(record.offered) or "nothing"
    tried = ", ".join(record.tried) or "nothing that it offers"
    more = f" It accepted {', '.join(record.passed)} but wants more." if record.passed else ""
    asked = f" It asked: {', '.join(record.asked)}." if record.asked else ""
    return _fail(
        host,
        f"it refused to let {host.user!r} in. Tried: {tried}. The host offers: {offered}."
        f"{more}{asked}",
    )


def _fail(host: Host, reason: str) -> ShellError:
    return ShellError(
        f"{host.name}: {reason.rstrip('.')}. Nothing was run. Check the user and the log-in "
        "on the host page.",
        host=host.name,
        phase="authenticate",
    )
