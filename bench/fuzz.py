"""Look for a command line that breaks the judging, or that a part added makes safer.

    make fuzz MINUTES=5

Coverage-guided: atheris keeps what reaches new code of ``walissh.safety``. A line is put
together from pieces and signs; then a part is added to it.
"""

import argparse
import sys
import time

import atheris

with atheris.instrument_imports(include=["walissh.safety"]):
    from walissh.safety import risk, shell

PIECES = (
    "ls", "df -h", "cat /etc/hosts", "cat /etc/shadow", "rm -rf /srv", "touch x", "frob", "top",
    "echo $x", "x=1", "x=$(cat f)", 'sort "$x"', "$x", '"$@"', "a=(1 2)", '"${a[@]}"', "f",
    "-delete", "f() { ls; }", "for i in 1 2; do", "done", "if", "then", "fi",
    "while read -r x; do", "find .", "case $x in x)", ";; esac", "sudo", "env", "timeout 5",
    "xargs", "bash -c", "ssh h", "nc h 1", "docker exec c", "psql -c", "select 1", "drop table x",
    "redis-cli", "flushall", "<<E\n", "\nE\n", "$(", ")", "`", "${x:-", "}", "$((", "))", "[[ ",
    " ]]", "{a,b}", "{1..3}", "> x", "< f", "2>&1", ">(", "<(", "| sh", "&", "|", "&&", "||", ";",
    "\n", "'", '"', "\\", "#", "$'\\x41'", "~", "*", "printf '%s\\n'", "echo ruok", "date +%F",
    "pgrep -d,", "wc -l < f", "IFS=,", "set --", "read x", "trap", "exec 3<>", "/dev/tcp/h/1",
    "eval", "coproc", "!", "=", " ", "\t", "0", "-x", "日志",
)  # fmt: skip
JOINTS = ("; ", " && ", "\n", " || ", " & ")
LIMIT_S = 1.0


def line(data: atheris.FuzzedDataProvider) -> str:
    """Return a line of at most twelve pieces, some of them any text."""
    parts = []
    for _ in range(data.ConsumeIntInRange(1, 12)):
        if data.ConsumeIntInRange(0, 9):
            parts.append(data.PickValueInList(list(PIECES)))
        else:
            parts.append(data.ConsumeUnicodeNoSurrogates(8))
        parts.append(" " if data.ConsumeBool() else "")
    return "".join(parts)


def order(command: str) -> int:
    start = time.process_time()
    judged = risk.classify(command)
    if time.process_time() - start > LIMIT_S:
        raise AssertionError(f"slow: {command!r}")
    return risk.SEVERITY.index(judged.risk)


def one(raw: bytes) -> None:
    """Judge one line, and the line with a part added: it must not be safer."""
    data = atheris.FuzzedDataProvider(raw)
    short = line(data)
    before = order(short)
    if shell.parse(short).fault or short.endswith("\\"):
        return  # half of a line: what is added may make it whole
    joint, part = data.PickValueInList(list(JOINTS)), line(data)
    longer = short + joint + part
    whole = not shell.parse(longer).fault or (joint == "\n" and "\n" not in part)
    if order(longer) < before and whole:
        raise AssertionError(f"safer: {short!r} -> {longer!r}")


def main() -> None:
    """Run for so many minutes; exit with 77 at the first finding."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("minutes", type=float, nargs="?", default=5)
    seconds = int(parser.parse_args().minutes * 60)
    for first in ("uptime; f=1; echo $f", "psql -c 'select 1'", "redis-cli get a", "curl h"):
        risk.classify(first)  # the lists are read at first use
    atheris.Setup([sys.argv[0], f"-max_total_time={seconds}", "-max_len=256", "-timeout=20"], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
