"""Programs that only start another one: what is inside them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

from walissh.react.turn import Risk
from walissh.safety.shell import Dialect

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Inside:
    """What a wrapper starts, as *words* or as a *script* for a shell; both may be empty.

    *risk*: what it does itself, whatever is inside; opaque where its own words are not
    understood. *reason*: the code of ``reasons.yaml`` for that. *limited*: it ends what is
    inside after a while; *endless*: it never ends, or wants a terminal, by itself. *fed*:
    what is inside gets its input from the wrapper. *assigns*: variables that it sets.
    *own*: its own words, to be judged like those of any program. *more*: further commands.
    *waits*: it reads its input itself. *dialect*: what reads the script; *given*: what is
    ``$0``, ``$1`` and so on in it.
    """

    words: Words = ()
    script: str = ""
    risk: Risk = Risk.READ_ONLY
    reason: str = "runs"
    limited: bool = False
    endless: bool = False
    fed: bool = False
    waits: bool = False
    assigns: tuple[str, ...] = ()
    own: Words = ()
    more: tuple["Inside", ...] = ()
    dialect: Dialect = "bash"
    given: Words = ()

    def all(self) -> "Iterator[Inside]":
        """Give this one and all further ones."""
        yield self
        for each in self.more:
            yield from each.all()


def unwrap(words: Words) -> Inside | None:
    """Return what *words* starts, None when it is no wrapper (or not used as one)."""
    from walissh.safety.wrappers import listed

    room = _ROOMS.get(words[0])
    if room is None:
        return listed.unwrap(words)
    opener: Callable[[str, Words], Inside | None] = import_module(
        f"walissh.safety.wrappers.{room}"
    ).unwrap
    return opener(words[0], words[1:])


OPAQUE = Inside(risk=Risk.OPAQUE)
"""A wrapper whose own words are not understood."""

_SHELLS = ("bash", "sh", "dash", "zsh", "ksh", "ash", "rbash")
_ROOMS = {
    **dict.fromkeys(("sudo", "su", "runuser", "env", "timeout", "nohup", "exec"), "plain"),
    **dict.fromkeys(("command", "ionice", "ip", "prlimit", "perf", "script"), "plain"),
    **dict.fromkeys(("watch", "trap"), "plain"),
    **dict.fromkeys((*_SHELLS, "eval", "busybox", "toybox"), "shells"),
    **dict.fromkeys(("find", "fd", "fdfind", "xargs", "parallel"), "lists"),
    **dict.fromkeys(("ssh", "docker", "podman", "nerdctl", "kubectl", "oc"), "remote"),
    **dict.fromkeys(("crictl", "lxc", "nsenter", "ansible", "salt", "k3s"), "remote"),
    **dict.fromkeys(("microk8s", "docker-compose"), "remote"),
}  # fmt: skip
