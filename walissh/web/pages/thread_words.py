"""What templates say of the thread of a talk: intents, steps, and what a summary keeps."""

from flask import Flask
from flask_babel import gettext

from walissh.memory.working import StepStatus
from walissh.react.followed import Intended, Intent

SIGNS = {
    StepStatus.PENDING: "○",
    StepStatus.RUNNING: "▸",
    StepStatus.DONE: "✓",
    StepStatus.FAILED: "✗",
    StepStatus.BLOCKED: "‖",
    StepStatus.SKIPPED: "–",
    StepStatus.CANCELLED: "–",
}


def install(app: Flask) -> None:
    """Give the templates of *app* these words."""
    app.jinja_env.globals.update(
        intent_word=intent_word,
        decider_word=decider_word,
        step_word=step_word,
        step_sign=SIGNS.__getitem__,
        keeps_word=keeps_word,
    )


def intent_word(intent: Intent) -> str:
    """Return what a message was meant to do, in a word or two."""
    return {
        Intent.DIAGNOSE: gettext("diagnose"),
        Intent.EXECUTE: gettext("do something"),
        Intent.QUERY: gettext("look something up"),
        Intent.CONFIGURE_PREFERENCE: gettext("say a standing wish"),
        Intent.CONTINUE: gettext("go on"),
        Intent.CONFIRM: gettext("agree"),
        Intent.CANCEL: gettext("call it off"),
        Intent.CORRECT: gettext("correct what was understood"),
        Intent.CHITCHAT: gettext("small talk"),
        Intent.UNSAFE: gettext("do harm"),
    }[intent]


def decider_word(intended: Intended, rule: str = "") -> str:
    """Return who decided what a message was taken for; *rule* says what the rule looks for."""
    if intended.by == "model":
        return str(gettext("decided by the model"))
    if not rule:
        return str(gettext("decided by a rule"))
    return str(gettext("decided by a rule: %(rule)s", rule=rule))


def step_word(status: StepStatus) -> str:
    """Return where a step of a plan stands."""
    return {
        StepStatus.PENDING: gettext("to do"),
        StepStatus.RUNNING: gettext("under way"),
        StepStatus.DONE: gettext("done"),
        StepStatus.FAILED: gettext("failed"),
        StepStatus.BLOCKED: gettext("blocked"),
        StepStatus.SKIPPED: gettext("skipped"),
        StepStatus.CANCELLED: gettext("given up"),
    }[status]


def keeps_word(field: str) -> str:
    """Return the heading of a part of a summary."""
    return {
        "goals": gettext("Goals"),
        "hosts": gettext("Hosts"),
        "refusals": gettext("Refused or forbidden"),
        "rules": gettext("Standing rules"),
        "questions": gettext("Open questions"),
        "kept": gettext("Kept on request"),
        "said": gettext("Also said"),
        "decisions": gettext("Decisions"),
        "findings": gettext("Findings"),
        "done": gettext("What was done"),
        "paths": gettext("Paths"),
    }[field]
