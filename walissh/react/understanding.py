"""What a message is meant to do: rules first, the model only when no rule is sure."""

from walissh.memory.working import StepStatus
from walissh.react import intent, plan, tracker
from walissh.react.intent import OpenTask
from walissh.react.turn import DynamicContext, Intended, Tracked

LAST_SAID = 6


class RuleUnderstanding:
    """The rules alone."""

    def intent_of(self, context: DynamicContext) -> Intended:
        """Say what the question of this turn is meant to do."""
        said = [each for each in context.history if each.turn_id != context.turn.id]
        task = task_of(context.tracked)
        return intent.decide(context.turn.question, said[-LAST_SAID:], task)


def task_of(tracked: Tracked) -> OpenTask | None:
    """Return the open task as the rules see it, None if there is none."""
    if not tracker.open_task(tracked):
        return None
    done = tuple(each.title for each in tracked.plan.steps if each.status is StepStatus.DONE)
    following = plan.next_step(tracked.plan)
    return OpenTask(tracked.plan.goal, done, following.title if following else "")
