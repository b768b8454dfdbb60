"""What a model server's failures mean, in sentences for a person.

``openai``'s own errors end here: above this package only ``walissh.errors`` is known.
"""

import json
import math
import os
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import openai

from walissh.clock import Clock
from walissh.errors import ContextTooLongError, ModelBusyError, ModelError, ModelRefusedError

MAX_WORDS = 400
WORTH_ANOTHER_TRY = frozenset({408, 409, 425, 429})
NO_MONEY = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
TOO_LONG_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error"})
TOO_LONG_WORDS = re.compile(
    r"context (length|window|size)|maximum context|prompt is too long|request too large"
    r"|exceeds? the (available|maximum) (context|number of tokens)",
    re.IGNORECASE,
)
WINDOW_WORDS = re.compile(
    r"(?:context (?:length|window|size)|maximum)\D{0,40}?(\d[\d,]{2,9}) tokens"
    r"|(?:context|window)\D{0,20}\((\d{3,9})(?: tokens)?\)",
    re.IGNORECASE,
)
LEAST_WINDOW = 512
KEY = re.compile(r"\bsk-[\w*.~+/-]{3,}|(?<=Bearer )\S{12,}")
MIN_KEY_CHARS = 8  # shorter ones ("none", "ollama") are no secrets, and ordinary words
ADVICE = {
    401: "Check OPENAI_API_KEY.",
    402: "Check the balance of the account that OPENAI_API_KEY belongs to.",
    403: "Check that the account of OPENAI_API_KEY may use this model.",
    404: "Check WALISSH_MODEL and OPENAI_BASE_URL.",
}
OPTIONAL_FIELDS = {
    "temperature": re.compile(r"\btemperature\b", re.IGNORECASE),
    "stream_options": re.compile(r"stream_options|include_usage", re.IGNORECASE),
    "max_completion_tokens": re.compile(r"\bmax_completion_tokens\b", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Server:
    """The model server as sentences name it; they never hold its key."""

    model: str
    url: str
    key: str = field(repr=False)

    def sentence(self, what: str, words: str = "", advice: str = "") -> str:
        """Return ``The model server at URL <what>: "<its words>". <advice>``."""
        quoted = f': "{self.clean(words)}"' if words.strip() else ""
        return f"The model server at {self.address} {what}{quoted}. {advice}".rstrip()

    @property
    def address(self) -> str:
        """The URL without the name and password that it may carry."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")

    def clean(self, words: str) -> str:
        """Return foreign *words* on one line, cut, without keys."""
        line = " ".join("".join(c if c.isprintable() else " " for c in words).split())
        hidden = line.replace(self.key, "***") if len(self.key) >= MIN_KEY_CHARS else line
        hidden = KEY.sub("***", hidden).rstrip(".")
        return hidden if len(hidden) <= MAX_WORDS else hidden[:MAX_WORDS] + "…"


def refused_field(error: openai.APIStatusError) -> str:
    """Return the optional field that the server will not take, "" if it means another."""
    if error.status_code not in (400, 422):
        return ""
    words = f"{error.param or ''} {_words(error.body)}"
    return next((name for name, sign in OPTIONAL_FIELDS.items() if sign.search(words)), "")


def translate(error: Exception, server: Server, now: Clock, partial: str = "") -> ModelError:
    """Return what *error* (of ``openai`` or the decoding of a chunk) means."""
    if isinstance(error, openai.APIStatusError):
        return _status(error, server, now(), partial)
    if isinstance(error, openai.APIConnectionError):
        return _connection(error, server, partial)
    if isinstance(error, openai.APIError):
        return _in_stream(error, server, partial)
    return ModelError(
        server.sentence("sent something that is not the chat completions format"), partial=partial
    )


def _status(
    error: openai.APIStatusError, server: Server, now: datetime, partial: str
) -> ModelError:
    words, status = _words(error.body), error.status_code
    what = f"answered {status}"
    if _is_too_long(error, words):
        return _too_long(server, error, words, partial)
    if _codes(error) & NO_MONEY:
        return ModelRefusedError(server.sentence(what, words, ADVICE[402]), partial=partial)
    if status in WORTH_ANOTHER_TRY or status >= 500:
        wait_s = retry_after_s(error.response.headers, now)
        return ModelBusyError(
            server.sentence(what, words, "Try again later."), retry_after_s=wait_s, partial=partial
        )
    advice = ADVICE.get(status, f"Check that the model {server.model} can do this.")
    return ModelRefusedError(server.sentence(what, words, advice), partial=partial)


def _connection(error: openai.APIConnectionError, server: Server, partial: str) -> ModelError:
    cause = "no connection in time" if isinstance(error, openai.APITimeoutError) else _root(error)
    what = "broke off in the middle of its answer" if partial else "could not be reached"
    return ModelBusyError(
        server.sentence(what, cause, "Check that it runs, and OPENAI_BASE_URL."), partial=partial
    )


def _in_stream(error: openai.APIError, server: Server, partial: str) -> ModelError:
    words = _words(error.body) or error.message
    if _is_too_long(error, words):
        return _too_long(server, error, words, partial)
    code = error.code or ""
    what = "broke off its answer with an error"
    is_final = code.isdigit() and 400 <= int(code) < 500 and int(code) not in WORTH_ANOTHER_TRY
    if is_final or error.type == "invalid_request_error" or _codes(error) & NO_MONEY:
        return ModelRefusedError(server.sentence(what, words), partial=partial)
    return ModelBusyError(server.sentence(what, words, "Try again later."), partial=partial)


def _too_long(server: Server, error: openai.APIError, words: str, partial: str) -> ModelError:
    what = f"cannot fit the talk into the window of {server.model}"
    return ContextTooLongError(
        server.sentence(what, words), window_tokens=_window(error.body, words), partial=partial
    )


def _window(body: object, words: str) -> int | None:
    """Return the size of the window that the server names: llama.cpp as a field, others in words.

    What is too small for any window is another number.
    """
    named = body.get("n_ctx") if isinstance(body, dict) else None
    found = WINDOW_WORDS.search(words)
    told = named if isinstance(named, int) else _named_number(found)
    return told if told >= LEAST_WINDOW else None


def _named_number(found: re.Match[str] | None) -> int:
    return int((found[1] or found[2]).replace(",", "")) if found else 0


def _is_too_long(error: openai.APIError, words: str) -> bool:
    if _codes(error) & TOO_LONG_CODES or getattr(error, "status_code", 0) == 413:
        return True
    return getattr(error, "status_code", 400) < 500 and bool(TOO_LONG_WORDS.search(words))


def _codes(error: openai.APIError) -> set[object]:
    return {each for each in (error.code, error.type) if isinstance(each, str)}


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return how long the server asks to wait: seconds or a date; None if it does not say."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    return seconds if seconds is not None else _until(value, now)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(date: str, now: datetime) -> float | None:
    try:
        at = parsedate_to_datetime(date)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=now.tzinfo)
    return max(0.0, (at - now).total_seconds())


def _words(body: object) -> str:
    """Return the human part of an error body: servers agree on no shape."""
    if isinstance(body, str):
        return "" if body.lstrip().startswith("<") else body  # a proxy's HTML page says nothing
    if isinstance(body, list) and body:
        return _words(body[0])
    if not isinstance(body, Mapping):
        return ""
    for name in ("message", "error", "detail", "msg"):
        value = body.get(name)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, Mapping):
            return _words(value)
    return json.dumps(body, ensure_ascii=False, default=str) if body else ""


def _root(error: BaseException) -> str:
    """Return the words of the deepest cause that has any, the system's own if there are."""
    causes = list(_causes(error))
    system = [each for each in causes if isinstance(each, OSError) and each.strerror]
    if system:
        return _system_words(system[-1])
    return next((str(each) for each in reversed(causes) if str(each)), "")


def _system_words(error: OSError) -> str:
    # asyncio puts its own words over the system's; resolver and TLS errors have other numbers
    has_own_numbers = isinstance(error, socket.gaierror | ssl.SSLError)
    number = None if has_own_numbers else error.errno
    return str(error.strerror) if number is None else os.strerror(number)


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause = error.__cause__ or error.__context__
    if isinstance(error, BaseExceptionGroup):
        cause = error.exceptions[0]
    if cause is not None:
        yield cause
        yield from _causes(cause)
