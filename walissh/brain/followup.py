"""What a short question after a diagnosis asks for: how to put right what was found."""

import re
from collections.abc import Sequence
from typing import Final

from walissh.react.turn import Message

_ASKS: Final = re.compile(
    r"(?:怎么|怎样|如何|咋)(?:去|来)?(?:修|改|解决|处理|办|恢复|弄|搞)"
    r"|(?:修复|解决)(?:方法|办法|方案)|(?:该|要)怎么做"
    r"|\bhow (?:do|can|should|would|to)\b.{0,20}\b(?:fix|solve|resolve|repair|correct)"
    r"|\bwhat (?:should|do|can) (?:i|we) do\b|\b(?:the )?fix\s*\?",
    re.I,
)
_MAX_CHARS: Final = 60  # a longer one tells of something new
_CAUSE: Final = re.compile(
    r"^\*\*(?:根因（[^）]*）：|Root cause \([^)]*\):)\*\* .*(?:\n {3}- .*)*", re.M
)
_MARKS: Final = re.compile(r" ?(?:\[\[[^\]]*\]\]|\[\d+\])+(?=\s*$)", re.M)


def remedy(question: str, messages: Sequence[Message]) -> str:
    """Return cause, fix and check of the last answer, without its citations; "" if none."""
    if len(question) > _MAX_CHARS or not _ASKS.search(question):
        return ""
    last = next((each.content for each in reversed(messages) if _is_answer(each)), "")
    return "\n\n".join(_MARKS.sub("", found[0]) for found in _CAUSE.finditer(last))


def _is_answer(message: Message) -> bool:
    return message.role == "assistant" and not message.tool_calls and bool(message.content)
