"""curl: its options, the requests that they make, and the files that they write."""

import re
from collections.abc import Iterator

from walissh.react.turn import Risk
from walissh.safety.clients import databases, http, options, told, urls
from walissh.safety.clients.http import Request
from walissh.safety.clients.options import Options
from walissh.safety.clients.told import Told
from walissh.safety.table import UNKNOWN

_DATA = ("--data", "--data-ascii", "--data-binary", "--data-urlencode", "--json", "--url-query")
_RAW = ("--data-raw", "--form-string")
_OUTPUTS = (
    "--output", "--trace", "--trace-ascii", "--dump-header", "--cookie-jar", "--stderr",
    "--libcurl",
    "--hsts", "--alt-svc", "--etag-save", "--ssl-sessions",
)  # fmt: skip
_NOWHERE = frozenset({"-", "/dev/null", "/dev/stdout", "/dev/stderr", ""})
_FTP_READS = re.compile(
    r"(?i)[-+*]*(pwd|stat|syst|list|nlst|size|mdtm|noop|help|feat|ls|cwd|cd)\b.*"
)


def judge(program: str, args: tuple[str, ...], *, fed: bool) -> Told:
    """Judge a call of curl."""
    given = options.read(options.spec("curl"), args)
    if given.has("--version", "--manual") or (given.has("--help") and not given.unknown):
        return told.READS
    return told.worst([*_options(given), *_requests(given, fed=fed)])


def _options(given: Options) -> Iterator[Told]:
    plain = Options(tuple(pair for pair in given.given if pair[0] not in _MAY_VARY), ())
    if given.unknown:
        yield told.unclear("flag", given.unknown)
    yield from databases.effects(options.spec("curl"), plain)
    for name, value in given.given:
        if name in _OUTPUTS and value not in _NOWHERE:
            yield Told(Risk.MUTATING, code="redirect", word=value)
        elif name == "--quote" and not _FTP_READS.fullmatch(value):
            deletes = re.match(r"(?i)[-+*]*(dele|rmd|rm|rmdir|rename|rnfr)\b", value)
            yield told.destroys(value) if deletes else told.changes(value)
    if given.has("--remote-name", "--remote-name-all", "--remote-header-name"):
        yield told.changes("curl -O")
    yield from _formats(given)


_CARRIERS = frozenset({"--header", "--user", "--user-agent", "--referer", "--cookie"})
_MAY_VARY = frozenset({*_DATA, *_RAW, *_CARRIERS, "--form", "--url", "--upload-file"})


def _formats(given: Options) -> Iterator[Told]:
    for value in given.values("--write-out"):
        if "%output{" in value or UNKNOWN in value:
            yield Told(Risk.MUTATING, code="redirect", word=value)
        elif value.startswith("@"):
            yield Told(Risk.READ_ONLY, shown=(value[1:],))
    for value in given.values("--user", "--proxy-user"):
        if ":" not in value and UNKNOWN not in value:
            yield Told(Risk.READ_ONLY, True, "no_terminal", value, "", True)
    for name, value in given.given:
        if name in _CARRIERS and UNKNOWN in value:
            hosts = [urls.target(each) for each in (*given.rest, *given.values("--url"))]
            away = any(host and not host.internal for host in hosts)
            yield told.sends(name) if away else told.unclear("argument", name)
        if name == "--variable":
            yield told.unclear("flag", name)


# --- its requests ---------------------------------------------------------------------


def _requests(given: Options, *, fed: bool) -> Iterator[Told]:
    texts, paths = _bodies(given)
    to_query = given.has("--get")
    uploads = given.values("--upload-file")
    sent = tuple(path for path in (*paths, *uploads) if path not in {"-", "."})
    from_stdin = len(sent) < len(paths) + len(uploads)
    for method in _methods(given, body=bool(texts or paths)):
        for url in (*given.rest, *given.values("--url")):
            if url.startswith("@"):
                yield told.unclear("unseen", url)
            query = "&".join(texts) if to_query else ""
            full = f"{url}{'&' if '?' in url else '?'}{query}" if query else url
            yield http.judge(
                Request(
                    full, method, () if to_query else texts, sent, from_stdin,
                    body=bool(texts or paths or uploads) and not to_query,
                    globbing=not given.has("--globoff"),
                    limited=given.has("--max-time", "--head"),
                )
            )  # fmt: skip
    yield from _other_ways(given)


def _methods(given: Options, *, body: bool) -> list[str]:
    """Return the methods that may be used: several after ``--next``."""
    named = given.values("--request")
    headers = [
        found[1] for value in given.values("--header") if (found := http.OVERRIDE.match(value))
    ]
    if named or headers:
        return [*named, *headers]
    if given.has("--upload-file"):
        return ["PUT"]
    if given.has("--head"):
        return ["HEAD"]
    if body and not given.has("--get"):
        return ["POST"]
    return [""]


def _bodies(given: Options) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the bodies written on the line, and the files read into others."""
    texts: list[str] = []
    paths: list[str] = []
    for name, value in given.given:
        if name in _RAW:
            texts.append(value)
        elif name in {"--data-urlencode", "--url-query"} and not value.startswith("="):
            text, at, path = value.partition("@")
            (paths if at and "=" not in text else texts).append(
                path if at and "=" not in text else value
            )
        elif name in _DATA:
            (paths if value.startswith("@") else texts).append(value.removeprefix("@"))
        elif name == "--form":
            _form(value, texts, paths)
        elif name in {"--header", "--proxy-header"} and value.startswith("@"):
            paths.append(value[1:])
        elif name == "--cookie" and "=" not in value and value:
            paths.append(value)
    return tuple(texts), tuple(paths)


def _form(value: str, texts: list[str], paths: list[str]) -> None:
    _, _, content = value.partition("=")
    found = re.findall(r"(?:^|,)[@<]\"?([^;,\"]+)", content)
    if content.startswith(("@", "<")):
        paths.extend(found or [UNKNOWN])
    elif re.search(r"[=;(,][@<]", content):
        paths.append(UNKNOWN)
    else:
        texts.append(content)


def _other_ways(given: Options) -> Iterator[Told]:
    """Judge hosts that are reached in place of the URL's own."""
    for value in given.values("--resolve", "--connect-to", "--proxy", "--preproxy", "--doh-url"):
        parts = re.findall(r"\[[^\]]*\]|[^:,/@]+", value)
        hosts = [urls.target(part.strip("+-*")) for part in parts]
        if any(host and host.metadata for host in hosts):
            yield told.exposes(value)
