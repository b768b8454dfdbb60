"""Short sentences that the agent itself says, in both languages."""

import re
from collections.abc import Sequence

from walissh.errors import ModelError, StoreError
from walissh.react.turn import CommandRun, CommandStatus, Language

LIVE_CHARS = 4_000
"""How much of a piece of output an event carries; the whole is read from the store."""

TITLE_CHARS = 60
KEPT_SHOWN = 10
KEPT_SHOWN_CHARS = 200


def names(question: str, host: str) -> bool:
    """Tell whether the question names the host as a word of its own."""
    pattern = rf"(?<![A-Za-z0-9_.-]){re.escape(host)}(?![A-Za-z0-9_-]|\.\w)"
    return bool(re.search(pattern, question, re.IGNORECASE))


def title(question: str) -> str:
    """Return the first words of a question as the title of its talk."""
    first = next((line for line in question.splitlines() if line.strip()), "")
    words = " ".join(first.split())
    return words if len(words) <= TITLE_CHARS else words[: TITLE_CHARS - 1] + "…"


def stopped(language: Language, commands: Sequence[CommandRun]) -> str:
    """Say that the turn was ended by its limits, with what was run."""
    ran = [run for run in commands if run.status is CommandStatus.FINISHED]
    lines = "\n".join(f"- `{run.command}` ({run.host}): [[{run.id}]]" for run in ran[-10:])
    if language == "zh":
        return f"这一轮在得出结论之前停止了：步数用完，或者操作重复。已执行的命令：\n\n{lines}"
    return (
        "This turn was stopped before a conclusion: its steps are used up, or it repeats"
        f" itself. Commands that ran:\n\n{lines}"
    )


def retrying(language: Language, error: ModelError, delay_s: float) -> str:
    """Say that the model is asked again later, and why."""
    if language == "zh":
        return f"{error} {delay_s:.0f} 秒后重试。"
    return f"{error} Trying again in {delay_s:.0f} s."


def host_changed(language: Language, host: str) -> str:
    """Say that a host is not what it was when the command was proposed."""
    if language == "zh":
        return f"{host}：提出命令之后，这台主机被修改或删除。什么都没有执行。请重新提问。"
    return (
        f"{host}: the host was changed or removed after the command was proposed."
        " Nothing was run. Ask again."
    )


def preference_changed(language: Language) -> str:
    """Say that a step is made again because the person wants things done otherwise now."""
    if language == "zh":
        return "您的偏好已经改变，之前提出的命令作废，没有执行；正在按新的偏好重新考虑。"
    return (
        "Your preferences changed: what was proposed before is void and was not run."
        " Thinking again under the new ones."
    )


def interrupted(language: Language, runs: Sequence[CommandRun]) -> str:
    """Say which commands have an unknown outcome."""
    unknown = [run for run in runs if run.status is CommandStatus.UNKNOWN]
    where = ", ".join(f"{run.host}: {run.command[:80]}" for run in unknown)
    if language == "zh":
        return f"执行中断，结果未知，可能已经执行（{where}）。请先检查，再决定是否重新执行。"
    return (
        f"Interrupted: the outcome is unknown, it may have run ({where})."
        " Check before you run it again."
    )


def lost_worker(language: Language) -> str:
    """Say that the process died that ran a command."""
    if language == "zh":
        return "执行它的进程已经消失；命令可能已经执行。"
    return "The process that ran it has died; the command may have run."


def gave_up(language: Language) -> str:
    """Say that a step was begun several times and never ended."""
    if language == "zh":
        return "处理这个问题的进程多次中断。请重新提问；如果再次发生，请运行 walissh doctor。"
    return (
        "The process that worked on this question died several times. Ask again; if it"
        " happens once more, run: walissh doctor"
    )


def broke(language: Language) -> str:
    """Say that a step failed by a fault of the program."""
    if language == "zh":
        return "这一步因程序内部错误而中断，日志中有详细信息。请运行 walissh doctor，然后重新提问。"
    return "This step broke off by a fault of the program; its log says more. Run walissh doctor."


def not_stored(language: Language, error: StoreError) -> str:
    """Say that a command was stopped because its output could not be kept."""
    if language == "zh":
        return f"输出无法保存，命令已停止，可能只执行了一部分：{error}"
    return f"Its output could not be stored, so it was stopped; it may have run in part: {error}"


def nothing_to_compact(language: Language) -> str:
    """Say that there was nothing before this message."""
    if language == "zh":
        return "这条消息之前没有可以折叠的内容。"
    return "There is nothing before this message that could be folded."


def compacted(language: Language, count: int, wanted: str, kept: Sequence[str]) -> str:
    """Say what was folded, and which of the wanted words were found and stay word for word."""
    wanted = wanted if len(wanted) <= KEPT_SHOWN_CHARS else wanted[:KEPT_SHOWN_CHARS] + "…"
    lines = "\n".join(f"- {each[:KEPT_SHOWN_CHARS]}" for each in kept[:KEPT_SHOWN])
    if language == "zh":
        head = f"之前的 {count} 轮对话已折叠为摘要；消息本身都还在上面。"
        if not wanted:
            return head
        return f"{head}\n\n按要求逐字保留：\n{lines}" if kept else f"{head}\n\n没有找到：{wanted}"
    rounds = "1 round" if count == 1 else f"{count} rounds"
    head = f"{rounds} before this message went into the summary; the messages stay above."
    if not wanted:
        return head
    return f"{head}\n\nKept word for word:\n{lines}" if kept else f"{head}\n\nNot found: {wanted}"
