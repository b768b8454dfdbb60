"""When a rule holds: hours and days, taken out of a clause of English or Chinese."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from walissh.memory.rules.vocabulary import vocabulary

DAY = 24 * 60
ALL_DAYS = frozenset(range(7))


@dataclass(frozen=True, slots=True)
class Window:
    """Minutes of the day from *from_minute* until before *to_minute*, on *days* (Monday is 0).

    One that ends before it begins runs over midnight; its days are those on which it begins.
    """

    from_minute: int
    to_minute: int
    days: frozenset[int] = ALL_DAYS

    def holds(self, at: datetime) -> bool:
        """Tell whether *at*, already in the rule's zone, lies inside."""
        minute, day = at.hour * 60 + at.minute, at.weekday()
        if self.from_minute < self.to_minute:
            return day in self.days and self.from_minute <= minute < self.to_minute
        if minute >= self.from_minute:
            return day in self.days
        return minute < self.to_minute and (day - 1) % 7 in self.days


@dataclass(frozen=True, slots=True)
class Hours:
    """What a clause says of time; *rest* is the clause without it.

    No windows means always. With *outside* the rule holds outside of them. *zone* is "" if
    none was named; *known* is False for one that is not known here.
    """

    windows: tuple[Window, ...]
    outside: bool
    zone: str
    known: bool
    rest: str


def zone_of(name: str) -> tzinfo | None:
    """Return the zone of an IANA name, UTC, or UTC+8; None if there is none such."""
    offset = re.fullmatch(r"(?i)(?:UTC|GMT)\s*([+-])(\d{1,2})(?::?(\d{2}))?", name)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        if minutes > 14 * 60:
            return None
        return timezone(timedelta(minutes=minutes if offset[1] == "+" else -minutes))
    try:
        return ZoneInfo(name.upper() if name.upper() in ("UTC", "GMT") else name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def take(clause: str) -> Hours:
    """Find the hours, days and zone of *clause*, and return it without them."""
    zone, text = _zone(clause)
    spans: list[tuple[int, int]] = []
    ranges: list[tuple[int, int]] = []
    days: set[int] = set()
    fixed: list[Window] = []
    outside = False
    for reader in (_chinese, _english, _named, _day_names):
        for start, end, found in reader(text):
            if any(start < b and a < end for a, b in spans):
                continue
            spans.append((start, end))
            ranges += found.ranges
            days |= found.days
            fixed += found.windows
            outside |= found.outside
    rest, excepted = _without(text, spans)
    outside |= excepted
    windows = _joined(ranges, days, fixed)
    known = not zone or zone_of(zone) is not None
    return Hours(windows, outside and bool(windows), zone, known, rest)


@dataclass(frozen=True, slots=True)
class _Found:
    ranges: tuple[tuple[int, int], ...] = ()
    days: frozenset[int] = frozenset()
    windows: tuple[Window, ...] = ()
    outside: bool = False


_Taken = tuple[int, int, _Found]


def _joined(
    ranges: list[tuple[int, int]], days: set[int], fixed: list[Window]
) -> tuple[Window, ...]:
    on = frozenset(days) or ALL_DAYS
    made = [Window(start, end, on) for start, end in ranges]
    for window in fixed:
        narrowed = window.days & on if days else window.days
        made.append(Window(window.from_minute, window.to_minute, narrowed))
    if days and not made:
        made.append(Window(0, DAY, on))
    return tuple(dict.fromkeys(made))


_BEFORE = re.compile(
    r"(?:(?P<out>\boutside(?: of)?|\bexcept(?: for)?|\bother than|\bbut(?: not)?|除了?|非)"
    r"|\b(?:only|on|in|at|during|within|over|every|each|any|the|for|from|between|as of|and|or)"
    r"|[每在逢于和与及、,])\s*$",
    re.I,
)
_AFTER = re.compile(
    r"^\s*(?:(?P<out>以外|之外|外(?=[\s,，。的]|$))(?:的?(?:时间|时段|时候))?"
    r"|的?(?:之间|期间|这段时间|时间段|时段|时间内|时间里|时间|以内|之内|时候)"
    r"|[内里中时](?=[\s,，不别禁严都]|$)"
    r"|hours?\b|o'?clock\b|at\b(?=\s*$))",
    re.I,
)


def _without(text: str, spans: list[tuple[int, int]]) -> tuple[str, bool]:
    """Cut the spans out with the small words around; tell whether the outside was meant."""
    outside = False
    for start, end in sorted(spans, reverse=True):
        head, tail = text[:start], text[end:]
        while after := _AFTER.match(tail):
            outside |= bool(after["out"])
            tail = tail[after.end() :]
        while before := _BEFORE.search(head):
            if before[0].strip().lower() == "only":
                break
            outside |= bool(before["out"])
            head = head[: before.start()]
        text = f"{head} {tail}"
    return text, outside


# --- words for times ------------------------------------------------------------------------


def _named(text: str) -> Iterator[_Taken]:
    for words, spec in vocabulary().times:
        for match in words.finditer(text):
            days = frozenset(spec.get("days", ()))
            hours = spec.get("hours")
            if spec.get("together") and hours:
                window = Window(hours[0] * 60, hours[1] * 60, days or ALL_DAYS)
                found = _Found(windows=(window,), outside=bool(spec.get("outside")))
                yield match.start(), match.end(), found
            elif hours:
                yield match.start(), match.end(), _Found(((hours[0] * 60, hours[1] * 60),), days)
            else:
                yield match.start(), match.end(), _Found(days=days)


# --- Chinese ----------------------------------------------------------------------------------

_DIGITS = "零一二三四五六七八九"
_NUMBER = r"(?:\d{1,2}|二?十[一二三四五六七八九]?|[零一二两三四五六七八九])"
_PART = r"(?:凌晨|清晨|早上|早晨|清早|上午|中午|正午|下午|午后|傍晚|晚上|夜里|夜间|半夜|深夜|晚|早)"
_CLOCK = (
    rf"(?P<part{{0}}>{_PART})?\s*(?P<hour{{0}}>{_NUMBER})\s*"
    rf"(?:[:：](?P<digits{{0}}>[0-5]\d)"
    rf"|(?P<dot{{0}}>[点时])(?P<minute{{0}}>半|一刻|三刻|{_NUMBER}分)?(?:钟|整)?)"
)
_BARE = rf"(?P<part{{0}}>{_PART})?\s*(?P<hour{{0}}>{_NUMBER})"
_TO = r"\s*(?:到|至|-|–|—|~|～)+\s*"


def _group(clock: str, number: str) -> str:
    """Return the pattern with its groups numbered: a name may stand but once."""
    return clock.replace("{0}", number)


_ZH_RANGE = re.compile(
    "(?:从|自)?(?:"
    + _group(_CLOCK, "1")
    + "|"
    + _group(_BARE, "1b")
    + ")"
    + _TO
    + _group(_CLOCK, "2")
)
_ZH_ONE = re.compile(
    _group(_CLOCK, "1") + r"\s*(?P<side>以后|之后|过后|开始|以前|之前|后|起|前)(?!先|问)"
)


def _chinese(text: str) -> Iterator[_Taken]:
    for match in _ZH_RANGE.finditer(text):
        if re.search(_PART + "|[点时]|[到至]", match[0]):
            group = "1" if match["hour1"] else "1b"
            start = _minutes(match, group)
            yield match.start(), match.end(), _Found(((start, _end(match, start, group)),))
    for match in _ZH_ONE.finditer(text):
        minute = _minutes(match, "1")
        after = match["side"] in ("以后", "之后", "过后", "开始", "后", "起")
        yield match.start(), match.end(), _Found(((minute, DAY) if after else (0, minute),))


def _minutes(match: re.Match[str], group: str, part: str = "") -> int:
    named = match[f"part{group}"] or part
    hour = _number(match[f"hour{group}"])
    if (
        (named in ("下午", "午后", "傍晚") and hour < 12)
        or (named in ("晚上", "夜里", "夜间", "半夜", "深夜", "晚") and 5 <= hour <= 12)
        or (named in ("中午", "正午") and hour < 4)
    ):
        hour += 12
    elif named == "凌晨" and hour == 12:
        hour = 0
    fields = match.groupdict()
    past = fields.get(f"digits{group}") or fields.get(f"minute{group}") or "0"
    extra = {"半": 30, "一刻": 15, "三刻": 45}.get(past)
    return min(hour * 60 + (_number(past.rstrip("分")) if extra is None else extra), DAY)


def _end(match: re.Match[str], start: int, group: str) -> int:
    end = _minutes(match, "2")
    if match["part2"] or end > start:
        return end
    same = _minutes(match, "2", match[f"part{group}"] or "")
    if same > start:
        return same
    morning = (match[f"part{group}"] or "") in ("早上", "早晨", "清早", "上午", "清晨", "早")
    return end + DAY // 2 if morning and end + DAY // 2 > start else end


def _number(text: str) -> int:
    if text.isascii():
        return int(text)
    text = text.replace("两", "二")
    if "十" in text:
        tens, _, ones = text.partition("十")
        return (_DIGITS.index(tens) if tens else 1) * 10 + (_DIGITS.index(ones) if ones else 0)
    return _DIGITS.index(text)


# --- English ----------------------------------------------------------------------------------

_EN_CLOCK = (
    r"(?:(?P<hour{0}>\d{1,2})(?:[:.h](?P<minute{0}>[0-5]\d))?\s*"
    r"(?P<half{0}>[ap]\.?m\b\.?)?|(?P<word{0}>noon|midday|midnight))"
)
_EN_RANGE = re.compile(
    r"(?<![\w/.:-])(?P<lead>(?:between|from)\s+)?"
    + _group(_EN_CLOCK, "1")
    + r"\s*(?P<to>-|–|—|~|to|and|until|till|through)\s*"
    + _group(_EN_CLOCK, "2")
    + r"(?:\s*(?P<unit>o'?clock|hours?|h)\b)?(?![\w/:-])",
    re.I,
)
_EN_ONE = re.compile(
    r"\b(?P<side>after|since|past|before|until|till|by)\s+"
    + _group(_EN_CLOCK, "1")
    + r"(?![\w/:.-]\w)",
    re.I,
)


def _english(text: str) -> Iterator[_Taken]:
    for match in _EN_RANGE.finditer(text):
        sure = match["lead"] or match["unit"] or match["minute1"] or match["half2"]
        start, end = _en_minutes(match, 1, match["half2"]), _en_minutes(match, 2, "")
        if sure and start is not None and end is not None:
            if match["half2"] and not match["half1"] and start > end >= DAY // 2:
                start -= DAY // 2  # from 9 to 6pm
            yield match.start(), match.end(), _Found(((start, end),))
    for match in _EN_ONE.finditer(text):
        minute = _en_minutes(match, 1, "")
        if minute is not None:
            after = match["side"].lower() in ("after", "since", "past")
            yield match.start(), match.end(), _Found(((minute, DAY) if after else (0, minute),))


def _en_minutes(match: re.Match[str], group: int, half: str | None) -> int | None:
    word = (match[f"word{group}"] or "").lower()
    if word:
        return 0 if word == "midnight" and group == 1 else DAY if word == "midnight" else DAY // 2
    hour, minute = int(match[f"hour{group}"]), int(match[f"minute{group}"] or 0)
    half = (match[f"half{group}"] or half or "").lower()
    if hour > 24 or (half and hour > 12):
        return None if hour > 24 else min(hour * 60 + minute, DAY)
    if half:
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    return min(hour * 60 + minute, DAY)


# --- days -------------------------------------------------------------------------------------

_EN_DAY = r"(?:mon|tue|wed|thu|fri|sat|sun)(?:s|rs|rs?days?|sdays?|nesdays?|urdays?|days?)?\b"
_ZH_DAY = r"(?:周|星期|礼拜)[一二三四五六日天]"
_JOIN_ZH = r"\s*(?:到|至|-|–|—|~|～)+\s*"
_DAYS = re.compile(
    rf"(?P<a>{_ZH_DAY}){_JOIN_ZH}(?P<b>(?:周|星期|礼拜)?[一二三四五六日天])"
    rf"|(?P<c>{_ZH_DAY})"
    rf"|\b(?P<d>{_EN_DAY})\s*(?:-|–|—|to|through|until|till)\s*(?P<e>{_EN_DAY})"
    rf"|\b(?P<f>{_EN_DAY})",
    re.I,
)


def _day_names(text: str) -> Iterator[_Taken]:
    for match in _DAYS.finditer(text):
        first = _day(match["a"] or match["c"] or match["d"] or match["f"])
        last = _day(match["b"] or match["e"] or match["c"] or match["f"])
        span = (last - first) % 7
        days = frozenset((first + step) % 7 for step in range(span + 1))
        yield match.start(), match.end(), _Found(days=days)


def _day(name: str) -> int:
    last = name[-1]
    if last in "一二三四五六日天":
        return min("一二三四五六日天".index(last), 6)
    return ("mon", "tue", "wed", "thu", "fri", "sat", "sun").index(name[:3].lower())


# --- zones ------------------------------------------------------------------------------------

_ZONE = re.compile(
    r"[(（]?\b(?P<zone>(?:UTC|GMT)(?:\s*[+-]\d{1,2}(?::?\d{2})?)?"
    r"|(?:Africa|America|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[A-Z]\w+(?:/[A-Z]\w+)?)"
    r"(?![\w/])\s*(?:time\b|时间)?[)）]?"
)


def _zone(clause: str) -> tuple[str, str]:
    match = _ZONE.search(clause)
    if match:
        return match["zone"].replace(" ", ""), f"{clause[: match.start()]} {clause[match.end() :]}"
    for words, zone in vocabulary().zones:
        said = words.search(clause)
        if said:
            return zone, f"{clause[: said.start()]} {clause[said.end() :]}"
    return "", clause
