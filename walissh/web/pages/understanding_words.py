"""What pages say of how a message is understood: the rules, and the signs against them."""

from flask import Flask
from flask_babel import gettext

from walissh.react.followed import Intent
from walissh.react.misled import Misled, Sign
from walissh.web.pages.thread_words import intent_word


def install(app: Flask) -> None:
    """Give the templates of *app* these words."""
    app.jinja_env.globals.update(rule_word=rule_word, sign_word=sign_word, intent_line=intent_line)


def intent_line(intent: Intent) -> str:
    """Return a whole sentence that says what a message was taken for."""
    return {
        Intent.DIAGNOSE: gettext("I took it as: find out why something is wrong."),
        Intent.EXECUTE: gettext("I took it as: do this on the machine."),
        Intent.QUERY: gettext("I took it as: tell what is known or can be looked up."),
        Intent.CONFIGURE_PREFERENCE: gettext("I took it as: how to work from now on."),
        Intent.CONTINUE: gettext("I took it as: go on with what was begun."),
        Intent.CONFIRM: gettext("I took it as: yes to what was asked."),
        Intent.CANCEL: gettext("I took it as: do not do it."),
        Intent.CORRECT: gettext("I took it as: something was misunderstood before."),
        Intent.CHITCHAT: gettext("I took it as: nothing is to be done."),
        Intent.UNSAFE: gettext("I took it as: this would do harm."),
    }[intent]


def sign_word(misled: Misled) -> str:
    """Return how it showed, and what was meant if that was said."""
    told = {
        Sign.CORRECTION: gettext("you corrected it"),
        Sign.CANCELLED: gettext("you stopped it"),
        Sign.DENIED: gettext("you denied a command"),
        Sign.REWORDED: gettext("you asked again in other words"),
    }[misled.sign]
    if misled.meant is None:
        return str(told)
    meant = intent_word(misled.meant)
    return str(gettext("%(how)s, and meant: %(intent)s", how=told, intent=meant))


def rule_word(rule: str) -> str:
    """Return what a rule looks for; a rule of a later release by its name, "" is the model."""
    return str(_rules().get(rule, rule))


def _rules() -> dict[str, str]:
    return {
        "": gettext("the model's word"),
        "harmful_command": gettext("a command that does harm"),
        "wipes": gettext("a wish to destroy data"),
        "opens_up": gettext("a wish to open the machine to everyone"),
        "steals": gettext("a wish to take secrets or data away"),
        "attacks": gettext("a wish to attack another machine"),
        "hides_traces": gettext("a wish to hide traces"),
        "standing_rule": gettext("a rule for the future"),
        "command_line": gettext("a command as it is typed"),
        "pasted_log": gettext("a pasted log"),
        "yes": gettext("a yes to a question"),
        "order_asked_for": gettext("an order that was asked about"),
        "no": gettext("a no to a question"),
        "calls_off": gettext("calling something off"),
        "go": gettext("a go, with nothing asked"),
        "corrects": gettext("a correction"),
        "resumes": gettext("going on with a task"),
        "nod": gettext("a nod in the middle of a task"),
        "answers": gettext("an answer to a question"),
        "obstacle_gone": gettext("what was in the way is gone"),
        "small_talk": gettext("small talk"),
        "opinion": gettext("an opinion"),
        "thanks": gettext("thanks"),
        "asks_why": gettext("a question why"),
        "fault": gettext("a fault that is told"),
        "look_into": gettext("a wish to look into something"),
        "question": gettext("a question for a fact"),
        "named_thing": gettext("a thing that is only named"),
        "order": gettext("an order"),
        "repeats": gettext("the same again for another"),
        "fallback": gettext("a guess, when no rule applied"),
    }
