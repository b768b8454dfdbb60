"""A machine in trouble, put together from what its commands say."""

from collections.abc import Mapping, Sequence

from tests.offline_talk import Ended, Machine, Talk, machine

NOW_S = 1_796_040_000  # 2026-11-30 12:00:00 UTC
PS_HEAD = "    PID    PPID USER             STAT  NI %CPU %MEM   RSS ELAPSED COMMAND"
SS_HEAD = "Netid State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess"
DF = """Filesystem     1024-blocks    Used Available Capacity Mounted on
/dev/vda1         41251136 9371648  31879488      23% /
"""
INODES = """Filesystem      Inodes  IUsed   IFree IUse% Mounted on
/dev/vda1      2621440 131072 2490368    5% /
"""
NO_SYSTEMD = "System has not been booted with systemd as init system (PID 1). Can't operate."
CAUSE = {"zh": "根因（", "en": "Root cause ("}


def ps(
    pid: int,
    args: str,
    *,
    parent: int = 1,
    user: str = "app",
    stat: str = "S",
    age_s: int = 7200,
    cpu: float = 0.1,
) -> str:
    """Return the line of one process."""
    return f"{pid:>7} {parent:>7} {user:<16} {stat:<5} 0 {cpu:>4} 0.1 9000 {age_s:>7} {args}"


def listens(port: int, pid: int, program: str = "python3") -> str:
    """Return the line of one listening port."""
    held = f'users:(("{program}",pid={pid},fd=4))'
    return f"tcp   LISTEN 0      128        0.0.0.0:{port}      0.0.0.0:*    {held}"


def ailing(
    processes: Sequence[str] = (),
    logs: Mapping[str, str] | None = None,
    *,
    ports: Sequence[str] = (),
    age_s: int = 5,
    more: Mapping[str, str] | None = None,
) -> Machine:
    """Return a machine without systemd; *more* are outputs by a part of their command.

    *logs* are the last lines of logs by path, the newest *age_s* old.
    """
    told = logs or {}
    ends = "".join(f"==> {path} <==\n{text}\n" for path, text in told.items())
    files = "".join(f"{NOW_S - age_s}.5 4711 640 app:adm {path}\n" for path in told)
    parts = {
        **(more or {}),
        "date '+%s": f"{NOW_S} 2026-11-30 12:00:00 UTC+0000 UTC\n",
        "ps --ppid 2": "\n".join([PS_HEAD, ps(1, "/sbin/init", user="root"), *processes]) + "\n",
        "ss -tulpn": "\n".join([SS_HEAD, listens(22, 1, "sshd"), *ports]) + "\n",
        "-printf '%T@": files,
        "tail -n 300": ends,
        "tail -n 3 ": ends,
        "df -Pk": DF,
        "df -Pi": INODES,
    }
    known = {part: Ended(0, output) for part, output in parts.items()}
    return machine("", {**known, "systemctl": Ended(1, NO_SYSTEMD)})


def cause_of(given: Machine, *, zh: str, en: str) -> dict[str, str]:
    """Ask in both languages; return the paragraphs that name the cause, "" for none."""
    return {
        "zh": _cause(Talk({"web1": given}, "zh").ask(zh), "zh"),
        "en": _cause(Talk({"web1": given}, "en").ask(en), "en"),
    }


def _cause(answer: str, language: str) -> str:
    parts = answer.split("\n\n")
    return next((part for part in parts if CAUSE[language] in part), "")


def cited(given: Machine, question: str) -> list[str]:
    """Return the commands that the cause of an English answer points at."""
    talk = Talk({"web1": given}, "en")
    marks = _cause(talk.ask(question), "en").split("[[c0de")[1:]
    return [talk.commands[int(mark[:4], 16) - 1][1] for mark in marks]
