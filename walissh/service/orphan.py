"""No part outlives the process that started it, even if that is killed with -9.

Run as ``python -m walissh.service.orphan PARENT_PID SIGNAL PROGRAM ARGUMENT...`` it ties
itself to its parent and becomes the program.
"""

import ctypes
import os
import signal
import sys
import threading
import time

PARENT = "WALISSH_PARENT_PID"
PR_SET_PDEATHSIG = 1


def follow(parent_pid: int, number: int = signal.SIGKILL) -> None:
    """Get signal *number* as soon as the parent dies; at once if it is gone already.

    The kernel keeps this over an exec, but not over a fork.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
    else:
        threading.Thread(target=_watch, args=(parent_pid, number), daemon=True).start()
    if os.getppid() != parent_pid:
        os.kill(os.getpid(), number)


def follow_named() -> None:
    """Follow the parent that the environment names; do nothing if it names none."""
    parent = os.environ.pop(PARENT, "")
    if parent:
        follow(int(parent))


def _watch(parent_pid: int, number: int) -> None:
    while os.getppid() == parent_pid:
        time.sleep(0.5)
    os.kill(os.getpid(), number)


def main(arguments: list[str]) -> None:
    """Tie this process to its parent, then become the program."""
    parent_pid, number, *command = arguments
    follow(int(parent_pid), int(number))
    os.execv(command[0], command)  # noqa: S606  a list of arguments, no shell


if __name__ == "__main__":
    main(sys.argv[1:])
