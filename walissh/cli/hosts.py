"""Servers from the command line: add, list, import, test, trust, remove."""

import getpass
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from walissh.cli.opened import opened, owner
from walissh.errors import (
    HostKeyChangedError,
    HostKeyUnknownError,
    InvalidError,
    MachineChangedError,
    NotFoundError,
    ShellError,
)
from walissh.react.host import NO_MACHINE, Auth, Host

whose = click.option(
    "--user", "--user-name", "person", metavar="NAME", help="Whose; without: the admin's."
)


@dataclass(frozen=True, slots=True)
class NewHost:
    """What the options of ``host add`` say, by the options' names."""

    key: Path | None
    passphrase_stdin: bool
    password_stdin: bool
    auth: str
    jump: str | None
    groups: tuple[str, ...]
    stage: str
    encoding: str


@click.group()
def host() -> None:
    """Servers to ask about."""


@host.command("add")
@click.argument("name")
@click.argument("target", metavar="USER@ADDRESS[:PORT]")
@click.option("--key", type=click.Path(path_type=Path), help="File with the private key.")
@click.option("--passphrase-stdin", is_flag=True, help="Read the key's passphrase from stdin.")
@click.option("--password-stdin", is_flag=True, help="Read the password from stdin.")
@click.option(
    "--auth",
    type=click.Choice([each.value for each in Auth]),
    default=Auth.AUTO.value,
    help="How to log in.",
)
@click.option("--jump", metavar="NAME", help="The host to go through.")
@click.option("--group", "groups", multiple=True, help="A group it belongs to; may be repeated.")
@click.option("--stage", default="", help="production, staging, ...")
@click.option("--encoding", default="utf-8", help="What its programs write: utf-8, gbk, ...")
@whose
def add(name: str, target: str, person: str | None, **said: Any) -> None:
    """Add the server NAME. An IPv6 address with a port stands in brackets."""
    from walissh.store import hosts

    options = NewHost(**said)
    user, address, port = parse_target(target)
    secrets = _secrets(options)
    with opened():
        mine = owner(person).id
        draft = hosts.HostDraft(
            name=name,
            address=address,
            user=user,
            port=port,
            auth=Auth(options.auth),
            jump_id=_named(options.jump, mine).id if options.jump else None,
            groups=options.groups,
            stage=options.stage,
            encoding=options.encoding,
            secrets=secrets,
        )
        hosts.add(mine, draft)
    click.echo(f"{name}: added as {user}@{address}:{port}. Next: walissh host test {name}")


@host.command("list")
@whose
def list_(person: str | None) -> None:
    """List the servers: name, address, key, last contact."""
    from walissh.store import hosts

    with opened():
        mine = hosts.within_reach(owner(person).id)
    names = {each.id: each.name for each in mine}
    for each in mine:
        via = f" via {names[each.jump_id]}" if each.jump_id else ""
        where = f"{each.user}@{each.address}:{each.port}{via}"
        click.echo("\t".join((each.name, where, _trust(each), _contact(each))))


@host.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@whose
def import_(file: Path, person: str | None) -> None:
    """Add the hosts of an OpenSSH client configuration, such as ~/.ssh/config."""
    from walissh import host_import
    from walissh.ssh import config

    listed = config.read(file)
    if not listed:
        raise InvalidError(f"{file} names no host: there is no line such as 'Host web1'.")
    with opened():
        mine = owner(person).id
        result = host_import.add_all(mine, listed, getpass.getuser(), _key_text)
    for name, why in result.left_out:
        click.echo(f"{name}: left out. {why}", err=True)
    for name, why in result.keys:
        click.echo(f"{name}: {why}", err=True)
    for keyword, names in result.unused.items():
        told = f"{keyword} was not used; check how it is reached."
        click.echo(f"{host_import.few(names)}: {told}", err=True)
    click.echo(f"{len(result.added)} added: {', '.join(result.added) or 'none'}")
    if result.added:
        click.echo("Next, for each: walissh host test NAME, then walissh host trust NAME", err=True)


@host.command("test")
@click.argument("name")
@whose
def test(name: str, person: str | None) -> None:
    """Make contact with NAME and say how it went; exit code 1 if it failed."""
    with opened():
        one = _named(name, owner(person).id)
        error = _contact_now(one)
    if error is not None:
        click.echo(f"{error} [{error.phase}]", err=True)
        shown = _to_trust(error)
        if shown:
            click.echo(f"Once compared: walissh host trust {error.host} {shown}", err=True)
        sys.exit(1)
    click.echo(f"{name}: the log-in works.")


@host.command("trust")
@click.argument("name")
@click.option("--fingerprint", default="", help="Trust only this one: SHA256:...")
@click.option("--machine", default="", help="Trust only the machine of this id.")
@whose
def trust(name: str, fingerprint: str, machine: str, person: str | None) -> None:
    """Trust the key that NAME shows, and the machine; it is asked first if none was seen."""
    from walissh.store import hosts

    with opened():
        mine = owner(person).id
        one = _named(name, mine)
        if one.seen_key is None:
            _contact_now(one)
            one = _named(name, mine)
        replaced = _replaced(one)
        if replaced and not (fingerprint or machine) and sys.stdin.isatty():
            fingerprint, machine = _confirmed(one, replaced)
        trusted = hosts.trust(one.id, mine, fingerprint, machine).trusted_key
    shown = trusted.fingerprint if trusted else ""
    instead = f" It REPLACES {replaced}." if replaced else ""
    click.echo(f"{name}: {shown} is trusted.{instead} Next: walissh host test {name}")


@host.command("sudo")
@click.argument("name")
@whose
def sudo(name: str, person: str | None) -> None:
    """Keep what sudo is told on NAME: a line of stdin, or typed unseen; an empty one removes it."""
    from walissh.store import sudo as passwords

    password = _line("Password for sudo")
    with opened():
        mine = owner(person).id
        passwords.keep(_named(name, mine).id, mine, password)
    click.echo(f"{name}: the password for sudo is {'kept, sealed' if password else 'removed'}.")


@host.command("remove")
@click.argument("name")
@whose
def remove(name: str, person: str | None) -> None:
    """Remove the server NAME with its secrets."""
    from walissh.store import hosts

    with opened():
        mine = owner(person).id
        hosts.remove(_named(name, mine).id, mine)
    click.echo(f"{name}: removed.")


def parse_target(target: str) -> tuple[str, str, int]:
    """Return user, address and port of ``[user@]address[:port]``; raises InvalidError.

    Without a user it is the present login's, as with ssh.
    """
    from walissh import host_import

    found = host_import.parse_hop(target)
    if found is None:
        raise InvalidError(f"{target!r} is not USER@ADDRESS[:PORT], such as root@10.0.0.5:22")
    return found.user or getpass.getuser(), found.name, found.port or 22


def _named(name: str, owner_id: str) -> Host:
    from walissh.store import hosts

    found = hosts.find(name, owner_id)
    if found is None:
        raise NotFoundError(f"There is no host named {name}. See: walissh host list")
    return found


def _secrets(options: NewHost) -> dict[str, str | None]:
    from walissh.ssh import keys

    given: dict[str, str | None] = {}
    if options.passphrase_stdin:
        given["passphrase"] = _line()
    if options.password_stdin:
        given["password"] = _line()
    if options.key is not None:
        try:
            text = _key_text(str(options.key))
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidError(f"The key file {options.key} cannot be read: {error}") from error
        keys.load(text, given.get("passphrase"))
        given["key"] = text
    return given


def _key_text(path: str) -> str:
    return Path(path).expanduser().read_text(encoding="utf-8")


def _line(what: str = "Secret") -> str:
    if sys.stdin.isatty():
        text: str = click.prompt(what, default="", hide_input=True, show_default=False, err=True)
        return text
    return sys.stdin.readline().rstrip("\r\n")


def _contact_now(one: Host) -> ShellError | None:
    """Make contact in this process and keep how it went."""
    from walissh import wiring
    from walissh.store import hosts

    try:
        wiring.parts().shell.check(one.id)
    except ShellError as error:
        hosts.record_check(one.id, error)
        return error
    hosts.record_check(one.id, None)
    return None


def _to_trust(error: ShellError) -> str:
    """Return the option that trusts what a host showed, "" if it showed nothing new."""
    if isinstance(error, HostKeyUnknownError):
        return f"--fingerprint {error.fingerprint}"
    if isinstance(error, MachineChangedError):
        return f"--machine {error.seen or NO_MACHINE}"
    return f"--fingerprint {error.seen}" if isinstance(error, HostKeyChangedError) else ""


def _replaced(one: Host) -> str:
    """Return the key or the machine that trusting what was seen last takes away, "" if none."""
    if one.trusted_key is not None and one.seen_key not in (None, one.trusted_key):
        return one.trusted_key.fingerprint
    return f"machine {one.machine_id}" if one.seen_machine_id else ""


def _confirmed(one: Host, old: str) -> tuple[str, str]:
    """Ask whether what changed is right; return the fingerprint and the machine shown."""
    key = one.seen_key.fingerprint if one.seen_key else ""
    machine = one.seen_machine_id if one.seen_key == one.trusted_key else ""
    new = f"machine {machine}" if machine else key
    click.confirm(
        f"{one.name}: it changed. Trusting {new} REPLACES {old}. Go on?", abort=True, err=True
    )
    return key, machine


def _trust(one: Host) -> str:
    return one.trusted_key.fingerprint if one.trusted_key else "no trusted key"


def _contact(one: Host) -> str:
    if one.check is None or not one.check.status:
        return "never tested"
    return f"{one.check.status} {one.check.at:%Y-%m-%d %H:%M}Z"
