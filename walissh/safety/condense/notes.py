"""What is said in place of lines that are not shown, in the language of the question."""

from walissh.react.turn import Language


def gap(first: int, last: int, language: Language) -> str:
    """Say that lines *first* to *last* are left out."""
    count = last - first + 1
    if language == "zh":
        return f"[… 第 {_span(first, last)} 行未显示（{count:,} 行）…]"
    return f"[... {_lines(first, last)} left out ({count:,}) ...]"


def same(first: int, last: int, language: Language) -> str:
    """Say that these lines are the line above again."""
    count = last - first + 1
    if language == "zh":
        return f"[第 {_span(first, last)} 行：上一行重复 {count:,} 次]"
    return f"[{_lines(first, last)}: the line above {count:,} more times]"


def numbers(first: int, last: int, language: Language) -> str:
    """Say that these lines are the line above with other numbers."""
    count = last - first + 1
    if language == "zh":
        return f"[第 {_span(first, last)} 行：{count:,} 行与上一行相同，仅数字不同]"
    return f"[{_lines(first, last)}: {count:,} lines like the one above, only numbers differ]"


def data(kind: str, first: int, last: int, language: Language) -> str:
    """Say that these lines are no text: *kind* is base64 or binary."""
    if language == "zh":
        name = "base64 数据" if kind == "base64" else "二进制数据"
        return f"[第 {_span(first, last)} 行：{name}，不显示]"
    return f"[{_lines(first, last)}: {kind} data, not shown]"


def more_like(line: int, more: int, last: int, language: Language) -> str:
    """Say how often the kind of line that stands at *line* comes again."""
    if language == "zh":
        return f"[与第 {line} 行同类的还有 {more:,} 行，最后一行是第 {last} 行]"
    return f"[{more:,} more lines like line {line}, the last is line {last}]"


def pruned(line: int, chars: int, language: Language) -> str:
    """Say that the JSON text shown for *line* has elements left out."""
    if language == "zh":
        return f"[第 {line} 行是 {chars:,} 个字符的 JSON，按元素截取，省略处以 … 标明]"
    return f"[line {line} is JSON of {chars:,} characters: elements left out where … stands]"


def inside(chars: int, language: Language) -> str:
    """Say within a line how much of it is left out."""
    if language == "zh":
        return f"[… 省略 {chars:,} 个字符 …]"
    return f"[... {chars:,} characters left out ...]"


def _span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"
