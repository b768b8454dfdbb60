"""The command line. Each command is loaded only when it is called."""

import sys
from importlib import import_module

import click

from walissh.errors import SettingsError, StartError, WalisshError

COMMANDS = {
    "audit": "walissh.cli.audit:audit",
    "chat": "walissh.cli.chat:chat",
    "check": "walissh.cli.check:check",
    "doctor": "walissh.cli.doctor:doctor",
    "eval": "walissh.cli.evaluate:evaluate",
    "group": "walissh.cli.groups:group",
    "host": "walissh.cli.hosts:host",
    "memory": "walissh.cli.memory:memory",
    "passwd": "walissh.cli.people:passwd",
    "person": "walissh.cli.people:person",
    "playbook": "walissh.cli.playbooks:playbook",
    "prompt": "walissh.cli.prompt:prompt",
    "redis": "walissh.cli.worker:redis",
    "release": "walissh.cli.worker:release",
    "rule": "walissh.cli.rules:rule",
    "session": "walissh.cli.sessions:session",
    "sign-in-link": "walissh.cli.people:sign_in_link",
    "token": "walissh.cli.people:token",
    "up": "walissh.cli.up:up",
    "web": "walissh.cli.worker:web",
    "worker": "walissh.cli.worker:worker",
}
"""Name of each command and where it is: ``module:object``."""

REFUSED = 2
FAILED = 1


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command = getattr(import_module(module), name)
        return command if isinstance(command, click.Command) else None


@click.group(cls=_Commands)
@click.version_option(package_name="walissh", message="%(version)s")
def cli() -> None:
    """WaLiSSH: ask about your servers in a browser, see every command it runs."""


def main() -> None:
    """Run the command line; an error that we know is one line on standard error.

    Exit code 2: it did not start (settings, arguments, a second instance); 1: it failed.
    """
    try:
        cli(prog_name="walissh")
    except WalisshError as error:
        click.echo(f"walissh: {error}", err=True)
        sys.exit(REFUSED if isinstance(error, SettingsError | StartError) else FAILED)
