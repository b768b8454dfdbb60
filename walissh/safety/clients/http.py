"""What an HTTP request does: the method, where it goes, what it carries."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from walissh.react.turn import Risk
from walissh.safety import lists, paths
from walissh.safety.clients import sql, told, urls
from walissh.safety.clients.told import Told
from walissh.safety.clients.urls import Target
from walissh.safety.table import UNKNOWN

_ASKING = frozenset({"GET", "HEAD", "OPTIONS", "PROPFIND", "TRACE", "REPORT", "LIST", "NLST"})
_WRITING = frozenset(
    {"POST", "PUT", "PATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "PROPPATCH", "REFRESH"}
)
_DELETING = frozenset({"DELETE", "PURGE", "BAN", "FLUSH", "DEL", "DELE", "RMD"})
_DELETING_BODY = re.compile(
    r'(?i)"(remove_index|delete|drop\w*)"\s*:|\bFLUSHALL\b|_delete_by_query|<delete>'
    r"|\bdrop (database|table|measurement)"
)
OVERRIDE = re.compile(r"(?i)x-(?:http-)?method(?:-override)?\s*:\s*(\w+)")
_SYSTEM_FILE = re.compile(r"~?/(?!tmp/|dev/(null|shm))")


@dataclass(frozen=True, slots=True)
class Request:
    """One request. *texts* are the bodies as written, *files* the paths whose content goes along.

    *fed_body*: standard input goes along. *method* is "" if the client chooses.
    """

    url: str
    method: str = ""
    texts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    fed_body: bool = False
    body: bool = False
    globbing: bool = True
    limited: bool = False


@cache
def _rules() -> dict[str, re.Pattern[str]]:
    data: dict[str, str] = lists.load("walissh.safety.clients", "services.yaml")
    return {key: re.compile(re.sub(r"\s+", "", rule), re.I) for key, rule in data.items()}


def judge(request: Request) -> Told:
    """Judge *request* in all forms that its URL may take."""
    if UNKNOWN in request.url:
        return _half_known(request)
    targets = urls.targets(request.url, globbing=request.globbing)
    if targets is None:
        return told.unclear("argument", request.url)
    return told.worst(_one(request, target) for target in targets)


def _half_known(request: Request) -> Told:
    """Judge a URL with parts that are not known yet: they may carry data, or more words."""
    target = urls.target(request.url)
    known = target is not None and UNKNOWN not in target.host and target.host
    if known and target is not None:
        if target.metadata or _matches("secret", target):
            return told.exposes(request.url)
        effect = _method(request, target)
        if effect.risk is Risk.DESTRUCTIVE:
            return effect
        if not target.internal:
            return told.sends(request.url)
    return told.unclear("argument", request.url)


def _one(request: Request, target: Target) -> Told:
    if target.scheme == "file":
        return Told(Risk.READ_ONLY, shown=(target.path,))
    if target.scheme in {"ftp", "ftps", "sftp", "scp"}:
        return told.worst(_parts(request, target))
    if target.scheme not in {"http", "https", "h2c"}:
        return _other_scheme(target)
    if target.metadata:
        return _metadata(request, target)
    return told.worst(_parts(request, target))


def _parts(request: Request, target: Target) -> Iterator[Told]:
    carried, effect = _carried(request, target), _method(request, target)
    yield carried
    if carried.risk is Risk.SECRET_EXPOSURE and effect.risk is Risk.MUTATING:
        return  # what it changes is elsewhere; that it sends is what matters here
    yield effect
    secret = _matches("secret", target)
    if secret and effect.risk is Risk.READ_ONLY:
        yield told.exposes(target.text)
    if effect.risk is Risk.READ_ONLY and not request.limited and _matches("endless", target):
        yield told.waits("curl --max-time 5 URL", code="endless")


def _metadata(request: Request, target: Target) -> Told:
    plain = request.method in {"", "GET", "HEAD"} and not request.body
    if plain and _matches("metadata", target):
        return told.READS
    return told.exposes(target.host + target.path)


def _other_scheme(target: Target) -> Told:
    if re.search(r"(?i)flush|shutdown|del|drop|quit|%0|\n|\r", target.path):
        return told.destroys(f"{target.scheme}://{target.host}{target.path}")
    return told.unclear("scheme", target.scheme)


def _matches(name: str, target: Target) -> bool:
    rule = _rules()[name]
    if name == "secret":
        return bool(rule.match(target.text) or rule.match(f":{target.port}{target.text}"))
    return rule.fullmatch(target.text) is not None


# --- what it does there ---------------------------------------------------------------


def _method(request: Request, target: Target) -> Told:
    method = (request.method or ("POST" if request.body else "GET")).upper()
    shown = f"{method} {target.host}{target.text}"
    if UNKNOWN in method:
        return told.unclear("argument", shown)
    if method in _DELETING:
        return told.destroys(shown)
    if method in _ASKING:
        return _query(target, shown) or _acting(request, target, shown)
    if method == "POST" and UNKNOWN not in request.url:
        asked = _asking_post(request, target)
        if asked is not None:
            return asked
    if method in _WRITING:
        return _written(request, target, shown)
    return told.unclear("argument", shown)


def _acting(request: Request, target: Target, shown: str) -> Told:
    if request.method.upper() in {"HEAD", "OPTIONS"}:
        return told.READS
    if _rules()["destroys"].fullmatch(target.path) and not _matches("asks", target):
        return told.destroys(shown)
    return told.changes(shown) if _matches("acts", target) else told.READS


def _query(target: Target, shown: str) -> Told | None:
    """Judge SQL in the query of databases that take it there; None if there is none."""
    found = re.search(r"(?:^|&)(q|query|sql|db_query)=([^&]*)", target.query)
    if found is None:
        return None
    text = found[2].replace("+", " ")
    if found[1] == "q" and (target.port == "8086" or target.path.endswith("/query")):
        return sql.judge(text, "influx")
    if found[1] in {"query", "sql"} and (target.port == "8123" or target.path in {"/", "/exec"}):
        return sql.judge(text, "clickhouse")
    return None


def _asking_post(request: Request, target: Target) -> Told | None:
    """Judge a POST that may only ask; None if it does more."""
    if target.port == "8123" and not request.files and not request.fed_body:
        asked = _query(target, target.text) or told.READS
        return told.worst([asked, sql.judge(" ".join(request.texts), "clickhouse")])
    if target.path.endswith("/query") and target.port == "8086":
        return told.worst(sql.judge(_form_query(text), "influx") for text in request.texts)
    if target.path.endswith("/kv/range"):
        return told.exposes(target.path)
    if re.fullmatch(r"/_(sql|query|plugins/_sql|opendistro/_sql)", target.path):
        return None if any(map(sql.dangerous, request.texts)) else told.READS
    if _matches("asks", target):
        return told.READS
    if target.path.endswith("/graphql") and request.texts and not request.files:
        text = " ".join(request.texts)
        return None if re.search(r"(?i)mutation|\\u00|\\x|\0", text) else told.READS
    return None


def _form_query(text: str) -> str:
    from urllib.parse import unquote_plus

    return unquote_plus(text.removeprefix("q="))


def _written(request: Request, target: Target, shown: str) -> Told:
    body = " ".join(request.texts)
    gone = _DELETING_BODY.search(body)
    if gone or _rules()["destroys"].fullmatch(target.text):
        return told.destroys(shown)
    return told.changes(shown)


# --- what it takes along --------------------------------------------------------------


def _carried(request: Request, target: Target) -> Told:
    """Tell whether data of this machine goes to another one."""
    risky = [path for path in request.files if _is_of_system(path, target)]
    if risky:
        return told.sends(risky[0])
    unknown_body = any(UNKNOWN in text for text in request.texts)
    if (request.fed_body or unknown_body) and not target.internal:
        return told.sends(target.host)
    if unknown_body:
        return told.unclear("argument", next(text for text in request.texts if UNKNOWN in text))
    return Told(Risk.READ_ONLY, shown=request.files)


def _is_of_system(path: str, target: Target) -> bool:
    if paths.secret(path) or UNKNOWN in path:
        return True
    return _SYSTEM_FILE.match(path) is not None or not target.internal
