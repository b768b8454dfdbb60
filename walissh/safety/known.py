"""Commands known to change, destroy, show secrets or want a terminal (``known.yaml``)."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from walissh.react.turn import Risk

MAX_TEXT = 4000
"""More of a command than this is not compared: it would take too long."""


@dataclass(frozen=True, slots=True)
class _Known:
    effects: tuple[tuple[Risk, re.Pattern[str]], ...]
    terminal: tuple[tuple[re.Pattern[str], str], ...]


@cache
def _known() -> _Known:
    text = (files("walissh.safety") / "known.yaml").read_text("utf-8")
    data: dict[str, list[Any]] = yaml.safe_load(text)
    effects = [
        (risk, re.compile("|".join(f"(?:{line})" for line in data[risk.value]), re.S))
        for risk in (Risk.DESTRUCTIVE, Risk.SECRET_EXPOSURE, Risk.MUTATING)
    ]
    terminal = [(re.compile(each["match"], re.S), each["works"]) for each in data["terminal"]]
    return _Known(tuple(effects), tuple(terminal))


def effect(text: str) -> Risk | None:
    """Return what a simple command of this *text* is known to do, None if nothing is."""
    for risk, pattern in _known().effects:
        if pattern.match(text[:MAX_TEXT]):
            return risk
    return None


def terminal(text: str) -> str | None:
    """Return the form that works if *text* wants a terminal or never ends ("": none does)."""
    for pattern, works in _known().terminal:
        if pattern.match(text[:MAX_TEXT]):
            return works
    return None


_SECRET_PATH = re.compile(
    r"(?i)(^|[/=@:~])("
    r"g?shadow-?|opasswd|\.env(\.\w+)?|\w*\.env|(\w+_)?id_(rsa|dsa|ecdsa|ed25519|ecdsa_sk)(?!.*\.pub)\S*"
    r"|[\w.*-]*\.(key|p12|pfx|jks|keystore|kdbx|ppk|keytab|asc|gpg)"
    r"|(?![\w.-]*(cert|chain|ca\b|ca-|bundle|pub|root))[\w.*-]*\.pem"
    r"|\.pgpass|\.my\.cnf|\.mylogin\.cnf|\.netrc|\.git-credentials|credentials(\.\w+)?|\.htpasswd|htpasswd"
    r"|\.aws/\S*|\.kube/\S*|kubeconfig\S*|(admin|kubelet|controller-manager|scheduler)\.conf"
    r"|\.docker/config\.json|secrets?(\.\w+)?|\.?vault[-_](token|pass\w*)|ssh_host_\w+_key"
    r"|debian\.cnf|wpa_supplicant\S*\.conf|environ|\.(bash|zsh|mysql|psql|rediscli|python)_?history"
    r"|\S*tfstate\S*|access_?tokens?\S*|application_default_credentials\.json|passwords?(\.\w+)?"
    r"|k3s\.yaml|node-token|\.npmrc|\.pypirc|\.s3cfg|\.boto|wp-config\.php|sssd\.conf|chap-secrets|psk\.txt"
    r"|[\w.-]*(密码|密钥|口令|令牌|凭据|凭证)[\w.-]*|wireguard/\S*|rabbitmq\.(conf|config)|mongod?_keyfile"
    r"|\.ssh/?(?!\S*(\.pub|known_hosts|authorized_keys|/config)$)\S*"
    r"|ipsec\.secrets|master\.key|authinfo|\.gnupg/\S*|ssl/private/\S*|run/secrets/\S*|system-connections/\S*"
    r")$"
)
_SAMPLES = (  # noqa: SIM905
    "/etc/shadow /etc/gshadow /root/.ssh/id_rsa /root/.ssh/id_ed25519 /root/.env "
    "/proc/1/environ /etc/ssl/private/server.key /etc/kubernetes/admin.conf /root/.kube/config "
    "/root/.aws/credentials /root/.docker/config.json /root/.pgpass /root/.my.cnf "
    "/etc/ssh/ssh_host_rsa_key /etc/mysql/debian.cnf /root/.bash_history /run/secrets/db"
).split()


def secret_path(path: str) -> bool:
    """Tell whether *path*, or a file that this pattern may name, holds passwords or keys."""
    path = re.sub(r"/(\./)*/*", "/", path.strip("\1"))
    if _SECRET_PATH.search(path.strip("\0")):
        return True
    if "\0" in path:  # what is only known later may be anything, slashes too
        return any(fnmatchcase(sample, path.replace("\0", "*")) for sample in _SAMPLES)
    if not re.search(r"[*?\[]", path):
        return False
    return any(_may_name(path, sample) for sample in _SAMPLES)


def _may_name(pattern: str, sample: str) -> bool:
    """Compare part by part, for ``*`` does not cross a slash; relative ones by their end."""
    pattern = re.sub(r"^(~\w*|/home/[^/]+)/", "/root/", pattern)
    mine, other = pattern.split("/"), sample.split("/")
    if not pattern.startswith("/"):
        other = other[-len(mine) :]
        if not re.search(r"\w", mine[-1]):
            return False
    same_length = len(mine) == len(other)
    return same_length and all(fnmatchcase(o, m) for m, o in zip(mine, other, strict=True))
