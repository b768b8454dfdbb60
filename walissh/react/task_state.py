"""The section ``[任务状态]`` / ``[Task state]``: the thread of the session as the model sees it."""

from walissh.memory import quote
from walissh.memory.working import SubTask
from walissh.react import plan, tracker
from walissh.react.prompt import render
from walissh.react.turn import DynamicContext, Section, Tracked

SHOWN_HOSTS = 6
SHOWN_CHARS = 500


class TaskStateProvider:
    """What is at hand: goal, host, intent, plan, and what a question was answered with."""

    order = 15

    def provide(self, context: DynamicContext) -> Section | None:
        """Return the section, None before anything was taken up."""
        tracked, language = context.tracked, context.turn.language
        if not tracked.turn_id:
            return None
        title = "任务状态" if language == "zh" else "Task state"
        return Section(title, render("task", language, **_values(tracked)))


def _values(tracked: Tracked) -> dict[str, object]:
    intended = tracked.intents[0] if tracked.intents else None
    following = plan.next_step(tracked.plan) if tracker.open_task(tracked) else None
    return {
        "goal": quote.line(tracked.goal, SHOWN_CHARS),
        "host": tracked.hosts[0] if tracked.hosts else "",
        "others": tracked.hosts[1:SHOWN_HOSTS],
        "service": tracked.service,
        "intent": intended.intent.value if intended else "",
        "by": intended.by if intended else "",
        "confidence": round(100 * intended.confidence) if intended else 0,
        "meant": tracked.meant,
        "answered": tracked.answered,
        "plan_goal": quote.line(tracked.plan.goal, SHOWN_CHARS),
        "steps": [_step(each) for each in tracked.plan.steps],
        "next": following,
        "resume": tracked.resume,
    }


def _step(step: SubTask) -> dict[str, object]:
    return {
        "id": step.id,
        "title": quote.line(step.title, SHOWN_CHARS),
        "status": step.status.value,
        "after": step.after,
        "result": quote.line(str(step.result.get("text", "")), SHOWN_CHARS),
    }
