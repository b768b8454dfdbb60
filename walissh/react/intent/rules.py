"""The rules in one table: a name that feedback can lower, an intent, and how it is weighed.

A rule gives its confidence from 0 (does not apply) to 1; the highest decides.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from walissh.react.followed import Intent
from walissh.react.intent import chat, harm, pasted, replies, requests, standing
from walissh.react.intent.reading import Reading
from walissh.react.intent.situation import Situation

Weigh = Callable[[Reading, Situation], float]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; its *name* is kept with each decision that it made."""

    name: str
    intent: Intent
    weigh: Weigh


RULES: Final = (
    Rule("harmful_command", Intent.UNSAFE, harm.commands),
    Rule("wipes", Intent.UNSAFE, harm.wipes),
    Rule("opens_up", Intent.UNSAFE, harm.opens_up),
    Rule("steals", Intent.UNSAFE, harm.steals),
    Rule("attacks", Intent.UNSAFE, harm.attacks),
    Rule("hides_traces", Intent.UNSAFE, harm.hides),
    Rule("standing_rule", Intent.CONFIGURE_PREFERENCE, standing.rule),
    Rule("command_line", Intent.EXECUTE, pasted.command),
    Rule("pasted_log", Intent.DIAGNOSE, pasted.log),
    Rule("yes", Intent.CONFIRM, replies.yes),
    Rule("order_asked_for", Intent.CONFIRM, replies.order_asked_for),
    Rule("no", Intent.CANCEL, replies.no),
    Rule("calls_off", Intent.CANCEL, replies.calls_off),
    Rule("go", Intent.EXECUTE, replies.go),
    Rule("corrects", Intent.CORRECT, replies.corrects),
    Rule("resumes", Intent.CONTINUE, replies.resumes),
    Rule("nod", Intent.CONTINUE, replies.nod),
    Rule("answers", Intent.CONTINUE, replies.answers),
    Rule("obstacle_gone", Intent.CONTINUE, replies.obstacle_gone),
    Rule("small_talk", Intent.CHITCHAT, chat.small_talk),
    Rule("opinion", Intent.CHITCHAT, chat.opinion),
    Rule("thanks", Intent.CHITCHAT, chat.thanks),
    Rule("asks_why", Intent.DIAGNOSE, requests.asks_why),
    Rule("fault", Intent.DIAGNOSE, requests.fault),
    Rule("look_into", Intent.DIAGNOSE, requests.look_into),
    Rule("question", Intent.QUERY, requests.question),
    Rule("named_thing", Intent.QUERY, requests.named),
    Rule("order", Intent.EXECUTE, requests.order),
)
