"""What a past command did to which service, as its text tells.

It is a record of choices only: what a command may do is told by `safety`, before it runs.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final, Literal

Action = Literal["reboot", "restart", "reload", "start", "stop", "logs", "backup"]

MAX_COMMAND_CHARS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Choice:
    """What a past command did to which service (for a backup: which folder) where."""

    action: Action
    service: str
    host: str
    at: datetime


_WRAPPERS = frozenset({"sudo", "env", "nohup", "time", "nice", "ionice", "doas", "command", "exec"})
_WITH_VALUE = frozenset(
    {
        "-u",
        "-g",
        "-n",
        "-H",
        "-M",
        "-t",
        "--namespace",
        "-p",
        "--tail",
        "--since",
        "--lines",
        "--context",
    }
)
_SEPARATORS = frozenset({"&&", "||", ";", "|", "&", "\n"})
_ASSIGNED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*")
UNIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@:-]*")
_ACTIONS: Mapping[str, Action] = {
    "restart": "restart",
    "try-restart": "restart",
    "reload-or-restart": "restart",
    "force-reload": "reload",
    "reload": "reload",
    "graceful": "reload",
    "start": "start",
    "up": "start",
    "stop": "stop",
    "down": "stop",
    "kill": "stop",
    "logs": "logs",
}
# the verb stands before the service; two words where the first one only says the kind
_VERB_FIRST = frozenset(
    {
        *("systemctl", "initctl", "supervisorctl", "circusctl", "launchctl", "svcadm"),
        *("docker", "podman", "nerdctl", "crictl", "docker-compose", "podman-compose"),
        *("sv", "pm2", "monit", "snap", "brew"),
    }
)
_SERVICE_FIRST = frozenset({"service", "rc-service"})
_GROUPS = frozenset({"compose", "container", "services", "service", "rollout", "stack", "--user"})
_LOG_TOOLS: Mapping[str, str] = {"journalctl": "-u"}
_SIGNALLED: Mapping[str, str] = {"nginx": "-s", "haproxy": "-s", "httpd": "-k", "apache2": "-k"}


def choice(command: str, host: str, at: datetime) -> Choice | None:
    """Return which service a command acted on, None if none or more than one."""
    found = {each for each in map(_acted, _simple_commands(command)) if each is not None}
    if len(found) != 1:
        return None
    action, service = found.pop()
    return Choice(action, service, host, at)


def _simple_commands(command: str) -> list[list[str]]:
    """Split a command line roughly: what it does is told by others, before it runs."""
    if len(command) > MAX_COMMAND_CHARS:
        return []
    lexer = shlex.shlex(command, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    parts: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word in _SEPARATORS or set(word) <= {"\n", ";"}:
                parts.append([])
            else:
                parts[-1].append(word)
    except ValueError:  # a quote that is not closed
        return []
    return parts


def _acted(words: list[str]) -> tuple[Action, str] | None:
    words = _unwrapped(words)
    if not words:
        return None
    tool, rest = words[0].rpartition("/")[2], words[1:]
    if (
        tool == "reboot"
        or words[:2] == ["systemctl", "reboot"]
        or (tool == "shutdown" and any(each in rest for each in ("-r", "--reboot")))
    ):
        return "reboot", ""
    if words[0].startswith(("/etc/init.d/", "/etc/rc.d/")):
        return _named(rest[:1], [tool])
    if tool in _SERVICE_FIRST:
        plain = _plain(rest)
        return _named(plain[1:2], plain[:1])
    if tool in _SIGNALLED and _SIGNALLED[tool] in rest:
        return _named(rest[rest.index(_SIGNALLED[tool]) + 1 :][:1], [tool])
    if tool in _LOG_TOOLS:
        return _named(["logs"], _units_of_log(rest))
    if tool in ("apachectl", "apache2ctl"):
        return _named(_plain(rest)[:1], ["apache2"])
    if tool == "kubectl":
        plain = [each for each in _plain(rest) if each not in _GROUPS]
        return _named(plain[:1], _workloads(plain[1:]))
    if tool in _VERB_FIRST:
        plain = [each for each in _plain(rest) if each not in _GROUPS]
        return _named(plain[:1], plain[1:])
    return None


def _unwrapped(words: list[str]) -> list[str]:
    while words and (words[0] in _WRAPPERS or _ASSIGNED.fullmatch(words[0])):
        words = words[1:]
        while words and words[0].startswith("-"):
            words = words[2:] if words[0] in _WITH_VALUE - {"-n", "-H"} else words[1:]
    if words and words[0] == "timeout":
        plain = [each for each in words[1:] if not each.startswith("-")]
        return plain[1:]
    return words


def _plain(words: Sequence[str]) -> list[str]:
    kept: list[str] = []
    flag = ""
    for each in words:
        # -f is "follow" in some tools and names a file in others
        valued = flag in _WITH_VALUE or (flag == "-f" and bool(set(each) & set("./")))
        flag = each if each.startswith("-") and not valued else ""
        if not flag and not valued:
            kept.append(each)
    return kept


def _units_of_log(words: list[str]) -> list[str]:
    units = [after for flag, after in pairwise(words) if flag in ("-u", "--unit")]
    units += [each.partition("=")[2] for each in words if each.startswith("--unit=")]
    return units


def _workloads(words: list[str]) -> list[str]:
    if words[:1] and words[0] in ("deployment", "deploy", "statefulset", "sts", "daemonset", "ds"):
        words = words[1:]
    return [each.rpartition("/")[2] for each in words]


def _named(verb: Sequence[str], services: Sequence[str]) -> tuple[Action, str] | None:
    action = _ACTIONS.get(verb[0]) if verb else None
    if action is None or len(services) != 1 or not UNIT.fullmatch(services[0]):
        return None
    return action, services[0].removesuffix(".service")
