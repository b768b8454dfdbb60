"""What kind of line it is: whether two differ in numbers only, and what is no text."""

import re

_DIGITS = b"0123456789"
_HEX = _DIGITS + b"abcdefABCDEF"
_NUMBER = re.compile(r"(?<![0-9A-Za-z])[a-fA-F]*+\d[0-9a-fA-F]*+|\d+")
_WORD = re.compile(r"[^\W\d_]{3,}|[\u3400-\u9fff]{2}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_UPPER = re.compile(r"[A-Z]")
_DIGIT = re.compile(r"[0-9+/=]")

BASE64_CHARS = 60
MAX_COMPARED = 4_000
PROSE_WORDS = 3


def skeletons(lines: list[str]) -> list[bytes]:
    """Return each line without its digits and hex letters, for a quick comparison."""
    # one call of C for the whole block: line by line it would be half of all the time
    whole = "\n".join(lines).encode("utf-8", "surrogatepass")
    return whole.translate(None, _HEX).split(b"\n")


def differ_in_numbers(one: str, other: str) -> bool:
    """Tell whether two lines of one skeleton are equal but for numbers and hex ids."""
    if _without_digits(one) == _without_digits(other):
        return True
    if max(len(one), len(other)) > MAX_COMPARED:
        return False
    return _masked(one) == _masked(other)


def _without_digits(line: str) -> bytes:
    return line.encode("utf-8", "surrogatepass").translate(None, _DIGITS)


def _masked(line: str) -> str:
    return _NUMBER.sub("#", line)


def is_prose(line: str) -> bool:
    """Tell whether *line* says something in words, as a log does and a row of figures not."""
    return len(_WORD.findall(line[:MAX_COMPARED])) >= PROSE_WORDS


def is_base64(line: str) -> bool:
    """Tell whether *line* is a full line of base64: no path, no list of sums."""
    if len(line) < BASE64_CHARS or " " in line:
        return False
    if not _BASE64.fullmatch(line):
        return False
    start = line[:1_000]
    upper, other = len(_UPPER.findall(start)), len(_DIGIT.findall(start))
    return 0.2 <= upper / len(start) <= 0.75 and other >= 2


def ends_base64(line: str) -> bool:
    """Tell whether *line* may be the shorter last line of a block of base64."""
    padded = len(line) >= 16 or line.endswith("=")
    return padded and len(line) % 4 == 0 and _BASE64.fullmatch(line) is not None


def is_binary(line: str) -> bool:
    """Tell whether much of *line* could not be decoded as text."""
    lost = line.count("\ufffd")
    return lost >= 3 and lost * 10 >= len(line)
