"""A command on a host without bash: whether sh reads it as it was judged."""

from walissh.errors import ShellError
from walissh.react.host import Host
from walissh.safety import risk


def refuse_other_meaning(host: Host, command: str) -> None:
    """Refuse what would do more harm under sh than under bash, by which it was judged."""
    meant, means = risk.classify(command).risk, risk.classify(command, "sh").risk
    if risk.SEVERITY.index(means) > risk.SEVERITY.index(meant):
        raise ShellError(
            f"{host.name}: this host has no bash, and under its sh the command means something"
            f" else ({means.value} instead of {meant.value}). Nothing was run. Write it for sh,"
            " or install bash there.",
            host=host.name,
            phase="run",
        )
