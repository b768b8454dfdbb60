"""What a person says of a server, and what that must be before it is stored."""

import codecs
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from walissh.errors import InvalidError
from walissh.react.circumstances import HostGate
from walissh.react.host import Auth

NO_CHARSETS = frozenset({"utf_7", "idna", "punycode", "unicode_escape", "raw_unicode_escape"})
"""Codecs of text that are no encoding of a terminal, and refuse or rewrite plain output."""


_NAME = re.compile(r"[\w][\w.-]{0,62}")
_ADDRESS = re.compile(r"[\w.:%-]{1,253}")
_USER = re.compile(r"[^\s\0@:/-][^\s\0@:/]{0,63}")


@dataclass(frozen=True, slots=True)
class HostDraft:
    """What a person says of a server; None in *secrets* removes that secret."""

    name: str
    address: str
    user: str
    port: int = 22
    auth: Auth = Auth.AUTO
    jump_id: str | None = None
    groups: tuple[str, ...] = ()
    stage: str = ""
    encoding: str = "utf-8"
    gate: HostGate = HostGate.USUAL
    secrets: Mapping[str, str | None] = field(default_factory=dict, repr=False)


def check(draft: HostDraft) -> None:
    """Raise InvalidError that names the first field which cannot be."""
    if not _NAME.fullmatch(draft.name):
        raise InvalidError(
            "A host name has up to 63 letters, digits, dots, hyphens and underscores.",
            field="name",
        )
    if not _ADDRESS.fullmatch(draft.address) or draft.address.startswith("-"):
        raise InvalidError("The address must be a host name or an IP address.", field="address")
    if not _USER.fullmatch(draft.user) or not draft.user.isprintable():
        raise InvalidError("The user must be a login name.", field="user")
    if not 0 < draft.port < 65536:
        raise InvalidError("The port must be from 1 to 65535.", field="port")
    if not all(_is_label(each) for each in (*draft.groups, draft.stage)):
        raise InvalidError("A group or stage has at most 64 visible characters.", field="groups")
    _check_encoding(draft.encoding)


def _is_label(label: str) -> bool:
    return len(label) <= 64 and not any(unicodedata.category(each)[0] == "C" for each in label)


def _check_encoding(encoding: str) -> None:
    try:
        codec = codecs.lookup(encoding)
        if codec.name.replace("-", "_") in NO_CHARSETS or b"a\n".decode(encoding) != "a\n":
            raise LookupError(encoding)
    except (LookupError, UnicodeError, ValueError) as error:
        raise InvalidError(
            f"{encoding!r} is not an encoding such as utf-8, gbk or latin-1.", field="encoding"
        ) from error
