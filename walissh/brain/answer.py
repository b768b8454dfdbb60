"""Write the offline brain's answers: Markdown, worst finding first, every claim cited.

A citation is the inline mark ``[[command_id:first-last]]``; the agent turns it into ``[n]``.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from walissh.brain import condition
from walissh.brain.diagnose import SURE, Diagnosis, Result, Told, Unseen
from walissh.brain.parse import Place
from walissh.brain.playbook import Playbook
from walissh.react.turn import Language

LIKELY: Final = 70
"""A cause so sure, in percent, is likely; one that is less sure has yet to be verified."""

_RANK: Final = {"critical": 0, "warning": 1, "note": 2}
_MAX_SHOWN_LINES: Final = 40
_MAX_MARKS: Final = 4

_PHRASES: Final[Mapping[str, tuple[str, str]]] = {
    "who": (
        "**离线大脑**（内置诊断手册，没有语言模型）：",
        "**Offline brain** (built-in playbooks, no language model): ",
    ),
    "looked": ("查看了 {titles}。", "I looked at {titles}."),
    "ran": ("运行了你给的命令。", "I ran the command you gave."),
    "looking": ("离线大脑：正在查看{titles}。", "Offline brain: looking at {titles}."),
    "deeper": ("离线大脑：根据结果继续查看。", "Offline brain: following up on what was found."),
    "running": ("离线大脑：运行你给的命令。", "Offline brain: running the command you gave."),
    "own": ("你要求运行的命令", "the command you asked for"),
    "findings": ("发现", "Findings"),
    "cause": ("根因（{degree}）：", "Root cause ({degree}):"),
    "certain": ("确定", "certain"),
    "likely": ("很有把握", "likely"),
    "possible": ("有待核实", "to be verified"),
    "steps": ("从现象到根因", "From symptom to cause"),
    "cleared": ("已排除", "Ruled out"),
    "others": ("另外还看到", "Also seen"),
    "no_cause": (
        "没有找到能证实的根因；下面是看到的事实。",
        "No cause could be proven; these are the facts.",
    ),
    "facts": ("事实", "Facts"),
    "unseen": ("没有得到结果", "Could not see"),
    "critical": ("严重", "Critical"),
    "warning": ("警告", "Warning"),
    "note": ("注意", "Note"),
    "healthy": ("在查看的范围内没有发现异常。", "Nothing wrong in what I looked at."),
    "nothing": (
        "没有得到任何可用的结果，所以无法判断。",
        "No probe gave a usable result, so I cannot tell what is wrong.",
    ),
    "fix": ("建议（未执行）", "To fix (not run)"),
    "verify": ("之后核实", "Then check"),
    "quiet": ("（{command} 没有输出）", " ({command}: no output)"),
    "blind": ("{why}（{command}）：{reason}", "{why} ({command}): {reason}"),
    "unusable": ("没有可用的输出", "no usable output"),
    "unreachable": ("{host}：什么都没能运行：{reason}", "{host}: nothing could be run: {reason}"),
    "limits": (
        "我只会按手册检查：{areas}。其他问题需要接入语言模型（设置 OPENAI_API_KEY 或 "
        "OPENAI_BASE_URL）。",
        "I only check what my playbooks cover: {areas}. For anything else, connect a language "
        "model (set OPENAI_API_KEY or OPENAI_BASE_URL).",
    ),
    "more": (
        "更多的问题需要接入语言模型：设置 OPENAI_API_KEY 或 OPENAI_BASE_URL。",
        "More needs a language model: set OPENAI_API_KEY or OPENAI_BASE_URL.",
    ),
    "unknown": (
        "我不明白这个问题：它不属于我会检查的范围。什么都没有运行。",
        "I do not understand this question: it is not about anything that I can check. "
        "Nothing was run.",
    ),
    "change": (
        "我只会诊断，不会自己决定改动机器，所以什么都没有运行。要执行某个命令，请用反引号写出来，"
        "例如 运行 `systemctl restart nginx`；改动机器的命令会先等你批准。",
        "I only diagnose and never decide on a change myself, so nothing was run. To run a "
        "command, write it in backticks, such as run `systemctl restart nginx`; a command "
        "that changes the machine waits for your approval first.",
    ),
    "offer": (
        "我可以先检查{titles}：请问“{titles}有什么问题？”",
        "I can look at {titles} first: ask what is wrong with it.",
    ),
    "examples": (
        "可以这样问：“这台机器为什么慢？”、“谁占满了磁盘？”、“nginx 为什么 502？”，"
        "或者用反引号写出一个命令，例如 `uptime`。",
        "Ask, for example: “why is this machine slow?”, “what fills the disk?”, “why does "
        "nginx answer 502?”, or write one command in backticks, such as `uptime`.",
    ),
    "no_host": (
        "这个会话没有选择主机，所以什么都没有运行。请在会话上方选择一台主机；还没有主机的话，"
        "在“主机”页面添加，或运行 walissh host add 名称 用户@地址，然后再问一次。",
        "No host is selected for this session, so nothing was run. Pick one above the talk; if "
        "there is none yet, add one on the Hosts page or with walissh host add NAME "
        "user@address, then ask again.",
    ),
    "no_tool": (
        "这一步不能再运行命令，所以只有到目前为止的结果。",
        "No more commands can be run in this turn, so this is what is known so far.",
    ),
    "remembered": ("记忆里的类似案例（已先按它检查）", "From memory, and looked at first"),
    "tried_first": ("先按记忆里的类似案例检查：{case}", "First what a similar case was: {case}"),
    "noted": (
        "记下了，以后照此办理。可以在“记忆”页面查看、更正或删除。",
        "Noted, and kept for later talks. The page Memory shows it, corrects it or deletes it.",
    ),
    "again": (
        "这是上面那次诊断的结论，机器没有再看：",
        "This is what was found above; the machine was not looked at again:",
    ),
    "wishes": ("您的偏好：", "Your preferences:"),
    "recalled": (
        "下面是记忆里的内容，没有重新检查机器：",
        "This is what memory holds; the machine was not looked at again:",
    ),
    "result": ("{command}：{state}", "{command}: {state}"),
    "cut": ("只显示前 {n} 行。", "Only the first {n} lines are shown."),
    "exit": ("退出码 {code}", "exit code {code}"),
    "exit_quiet": ("退出码 {code}，没有输出", "exit code {code}, no output"),
    "no_result": ("没有结果", "no result"),
}


def phrase(key: str, language: Language, **values: object) -> str:
    """Return the fixed sentence *key* in *language* with *values* filled in."""
    zh, en = _PHRASES[key]
    return (zh if language == "zh" else en).format(**values)


def titles(playbooks: Iterable[Playbook], language: Language) -> str:
    """Return the names of the areas as one list."""
    names = [book.title.in_language(language) for book in playbooks]
    return ("、" if language == "zh" else ", ").join(names)


def mark(place: Place) -> str:
    """Return the citation of *place*."""
    return f"[[{place.command_id}:{place.first}-{place.last}]]"


def diagnosed(
    by_host: Mapping[str, Diagnosis],
    chosen: Sequence[Playbook],
    language: Language,
    *,
    complete: bool = True,
) -> str:
    """Write the answer to a diagnosis, one part per host if there are several."""
    parts = [_who(language) + phrase("looked", language, titles=titles(chosen, language))]
    if not complete:
        parts.append(phrase("no_tool", language))
    for host, found in by_host.items():
        if len(by_host) > 1:
            parts.append(f"### {host}")
        parts += _host_parts(host, found, language)
    if not all(each.cause for each in by_host.values()):
        parts.append(phrase("more", language))
    return "\n\n".join(parts)


def recalled(entries: Sequence[str], language: Language) -> str:
    """Answer with what memory holds, and say that nothing was run."""
    told = "\n".join(entries)
    return f"{_who(language)}{phrase('recalled', language)}\n\n{told}"


def again(told: str, language: Language) -> str:
    """Repeat the cause and the remedy of the answer before."""
    return f"{_who(language)}{phrase('again', language)}\n\n{told}"


def noted(language: Language) -> str:
    """Say that a wish was heard, and where it stands."""
    return _who(language) + phrase("noted", language)


def wishes(entries: Sequence[str], language: Language) -> str:
    """Tell the person's preferences."""
    told = "\n".join(entries)
    return f"{_who(language)}{phrase('wishes', language)}\n\n{told}"


def tried_first(text: str, entries: Sequence[str], language: Language) -> str:
    """Return *text* with the similar case of the past that is looked at first."""
    return f"{text} {phrase('tried_first', language, case=entries[0].removeprefix('- '))}"


def with_memory(text: str, entries: Sequence[str], language: Language) -> str:
    """Return *text* followed by the remembered incidents that may bear on it."""
    return "\n\n".join([text, *_section("remembered", entries, language)])


def unknown(known: Sequence[Playbook], language: Language) -> str:
    """Say that the question fits no playbook, and what would."""
    first = _who(language) + phrase("unknown", language)
    return "\n\n".join([first, _limits(known, language), phrase("examples", language)])


def change(near: Sequence[Playbook], language: Language) -> str:
    """Say that a change is the person's to order, and how."""
    parts = [_who(language) + phrase("change", language)]
    if near:
        parts.append(phrase("offer", language, titles=titles(near, language)))
    return "\n\n".join([*parts, phrase("more", language)])


def no_host(language: Language) -> str:
    """Say that no host is selected, and how to select one."""
    return _who(language) + phrase("no_host", language)


def ran(results: Mapping[tuple[str, str], Result], language: Language) -> str:
    """Show what the person's own commands gave, by (host, command)."""
    hosts = {host for host, _ in results}
    parts = [_who(language) + phrase("ran", language)]
    for (host, command), result in results.items():
        parts += _shown_result(host if len(hosts) > 1 else "", command, result, language)
    return "\n\n".join(parts)


def _who(language: Language) -> str:
    return phrase("who", language)


def _limits(known: Sequence[Playbook], language: Language) -> str:
    return phrase("limits", language, areas=titles(known, language))


def _host_parts(host: str, found: Diagnosis, language: Language) -> list[str]:
    known = found.told or found.causes or found.answered
    if found.unseen and not known and not any(each.ran for each in found.unseen):
        reason = found.unseen[0].reason or phrase("no_result", language)
        return [phrase("unreachable", language, host=host, reason=_plain(reason))]
    part = _explained if found.cause else _unexplained
    return [
        *part(found, language),
        *_section("unseen", [_blind(each, language) for each in found.unseen], language),
    ]


def _explained(found: Diagnosis, language: Language) -> list[str]:
    """Tell the cause, the steps to it, what was ruled out, and what else is wrong."""
    cause, *more = found.causes
    steps = [f"{n}. {_claim(each, language)}" for n, each in enumerate(cause.steps, 1)]
    said = {each.text for each in (cause, *cause.steps)}
    others = [each for each in more if each.sure >= SURE and each.text not in said]
    return [
        "\n".join(_cause(cause, language)),
        *_section("steps", steps, language),
        *_section("cleared", _claims(found, ("clear",), language), language),
        *_section("others", [f"- {_claim(each, language)}" for each in others[:2]], language),
    ]


def _cause(told: Told, language: Language) -> list[str]:
    degree = phrase(_degree(told.sure), language)
    title = phrase("cause", language, degree=degree)
    return [f"**{title}** {_claim(told, language)}", *_remedy(told, language)]


def _degree(sure: int) -> str:
    if sure >= SURE:
        return "certain"
    return "likely" if sure >= LIKELY else "possible"


def _unexplained(found: Diagnosis, language: Language) -> list[str]:
    findings = sorted(
        (each for each in found.told if each.role == "symptom"),
        key=lambda each: _RANK.get(each.severity, len(_RANK)),
    )
    facts = _claims(found, ("clear", "fact"), language)
    return [
        *_findings(findings, bool(facts or found.answered), language),
        *_section("facts", facts, language),
    ]


def _claims(found: Diagnosis, roles: Sequence[str], language: Language) -> list[str]:
    return [f"- {_claim(each, language)}" for each in found.told if each.role in roles]


def _section(key: str, lines: Sequence[str], language: Language) -> list[str]:
    heading = f"**{phrase(key, language)}**"
    return [heading, "\n".join(dict.fromkeys(lines))] if lines else []


def _findings(findings: Sequence[Told], any_seen: bool, language: Language) -> list[str]:
    if not findings:
        return [phrase("healthy" if any_seen else "nothing", language)]
    unique = {each.text: each for each in reversed(findings)}
    ordered = [each for each in findings if unique[each.text] is each]
    lines = [line for n, each in enumerate(ordered, 1) for line in _finding(n, each, language)]
    return [
        phrase("no_cause", language),
        f"**{phrase('findings', language)}**",
        "\n".join(lines),
    ]


def _finding(number: int, told: Told, language: Language) -> list[str]:
    severity = phrase(told.severity, language)
    first = f"{number}. **{severity}**{_colon(language)}{_claim(told, language)}"
    return [first, *_remedy(told, language)]


def _remedy(told: Told, language: Language) -> list[str]:
    return [
        f"   - {phrase(key, language)}{_colon(language)}{text}"
        for key, text in (("fix", told.fix), ("verify", told.verify))
        if text
    ]


def _colon(language: Language) -> str:
    return "：" if language == "zh" else ": "


def _claim(told: Told, language: Language) -> str:
    marks = "".join(mark(place) for place in told.places[:_MAX_MARKS])
    return f"{told.text}{_silent(told.silent, language)}{' ' if marks else ''}{marks}"


def _silent(commands: Sequence[str], language: Language) -> str:
    if not commands:
        return ""
    named = condition.shown_in(language)(list(commands))
    return phrase("quiet", language, command=named)


def _blind(unseen: Unseen, language: Language) -> str:
    reason = _plain(unseen.reason) if unseen.reason else phrase("unusable", language)
    why = unseen.why.in_language(language)
    return "- " + phrase(
        "blind", language, why=why, command=condition.code(unseen.command), reason=reason
    )


def _plain(reason: str) -> str:
    return condition.code(reason)


def _shown_result(host: str, command: str, result: Result, language: Language) -> list[str]:
    state = phrase(
        "result", language, command=condition.code(command), state=_state(result, language)
    )
    lines = result.text.splitlines()
    last = min(len(lines), _MAX_SHOWN_LINES)
    head = f"**{host}** · {state}" if host else state
    if not lines:
        return [f"{head} {mark(Place(result.command_id, 1, 1))}" if result.command_id else head]
    parts = [f"{head} {mark(Place(result.command_id, 1, last))}", _fenced(lines[:last])]
    return parts if last == len(lines) else [*parts, phrase("cut", language, n=last)]


def _state(result: Result, language: Language) -> str:
    if result.exit_code is not None:
        return phrase("exit" if result.text else "exit_quiet", language, code=result.exit_code)
    return _plain(result.state) if result.state else phrase("no_result", language)


def _fenced(lines: Sequence[str]) -> str:
    """Fence *lines* so that nothing in them ends the fence or looks like a citation."""
    body = condition.without_marks("\n".join(lines))
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{body}\n{fence}"
