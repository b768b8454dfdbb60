"""History without what has had its day: for the model only, nothing stored changes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from walissh.react import attempts
from walissh.react.attempts import Attempt
from walissh.react.turn import Language, Message
from walissh.safety.condense import shape, wide
from walissh.safety.condense.notable import tells_of_trouble

LOOKED_AT: Final = 600
"""So many of the newest messages are looked at: what is older is sent as a summary."""

WHY_CHARS: Final = 160
PART_CHARS: Final = 30
"""Half of the shortest line of base64: such a line fills one part at least."""

_CITED = re.compile(r"\[\[([0-9a-f]{4,40})\b")
_DATA_URI = re.compile(
    r"data:(?P<kind>[\w.+-]+/[\w.+-]+)(?:;[\w=.+-]+)*;base64,[A-Za-z0-9+/=_-]{32,}"
)
_BASE64_LINES = re.compile(r"(?m)^(?:[A-Za-z0-9+/]{60,}={0,2}\n){5,}[A-Za-z0-9+/]*={0,2}$")
_BINARY = (
    "[... lines left out: {}] (binary, or text in another encoding than the host's: it is set on"
    " the page of the host, such as GBK)"
)
_CUT = "[... {} lines left out ...] ({})"


def clean(messages: Sequence[Message], *, language: Language = "en") -> tuple[Message, ...]:
    """Return *messages* one for one, old results that have had their day as one line each.

    An output of a command that ran again on the same host later, and an attempt that failed
    where a later one with the same program on that host worked. The newest round and what
    an answer cites stay whole, a person's refusal too; but images, base64 and what is no
    text go from everywhere. Doing it again changes nothing. Language: of the notes.
    """
    first = max(len(messages) - LOOKED_AT, 0)
    notes = _notes(messages, first, language)
    return (
        *messages[:first],
        *(
            _without_data(_with(messages[place], notes.get(place, [])), language)
            for place in range(first, len(messages))
        ),
    )


def _with(message: Message, notes: list[tuple[Attempt, str]]) -> Message:
    content = message.content
    for attempt, note in sorted(notes, key=lambda pair: -pair[0].start):
        content = content[: attempt.start] + note + content[attempt.end :]
    return message if content == message.content else replace(message, content=content)


# --- what has had its day -------------------------------------------------------------


def _notes(
    messages: Sequence[Message], first: int, language: Language
) -> Mapping[int, list[tuple[Attempt, str]]]:
    """Return for each place what stands instead of which attempts."""
    newest = max((at for at, each in enumerate(messages) if each.role == "user"), default=0)
    cited = _cited(messages[first:])
    again: dict[tuple[str, str], Attempt] = {}
    working: dict[tuple[str, str], Attempt] = {}
    notes: dict[int, list[tuple[Attempt, str]]] = {}
    for attempt in reversed(attempts.of(messages, first)):
        key = attempt.host, attempt.command
        better = working.get(attempt.purpose) if attempt.worked is False else None
        newer = again.get(key)
        if attempt.place < newest and not _is_cited(attempt, cited):
            note = _note(attempt, better, newer, language)
            if note and len(note) < attempt.end - attempt.start:
                notes.setdefault(attempt.place, []).append((attempt, note))
        if attempt.worked:
            working[attempt.purpose] = attempt
        if _has_output(attempt):
            again[key] = attempt
    return notes


def _note(
    attempt: Attempt, better: Attempt | None, newer: Attempt | None, language: Language
) -> str:
    if better is not None:
        return _failed(attempt, better, language)
    if newer is not None and _has_output(attempt) and (newer.worked or not attempt.worked):
        return _superseded(attempt, newer, language)
    return ""


def _has_output(attempt: Attempt) -> bool:
    """Tell whether it ran to its end; a page of an output that was read counts as well."""
    if attempt.exit_code is not None:
        return True
    said_by_us = attempt.text.startswith("[") and "\n" not in attempt.text
    return not attempt.is_block and bool(attempt.text) and not said_by_us


def _cited(messages: Sequence[Message]) -> set[str]:
    found: set[str] = set()
    for message in messages:
        if message.role == "assistant":
            found.update(_CITED.findall(message.content))
            found.update(_ids(message.meta.get("citations")))
    return found


def _ids(citations: object) -> list[str]:
    listed = citations if isinstance(citations, list | tuple) else []
    return [str(each["command_id"]) for each in listed if isinstance(each, dict) and each]


def _is_cited(attempt: Attempt, cited: set[str]) -> bool:
    return bool(attempt.command_id) and any(attempt.command_id.startswith(each) for each in cited)


# --- in one line ----------------------------------------------------------------------


def _superseded(attempt: Attempt, newer: Attempt, language: Language) -> str:
    where = _named(newer, language)
    if language == "zh":
        return _line(attempt, f"已被下面同一命令的新输出取代{where}")
    return _line(attempt, f"superseded by the newer output of the same command below{where}")


def _failed(attempt: Attempt, better: Attempt, language: Language) -> str:
    where, why = _named(better, language), _why(attempt)
    if language == "zh":
        why = f"：{why}" if why else ""
        return _line(attempt, f"失败的尝试{why}；之后成功{where}")
    why = f": {why}" if why else ""
    return _line(attempt, f"failed attempt{why}; a later one worked{where}")


def _line(attempt: Attempt, told: str) -> str:
    if not attempt.is_block:
        code = f"exit {attempt.exit_code}; " if attempt.exit_code is not None else ""
        return f"[{code}{told}]"
    return f"[command {attempt.command_id} on {attempt.host}: {attempt.state}; {told}]"


def _named(attempt: Attempt, language: Language) -> str:
    if not attempt.command_id:
        return ""
    return f"（{attempt.command_id}）" if language == "zh" else f" ({attempt.command_id})"


def _why(attempt: Attempt) -> str:
    """Return the line of the output that says best what went wrong, "" if there is none."""
    lines = [line for line in attempt.text.splitlines() if line.strip()]
    telling = next((line for line in reversed(lines) if tells_of_trouble(line)), "")
    why = " ".join((telling or (lines[-1] if lines else "")).split())[:WHY_CHARS]
    return why.replace("[", "(").replace("]", ")")


# --- what is no text ------------------------------------------------------------------


def _without_data(message: Message, language: Language) -> Message:
    content = message.content
    if "base64," in content:
        content = _DATA_URI.sub(lambda match: _data_note(match, language), content)
    if len(content) >= wide.BLOB_CHARS and _has_long_word(content):
        content = wide.without_blobs(content, language)
        content = _BASE64_LINES.sub(_base64_note, content)
    if "\ufffd" in content:
        content = _without_binary(content)
    return message if content == message.content else replace(message, content=content)


def _has_long_word(text: str) -> bool:
    """Tell quickly whether there may be a word that fills a line: most texts have none."""
    parts = (text[at : at + PART_CHARS] for at in range(0, len(text), PART_CHARS))
    return any(" " not in part and "\n" not in part for part in parts)


def _data_note(match: re.Match[str], language: Language) -> str:
    chars = len(match[0])
    if language == "zh":
        return f"[{match['kind']} 数据，{chars:,} 个字符，未发送]"
    return f"[{match['kind']} data, {chars:,} characters, not sent]"


def _base64_note(match: re.Match[str]) -> str:
    lines = match[0].split("\n")
    if not shape.is_base64(lines[0]):
        return match[0]
    return _CUT.format(len(lines), "base64")


def _without_binary(content: str) -> str:
    kept: list[str] = []
    count = 0
    for line in [*content.split("\n"), ""]:
        if shape.is_binary(line):
            count += 1
            continue
        if count:
            kept.append(_BINARY.format(count))
            count = 0
        kept.append(line)
    return "\n".join(kept[:-1])
