"""Commands on another machine, in a container or in another namespace."""

import re
from collections.abc import Callable
from dataclasses import replace

from walissh.react.turn import Risk
from walissh.safety import builtins
from walissh.safety.table import UNKNOWN
from walissh.safety.wrap import OPAQUE, Inside, Words
from walissh.safety.wrappers import options
from walissh.safety.wrappers.options import spec


def unwrap(program: str, args: Words) -> Inside | None:
    """Return what is run there; None when it is one of the program's other uses."""
    return _OPENERS[program](program, args)


# --- ssh ------------------------------------------------------------------------------

_SSH = spec("-q -T -t -tt -n -4 -6 -C -v -vv -vvv -a -x -k -N -f -g -A -K -M -X -Y -V -G -y",
            "-p -i -l -o -b -c -m -e -F -J -W -L -R -D -E -I -O -Q -S -w -B")  # fmt: skip
_SSH_SAFE = re.compile(
    r"(?i)(ConnectTimeout|BatchMode|StrictHostKeyChecking|UserKnownHostsFile|LogLevel|Port|User"
    r"|ServerAlive\w+|ConnectionAttempts|PasswordAuthentication|PreferredAuthentications|Compression"
    r"|IdentitiesOnly|IdentityFile|HostKeyAlgorithms|RequestTTY|AddressFamily|NumberOfPasswordPrompts"
    r"|GSSAPIAuthentication|PubkeyAuthentication|KexAlgorithms|Ciphers|MACs)[= ]\s*[\w@./,+:-]+"
)


def _ssh(program: str, args: Words) -> Inside | None:
    taken = options.take(args, _SSH)
    if taken is None:
        return Inside(script=" ".join(args[2:]).replace(UNKNOWN, "x"), risk=Risk.OPAQUE)
    if taken.names & {"-V", "-Q", "-G"}:
        # its settings may name a program to run, even when they are only printed
        return OPAQUE if taken.names & {"-F", "-I"} else Inside()
    # behind the host, flags may go on
    more = options.take(taken.rest[1:], _SSH)
    flags = (*taken.flags, *(more.flags if more else ()))
    rest = more.rest if more else taken.rest[1:]
    host = taken.rest[0] if taken.rest else ""
    risk = Risk.READ_ONLY if _plain_ssh(flags, host) and more else Risk.OPAQUE
    if not rest:
        return Inside(risk=Risk.OPAQUE, endless=True, reason="no_terminal")
    script = " ".join(rest)
    if UNKNOWN in script:
        return replace(OPAQUE)
    return Inside(script=script, risk=risk, dialect="sh")


def _plain_ssh(flags: tuple[tuple[str, str], ...], host: str) -> bool:
    """Tell whether the options only say how to get there."""
    names = {name for name, _ in flags}
    if names & {"-F", "-f", "-N", "-L", "-R", "-D", "-W", "-O", "-S", "-E", "-w", "-I", "-M"}:
        return False
    if not re.fullmatch(r"[\w.@:\[\]/%\0-]+", host) or host.startswith(("-", UNKNOWN)):
        return False
    return all(_SSH_SAFE.fullmatch(value) for name, value in flags if name == "-o")


# --- containers -----------------------------------------------------------------------

_EXEC = spec("-i -t -d -T --interactive --tty --detach --privileged --no-TTY --stdin -q --quiet",
             "-u -w -e --user --workdir --env --index -c --container -n --namespace --context "
             "--cluster --kubeconfig -s --pod-running-timeout --timeout --detach-keys "
             "--env-file")  # fmt: skip
_GLOBAL = spec("-D --debug --tls --tlsverify --remote",
               "-n --namespace --context -s --server --kubeconfig -H --host -c --config -f --file "
               "-p --project-name --project-directory --cluster --user -l --log-level --profile "
               "--request-timeout -v --as --as-group --token -r --runtime-endpoint "
               "--env-file")  # fmt: skip
_FOREIGN = frozenset({"--kubeconfig", "-s", "--server", "-H", "--host", "--config", "--as",
                      "--as-group", "--token", "--env-file", "-r",
                      "--runtime-endpoint"})  # fmt: skip


def _container(program: str, args: Words) -> Inside | None:
    """``docker exec NAME CMD``, ``docker compose exec NAME CMD``, ``kubectl exec POD -- CMD``."""
    before = options.take(args, _GLOBAL)
    if before is None or not before.rest:
        return None
    verb, rest = before.rest[0], before.rest[1:]
    if verb in {"container", "compose"} and rest:
        inner = options.take(rest, _GLOBAL)
        if inner is None or not inner.rest:
            return None
        before = replace(inner, flags=(*before.flags, *inner.flags))
        verb, rest = inner.rest[0], inner.rest[1:]
    unsure = bool(before.names & _FOREIGN)
    if verb == "run" or (verb == "create" and program not in {"kubectl", "oc"}):
        return _run(program, args, rest)
    return _into(rest, unsure=unsure) if verb in {"exec", "debug", "rsh"} else None


def _into(args: Words, *, unsure: bool) -> Inside:
    taken = options.take(args, _EXEC)
    if taken is None or not taken.rest:
        return _behind_dashes(args)
    flags, rest = set(taken.names), taken.rest[1:]
    more = options.take(rest, _EXEC) if rest[:1] and rest[0].startswith("-") else None
    if rest[:1] and rest[0].startswith("-"):
        if more is None:
            return _behind_dashes(args)
        flags |= more.names
        rest = more.rest
    set_there = [value for name, value in taken.flags + (more.flags if more else ())
                 if name in {"-e", "--env"}]  # fmt: skip
    odd = unsure or taken.rest[0].startswith(("-", UNKNOWN * 2)) or bool(flags & _DETACHED)
    odd = odd or not all(builtins.is_locale(value.partition("=")[0]) for value in set_there)
    risk = Risk.OPAQUE if odd else Risk.READ_ONLY
    if not rest:
        return Inside(risk=Risk.OPAQUE, endless=True, reason="no_terminal")
    return Inside(rest, risk=risk)


_DETACHED = frozenset({"-d", "--detach", "--env-file", "--kubeconfig", "-s"})


def _behind_dashes(args: Words) -> Inside:
    rest = args[args.index("--") + 1 :] if "--" in args else ()
    return replace(OPAQUE, words=rest)


def _run(program: str, args: Words, rest: Words) -> Inside | None:
    """It fetches and starts something, whatever runs inside; look for the command all the same."""
    for at, word in enumerate(rest):
        if re.fullmatch(r"[\w.-]+(/[\w.-]+)*(:[\w.-]+)?", word) and at + 1 < len(rest):
            behind = tuple(each for each in rest[at + 1 :] if each != "--")
            if behind and not behind[0].startswith("-"):
                return Inside(behind, own=(program, *args))
    return None


# --- namespaces and fleets ------------------------------------------------------------

_NSENTER = spec("-a -m -u -i -n -p -C -U -T -F -r -w -Z --all --mount --uts --ipc --net --pid "
                "--cgroup --user --time --no-fork --preserve-credentials --root --wd",
                "-t --target -S -G --setuid --setgid")  # fmt: skip


def _nsenter(program: str, args: Words) -> Inside | None:
    args = tuple(
        word for word in args if not re.fullmatch(r"--(net|mount|uts|ipc|pid)=[\w./]+", word)
    )
    taken = options.take(args, _NSENTER)
    if taken is None:
        return OPAQUE
    if not taken.rest:
        return Inside(risk=Risk.OPAQUE, endless=True, reason="no_terminal")
    return Inside(taken.rest)


_ANSIBLE = spec("-b -o -v -vv -vvv --become --one-line --list-hosts -K -k",
                "-i -m -a -u -l -f -e --inventory --module-name --args --user --limit --forks "
                "--become-user -T --timeout -t -B -P --private-key")  # fmt: skip
_ANSIBLE_READS = frozenset(
    {"ping", "setup", "service_facts", "package_facts", "stat", "gather_facts"}
)


def _ansible(program: str, args: Words) -> Inside | None:
    hosts = [word for word in args[:1] if not word.startswith("-")]
    taken = options.take(args[len(hosts) :], _ANSIBLE)
    if taken is None:
        return None
    rest = [*hosts, *taken.rest]
    if len(rest) > 1:  # flags may stand behind the pattern too
        return OPAQUE
    if taken.names & {"-e", "-k", "-K", "-B", "--private-key"}:
        return replace(OPAQUE, script=taken.value("-a", "--args") or "")
    if "--list-hosts" in taken.names:
        return Inside()
    return _module(taken)


def _module(taken: options.Taken) -> Inside | None:
    module = (taken.value("-m", "--module-name") or "command").rpartition(".")[2]
    given = taken.value("-a", "--args") or ""
    if module in {"shell", "command", "raw"}:
        odd = re.search(r"\b(chdir|creates|removes|executable)=|\{\{|\{%", given)
        risk = Risk.OPAQUE if odd or UNKNOWN in given else Risk.READ_ONLY
        return Inside(script=given.replace(UNKNOWN, "x"), risk=risk, dialect="sh")
    return Inside() if module in _ANSIBLE_READS and "{" not in given else None


def _salt(program: str, args: Words) -> Inside | None:
    taken = options.take(
        args, spec("-G -L -E -C -S -N --static -v", "-t --timeout --out -b --batch")
    )
    if taken is None or len(taken.rest) < 2:
        return None
    if taken.rest[1] == "test.ping":
        return Inside()
    if taken.rest[1] not in {"cmd.run", "cmd.shell", "cmd.run_all"} or len(taken.rest) < 3:
        return None
    risk = Risk.READ_ONLY if len(taken.rest) == 3 and "{" not in taken.rest[2] else Risk.OPAQUE
    script = taken.rest[2]
    return Inside(script=script.replace(UNKNOWN, "x"), dialect="sh",
                  risk=Risk.OPAQUE if UNKNOWN in script else risk)  # fmt: skip


def _nested(program: str, args: Words) -> Inside | None:
    """``k3s kubectl get pods``: the name in front only says which one."""
    inner = {"kubectl", "crictl", "ctr"}
    return Inside(args) if args and args[0] in inner else None


_OPENERS: dict[str, Callable[[str, Words], Inside | None]] = {
    "ssh": _ssh, "nsenter": _nsenter, "ansible": _ansible, "salt": _salt, "k3s": _nested,
    "microk8s": _nested,
    **dict.fromkeys(("docker", "podman", "nerdctl", "kubectl", "oc", "crictl", "docker-compose"),
                    _container),
    "lxc": _container,
}  # fmt: skip
