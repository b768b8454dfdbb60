"""Commands that only read and print settings: there a value needs no telling name.

The environment of processes and containers, units, configuration files. What looks like
nothing but a password or a key is hidden, unless its name says that it is something else.
"""

import re
from collections.abc import Iterator

from walissh.safety import opaque
from walissh.safety.redact import More, Span

_SHOWS = re.compile(
    r"""(?x)
    (?<![\w./-])(?:
      (?:/usr)?(?:/bin/)?(?:env|printenv)(?![\w./=-])
      | (?:export|declare|typeset|set)\s*(?:-[px]\b|$|[|;&>])
      | (?:docker|podman|nerdctl|crictl)\s[^|;&]{0,200}?\b(?:inspect|config)\b
      | (?:kubectl|oc|helm)\s[^|;&]{0,200}?\b(?:describe|get|view|values|manifest)\b
      | systemctl\s[^|;&]{0,200}?\b(?:show|cat|show-environment)\b
      | ps\s+(?:-[\w]+\s+)*[a-zA-Z]*e[a-zA-Z]*\b
      | (?:terraform|tofu|pulumi|consul|etcdctl|crontab|pm2|supervisorctl|git\s+config)\b
    )
    | /proc/[^\s/]+/environ
    | \.env\b | \.(?:ini|cnf|conf|cfg|properties|ya?ml|toml|json|xml|tfvars|tfstate|rc)\b
    | /etc/(?:default|sysconfig|environment)\b
    """
)
_PAIR = re.compile(
    r"(?<![\w.$/-])(?P<name>[A-Za-z_][\w.-]{0,60})[\"']?\s{0,4}(?P<joint>=|:\s|=>)\s{0,4}[\"']?"
    r"(?P<value>[^\s\"',;=&<>]{8,200}={0,2})(?![\w=&(])"
)
_HARMLESS = re.compile(
    r"(?i)(?:path|home|dir|host|port|lang|lc_|term|shell|user|log|level|mode|tz|version|image|tag"
    r"|digest|commit|sha|rev|uid|gid|url|uri|endpoint|region|zone|namespace|node|pod|service"
    r"|container|color|opts|args|options|timeout|size|limit|date|time|sum|hash|file|cipher|class"
    r"|driver|type|format|pattern|encoding|address|addr|domain|email|etag|serial|uuid|public|pub"
    r"|cert|crt|finger|boot|invocation|machine|gpg|group|cpu|mem|disk|device|network|name)"
    r"|(?:^|[_.-])(?:id|ip|os|key_?id)s?$"
)


def finder(command: str) -> More | None:
    """Return what finds the values that *command* gives away, None if it shows no settings."""
    return _opaque_values if _SHOWS.search(command) else None


def _opaque_values(line: str) -> Iterator[Span]:
    for found in _PAIR.finditer(line):
        if _HARMLESS.search(found["name"]):
            continue
        least = 8 if found["joint"] == "=" else 12
        if opaque.is_opaque(found["value"], least=least, hexadecimal=True):
            yield Span(*found.span("value"), "value")
