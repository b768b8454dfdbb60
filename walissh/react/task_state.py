"""The section ``[任务状态]`` / ``[Task state]``: the thread of the session as the model sees it."""

from collections.abc import Mapping, Sequence

from walissh.memory import quote
from walissh.memory.working import StepStatus, SubTask, TaskState, is_open
from walissh.react import paused, plan, thread, undertaken, unfinished
from walissh.react.followed import Asked, Intent, Meant, Tracked
from walissh.react.intent import is_sure
from walissh.react.prompt import render
from walissh.react.turn import DynamicContext, Section

SHOWN_HOSTS = 6
SHOWN_CHARS = 500
TITLE_CHARS = 160
RESULT_CHARS = 200
COMMAND_CHARS = 200
SHOWN_STEPS = 60
SHOWN_SETTLED = 12
"""So many steps that are behind are shown, the last ones; of the others only the number."""
SHOWN_RUNS = 8

_BEHIND = frozenset({StepStatus.DONE, StepStatus.SKIPPED, StepStatus.CANCELLED})
_BESIDE = frozenset({Intent.DIAGNOSE, Intent.EXECUTE, Intent.QUERY, Intent.CHITCHAT})
_TELLS = {
    Intent.CANCEL: "cancel",
    Intent.CORRECT: "correct",
    Intent.UNSAFE: "unsafe",
    Intent.CONFIGURE_PREFERENCE: "preference",
}

_Values = Mapping[str, object]


class TaskStateProvider:
    """What is at hand: goal, host, intent, plan, and what a question was answered with.

    Nothing in it raises or lowers what a command needs: only the gate decides that.
    """

    order = 15
    budget_tokens = 2_500

    def provide(self, context: DynamicContext) -> Section | None:
        """Return the section, None before anything was taken up."""
        language = context.turn.language
        if not context.tracked.turn_id:
            return None
        title = "任务状态" if language == "zh" else "Task state"
        return Section(title, render("task", language, **_values(context)))


def _values(context: DynamicContext) -> dict[str, object]:
    tracked = context.tracked
    hosts = _hosts(context)
    return {
        "goal": quote.line(tracked.goal, SHOWN_CHARS),
        "host": hosts[0] if hosts else "",
        "others": hosts[1:SHOWN_HOSTS],
        "service": quote.line(tracked.service, TITLE_CHARS),
        **_intent(tracked),
        "meant": _meant(tracked.meant),
        "answered": _asked(tracked.answered),
        **_plan(tracked),
        "paused": [_left(each) for each in paused.of(tracked.plan)],
        "unfinished": _cut_off(context),
    }


def _hosts(context: DynamicContext) -> list[str]:
    """Return the hosts talked about that the session still has, the current one first."""
    there = [host.name for host in context.hosts]
    spoken = [name for name in context.tracked.hosts if name in there]
    return [quote.line(name, TITLE_CHARS) for name in spoken or (there if len(there) == 1 else [])]


def _intent(tracked: Tracked) -> _Values:
    intended = tracked.intents[0] if tracked.intents else None
    return {
        "intent": intended.intent.value if intended else "",
        "by": intended.by if intended else "",
        "confidence": round(100 * intended.confidence) if intended else 0,
        "tells": _tells(tracked, intended.intent) if intended else "",
    }


def _tells(tracked: Tracked, intent: Intent) -> str:
    """Return which short line the message calls for, "" for none."""
    if intent is Intent.CONFIRM:
        return "confirm" if tracked.answered else "confirm_nothing"
    if intent in _BESIDE and is_open(tracked.plan) and not tracked.answered:
        return "aside"
    if intent is Intent.CONFIGURE_PREFERENCE and not is_sure(tracked.intents[0]):
        return ""  # a wish beside a request: what is asked must still be done
    return _TELLS.get(intent, "")


def _meant(meant: Meant | None) -> _Values | None:
    if meant is None:
        return None
    hosts = [quote.line(name, TITLE_CHARS) for name in meant.hosts]
    return {"words": quote.line(meant.words, TITLE_CHARS), "hosts": hosts}


def _asked(asked: Asked | None) -> _Values | None:
    if asked is None:
        return None
    choices = [quote.line(each, TITLE_CHARS) for each in asked.choices]
    return {"text": quote.line(asked.text, SHOWN_CHARS), "choices": choices}


def _plan(tracked: Tracked) -> _Values:
    steps = tracked.plan.steps
    behind = [each for each in steps if each.status in _BEHIND]
    folded = {each.id for each in behind[: max(len(behind) - SHOWN_SETTLED, 0)]}
    shown = [each for each in steps if each.id not in folded][:SHOWN_STEPS]
    following = plan.next_step(tracked.plan) if is_open(tracked.plan) else None
    return {
        "plan_goal": quote.line(tracked.plan.goal, SHOWN_CHARS),
        "steps": [_step(each) for each in shown],
        "folded": len(folded),
        "unshown": len(steps) - len(folded) - len(shown),
        "next": _step(following) if following else None,
        "resume": tracked.resume,
    }


def _step(step: SubTask) -> _Values:
    ran = () if step.status in _BEHIND else undertaken.of(step)
    return {
        "id": quote.line(step.id, TITLE_CHARS),
        "title": quote.line(step.title, TITLE_CHARS),
        "status": step.status.value,
        "after": [quote.line(each, TITLE_CHARS) for each in step.after],
        "result": quote.line(str(step.result.get("text", "")), RESULT_CHARS),
        "ran": [_run(each.host, each.command, each.state) for each in ran[-SHOWN_RUNS:]],
    }


def _run(host: str, command: str, state: str) -> _Values:
    return {
        "host": quote.line(host, TITLE_CHARS),
        "command": quote.line(command, COMMAND_CHARS),
        "state": quote.line(state, TITLE_CHARS),
    }


def _left(left: TaskState) -> _Values:
    following = plan.next_step(left)
    return {
        "goal": quote.line(left.goal, TITLE_CHARS),
        "done": sum(each.status in _BEHIND for each in left.steps),
        "all": len(left.steps),
        "next": quote.line(following.title, TITLE_CHARS) if following else "",
    }


def _cut_off(context: DynamicContext) -> _Values | None:
    """Return the last task if it was cut off and this message does not begin another."""
    goes_on = thread.goal_of(context.turn.question) != context.tracked.goal
    if not goes_on or is_open(context.tracked.plan):
        return None
    told = unfinished.of(context)
    if told is None:
        return None
    runs: Sequence[unfinished.Ran] = told.ran
    return {
        "question": quote.line(told.question, SHOWN_CHARS),
        "ran": [_run(each.host, each.command, each.state) for each in runs],
        "earlier": told.earlier,
    }
