"""The configuration of nginx as rows: every directive with its file, line and block.

It reads what ``grep -n`` shows of ``nginx -T``, or ``grep -rn`` of the files: ``12:text`` or
``/etc/nginx/site.conf:12:text``. Lines that the search left out are no harm, as long as all
braces are there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from typing import Final
from urllib.parse import urlsplit

from walissh.brain.parse import PLACE, Line, Place, Row

_HEADER = re.compile(r"^(\d+):# configuration file (\S+?):?$")
_IN_DUMP = re.compile(r"^(\d+):(.*)$")
_IN_FILE = re.compile(r"^(/[^:]+):(\d+):(.*)$")
_TOKEN = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[{};]|(?:\$\{\w+\}|\\.|[^\s{};])+")
_PASS: Final = frozenset({"proxy_pass", "fastcgi_pass", "uwsgi_pass", "grpc_pass", "scgi_pass"})
_PORT_OF: Final[Mapping[str, int]] = {"https": 443, "grpcs": 443}
_LOCAL: Final = frozenset({"127.0.0.1", "localhost", "::1", "0.0.0.0"})  # noqa: S104
_INHERITED: Final = (
    "root", "client_max_body_size", "index", "error_page", "return", "autoindex", "rewrite",
    "proxy_read_timeout", "proxy_buffer_size", "fastcgi_buffer_size", "limit_req", "limit_conn",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Directive:
    key: str
    value: str
    file: str
    line: int
    place: Place


@dataclass(slots=True)
class _Block:
    """An open block: what kind, its argument, and what stands directly in it."""

    kind: str
    value: str
    opened: _Directive
    inside: list[_Directive] = field(default_factory=list)
    blocks: list["_Block"] = field(default_factory=list)


def by_config(lines: Sequence[Line], command_id: str) -> list[Row]:
    """Return one row for each directive, and one with key ``target`` for each place passed to.

    Fields: key, value, file, line, block (its kind), server (``file:line`` of the server
    block), names, listens (ports), location, upstream. A target has also host, port, unix,
    local, and where the address stands: at_file, at_line.
    """
    files: dict[str, _Block] = {}
    stack, waiting = list[_Block](), list[str]()
    for file, number, text, place in _numbered(lines, command_id):
        if file not in files:  # each stands whole in the dump, wherever it is included
            files[file] = _Block("main", "", _Directive("main", "", file, 0, place))
            stack, waiting = [files[file]], []
        for word in _TOKEN.findall(_bare(text)):
            waiting = _take(word, stack, waiting, _Directive("", "", file, number, place))
    return list(_rows(_whole(files))) if files else []


def _whole(files: Mapping[str, _Block]) -> _Block:
    """Put included files where they are included; the rest belongs to the first one."""
    top = next(iter(files.values()))
    used = {top.opened.file}
    _include(top, files, used)
    for file, block in files.items():
        if file not in used:
            used.add(file)
            _include(block, files, used)
            top.inside += block.inside
            top.blocks += block.blocks
    return top


def _include(block: _Block, files: Mapping[str, _Block], used: set[str]) -> None:
    for said in [each for each in block.inside if each.key == "include"]:
        folder = said.file.rpartition("/")[0].partition("/conf.d")[0].partition("/sites-")[0]
        pattern = said.value if said.value.startswith("/") else f"{folder}/{said.value}"
        for file in [each for each in files if fnmatch(each, pattern)]:
            if file not in used or block.kind in ("server", "location"):
                used.add(file)
                block.inside += [each for each in files[file].inside if each not in block.inside]
                block.blocks += [each for each in files[file].blocks if each not in block.blocks]
    for each in block.blocks:
        if each.opened.file == block.opened.file or block.kind != "main":
            _include(each, files, used)


def _numbered(lines: Sequence[Line], command_id: str) -> Iterator[tuple[str, int, str, Place]]:
    file, start = "", 0
    for line in lines:
        place = Place(command_id, line.number, line.number)
        if header := _HEADER.match(line.text):
            file, start = header[2], int(header[1])
        elif found := _IN_FILE.match(line.text):
            yield found[1], int(found[2]), found[3], place
        elif found := _IN_DUMP.match(line.text):
            yield file, int(found[1]) - start, found[2], place


def _bare(text: str) -> str:
    """Return *text* without its comment."""
    return re.sub(r"(?:^|(?<=[\s;{}]))#.*$", "", text)


def _take(word: str, stack: list[_Block], waiting: list[str], here: _Directive) -> list[str]:
    """Add one word to the tree; return the words of the directive that is still open."""
    if word not in "{};":
        return [*waiting, word.strip("\"'")]
    key, value = (waiting[0], " ".join(waiting[1:])) if waiting else ("", "")
    said = replace(here, key=key, value=value)
    if word == "{":
        block = _Block(key, value, said)
        stack[-1].blocks.append(block)
        stack.append(block)
    elif word == "}" and len(stack) > 1:
        stack.pop()
    elif word == ";" and key:
        stack[-1].inside.append(said)
    return []


def _rows(top: _Block) -> Iterator[Row]:
    upstreams = {each.value: each for each in _blocks(top, "upstream")}
    servers = list(_blocks(top, "server"))
    for block in [top, *_blocks(top, "http"), *_blocks(top, "events"), *upstreams.values()]:
        upstream = block.value if block.kind == "upstream" else ""
        yield from (_row(each, block, upstream=upstream) for each in block.inside)
    for server in servers:
        yield from _server_rows(server, upstreams)


def _blocks(top: _Block, kind: str) -> Iterator[_Block]:
    for each in top.blocks:
        if each.kind == kind:
            yield each
        yield from _blocks(each, kind)


def _server_rows(server: _Block, upstreams: Mapping[str, _Block]) -> Iterator[Row]:
    given = {
        "server": f"{server.opened.file}:{server.opened.line}",
        "names": _joined(server, "server_name"),
        "listens": [_port(each.value) for each in server.inside if each.key == "listen"] or [80],
        "default": any("default_server" in e.value for e in server.inside if e.key == "listen"),
    }
    yield _row(server.opened, server, **given)
    for block, location in _with_locations(server, ""):
        if block is not server:
            yield _row(replace(block.opened, value=block.value), block, location=location, **given)
        for each in block.inside:
            row = _row(each, block, location=location, **given)
            yield row
            if each.key in _PASS:
                yield from _targets(row, upstreams)


def _with_locations(block: _Block, location: str) -> Iterator[tuple[_Block, str]]:
    yield block, location
    for each in block.blocks:
        name = each.value if each.kind == "location" else location
        yield from _with_locations(each, name)


def _joined(block: _Block, key: str) -> str:
    return " ".join(each.value for each in block.inside if each.key == key)


def _port(listen: str) -> int:
    word = listen.split(maxsplit=1)[0] if listen else ""
    found = re.search(r"(?:^|:)(\d+)$", word)
    return int(found[1]) if found else 80


def _row(said: _Directive, block: _Block, **more: object) -> dict[str, object]:
    empty = {"server": "", "names": "", "listens": [], "location": "", "upstream": ""}
    return {
        **empty, "default": False, "key": said.key, "value": said.value, "file": said.file,
        "line": said.line, "block": block.kind, "at": f"{said.file}:{said.line}", **more,
        PLACE: said.place,
    }  # fmt: skip


def _targets(row: Row, upstreams: Mapping[str, _Block]) -> Iterator[Row]:
    name = re.sub(r"^\w+://", "", str(row["value"])).split("/")[0]
    scheme = str(row["value"]).partition("://")[0]
    if name in upstreams:
        block = upstreams[name]
        for each in block.inside:
            if each.key == "server":
                address = _address(each.value, scheme)
                yield {**row, "key": "target", "upstream": name, "value": row["value"],
                       "at": f"{each.file}:{each.line}", **address, PLACE: each.place}  # fmt: skip
        return
    yield {**row, "key": "target", **_address(str(row["value"]), scheme)}


def _address(value: str, scheme: str) -> dict[str, object]:
    """Return host, port and unix of ``http://host:port/..``, ``host:port`` or ``unix:/path``."""
    word = value.split(maxsplit=1)[0] if value else ""
    if unix := re.search(r"unix:(/[^:;\s]+)", word):
        return {"host": None, "port": None, "unix": unix[1], "local": True, "address": unix[1]}
    bare = re.sub(r"^\w+://", "", word).split("/")[0]
    host, _, port = bare.rpartition(":") if re.search(r":\d+$", bare) else (bare, "", "")
    number = int(port) if port else _PORT_OF.get(scheme, 80)
    known = re.fullmatch(r"[\w.\[\]:-]+", bare) is not None  # no $variable, no shell word
    return {
        "host": host.strip("[]") if known else None, "port": number if known else None,
        "unix": None, "local": host.strip("[]") in _LOCAL, "address": f"{host}:{number}",
    }  # fmt: skip


def route(rows: Iterable[Row], url: object) -> list[Row]:
    """Return the rows of the server and location that answer *url*, the location's first.

    First comes a row with key ``route``: server, location, names, default (no server has the
    name), and root, alias, client_max_body_size, index, return and their places ``*_at``.
    Every row has the ``url``.
    """
    parts = urlsplit(str(url))
    known = list(rows)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    servers = [each for each in known if each["key"] == "server" and each["block"] == "server"]
    here = [each for each in servers if port in _ports(each)]
    chosen, by_name = _chosen(here, (parts.hostname or "").casefold())
    if chosen is None:
        return []
    own = [each for each in known if each["server"] == chosen["server"]]
    location = _location(own, parts.path or "/")
    inside = [each for each in own if each["location"] == location]
    outer = [each for each in known if each["block"] in ("http", "main")]
    scopes = (inside, [each for each in own if not each["location"]], outer)
    found = [_summary(chosen, location, scopes, by_name=by_name), *inside]
    return [{**each, "url": str(url)} for each in found]


def _ports(server: Row) -> Sequence[object]:
    ports = server["listens"]
    return ports if isinstance(ports, Sequence) else ()


def _chosen(servers: Sequence[Row], host: str) -> tuple[Row | None, bool]:
    for each in servers:
        if any(_names(name, host) for name in str(each["names"]).casefold().split()):
            return each, True
    fallback = [each for each in servers if each["default"]] or list(servers)
    return (fallback[0] if fallback else None), False


def _names(name: str, host: str) -> bool:
    if name.startswith("~"):
        try:
            return re.search(name[1:], host) is not None
        except re.error:
            return False
    if name.startswith("*."):
        return host.endswith(name[1:])
    if name.startswith("."):
        return host == name[1:] or host.endswith(name)
    return name == host or (name.endswith(".*") and host.startswith(name[:-1]))


def _location(own: Sequence[Row], path: str) -> str:
    """Return the location that nginx takes for *path*: exact, longest prefix, first regex."""
    patterns = list(dict.fromkeys(str(each["location"]) for each in own if each["location"]))
    split = [(each, *_sign_and_text(each)) for each in patterns]
    for whole, sign, text in split:
        if sign == "=" and text == path:
            return whole
    prefixes = [each for each in split if each[1] in ("", "^~") and path.startswith(each[2])]
    best = max(prefixes, key=lambda each: len(each[2]), default=("", "", ""))
    if best[1] != "^~":
        for whole, sign, text in split:
            if sign in ("~", "~*") and _fits(text, path, sign):
                return whole
    return best[0]


def _sign_and_text(location: str) -> tuple[str, str]:
    sign, gap, text = location.partition(" ")
    return (sign, text.strip()) if gap else ("", sign)


def _fits(pattern: str, path: str, sign: str) -> bool:
    try:
        return re.search(pattern, path, re.IGNORECASE if sign == "~*" else 0) is not None
    except re.error:
        return False


def _summary(
    server: Row, location: str, scopes: Iterable[Iterable[Row]], *, by_name: bool
) -> dict[str, object]:
    found: dict[str, object] = {}
    for scope in scopes:
        for each in scope:
            key = str(each["key"])
            if key in (*_INHERITED, "alias", "try_files") and key not in found:
                found |= {key: each["value"], f"{key}_at": each["at"], f"{key}_place": each[PLACE]}
    empty = dict.fromkeys((*_INHERITED, "alias", "try_files"))
    return {
        **empty, **found, "key": "route", "server": server["server"], "names": server["names"],
        "listens": server["listens"], "location": location or "/", "by_name": by_name,
        "at": server["server"], PLACE: server[PLACE],
    }  # fmt: skip
