"""A command on a host without bash: whether sh reads it as it was judged."""

import re

from walissh.errors import ShellError
from walissh.react.host import Host
from walissh.react.turn import Risk
from walissh.safety import risk

_QUOTED = re.compile(r"\\.|'[^']*'|\"(?:\\.|[^\"\\$`]|\$(?!\())*\"", re.DOTALL)

# What bash has and sh takes for something else: `&>` sends to the background and empties the
# file, `[[ a > b ]]` and `((a > 3))` write files, `$'x'` and `{a,b}` are other words, the rest
# ends the whole line in the middle.
_BASH_ALONE = re.compile(
    r"&>|\|&|>&(?![\d-])|<<<|[<>]\("
    r"|\[\[(?=\s)|(?<![$(])\(\(|\$Q|\$\["
    r"|\{[^\s{}]*(?:,|\.\.)[^\s{}]*\}|\w\+=|\w=\("
    r"|\$\{!|\$\{\w+(?:\[|/|\^|,|@|:\d)"
    r"|(?:^|[;&|\s])(?:function|select|coproc|declare|typeset|shopt|mapfile|readarray|source"
    r"|pushd|popd|let|compgen|complete|disown|enable|builtin)\s"
)


def refuse_other_meaning(host: Host, command: str) -> None:
    """Refuse what would do more harm under sh than under bash, by which it was judged."""
    meant = risk.classify(command).risk
    means = under_sh(command)
    if risk.SEVERITY.index(means) > risk.SEVERITY.index(meant):
        raise ShellError(
            f"{host.name}: this host has no bash, and under its sh the command means something"
            f" else ({means.value} instead of {meant.value}). Nothing was run. Write it for sh,"
            " or install bash there.",
            host=host.name,
            phase="run",
        )


def under_sh(command: str) -> Risk:
    """Return what *command* may do under sh: opaque where it is written for bash alone."""
    meant = risk.classify(command).risk
    if not _BASH_ALONE.search(_QUOTED.sub("Q", command)):
        return meant
    return max(meant, Risk.OPAQUE, key=risk.SEVERITY.index)
