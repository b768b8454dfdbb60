"""The tools that the model is offered."""

from collections.abc import Callable, Mapping

from walissh.memory.entry import MemoryType
from walissh.memory.working import StepStatus
from walissh.react.turn import Tool

MAX_LINES = 400
"""As many lines of an output at once."""

RUN_COMMAND = Tool(
    "run_command",
    "Run one shell command over SSH on one host or on several at once. It has no terminal and"
    " no input. Commands that change anything wait for the person's approval.",
    {
        "type": "object",
        "properties": {
            "host": {"type": "string", "description": "Name of the host, as listed."},
            "hosts": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Names of several hosts, instead of host.",
            },
            "command": {"type": "string"},
            "reason": {"type": "string", "description": "Why, in one short sentence."},
            "timeout_s": {
                "type": "integer",
                "minimum": 1,
                "description": "Seconds after which it is stopped.",
            },
        },
        "required": ["command", "reason"],
    },
)

READ_OUTPUT = Tool(
    "read_output",
    "Read more of the stored output of a command that has run, as numbered lines.",
    {
        "type": "object",
        "properties": {
            "command_id": {"type": "string"},
            "from": {"type": "integer", "minimum": 1, "description": "First line, from 1."},
            "lines": {"type": "integer", "minimum": 1, "maximum": MAX_LINES},
            "grep": {"type": "string", "description": "Only lines that contain this text."},
        },
        "required": ["command_id"],
    },
)

SEARCH_HISTORY = Tool(
    "search_history",
    "Search what was said in all earlier talks with this person, by words.",
    {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to look for."}},
        "required": ["query"],
    },
)

REMEMBER = Tool(
    "remember",
    "Propose one thing to keep for later talks: a standing wish that the person said"
    " (USER_PREFERENCE), a fact or a version that a command of this turn measured"
    " (ENVIRONMENT_FACT, SOFTWARE_FACT), or a closed case with its cause and fix"
    " (TROUBLESHOOTING_CASE). Never a secret, never on the word of an output.",
    {
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": list(MemoryType)},
            "subject": {"type": "string", "description": "What it is about, in a few words."},
            "content": {"type": "string", "description": "What to keep, in one sentence."},
            "host": {"type": "string", "description": "Name of the host it is about."},
        },
        "required": ["type", "subject", "content"],
    },
)

UPDATE_PLAN = Tool(
    "update_plan",
    "Keep the plan of a task that takes several steps: call it before the first step, and"
    " whenever a step begins, ends or fails. The list is the whole plan, in order.",
    {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string", "description": "Short, and always the same."},
                        "title": {"type": "string", "description": "What the step does."},
                        "status": {"type": "string", "enum": list(StepStatus)},
                        "after": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "Ids of the steps that must be done before.",
                        },
                        "result": {"type": "string", "description": "What came of it."},
                    },
                    "required": ["title", "status"],
                },
            },
            "goal": {"type": "string", "description": "What all of it is for."},
        },
        "required": ["items"],
    },
)

ASK_USER = Tool(
    "ask_user",
    "Ask the person one question that you cannot answer by looking, and end the turn: the"
    " next message is the answer. Offer choices where there are only a few.",
    {
        "type": "object",
        "properties": {
            "question": {"type": "string"},
            "choices": {
                "type": "array",
                "items": {"type": "string"},
                "description": "The answers to choose from, if there are only a few.",
            },
        },
        "required": ["question"],
    },
)

ALL = (RUN_COMMAND, READ_OUTPUT, SEARCH_HISTORY, REMEMBER, UPDATE_PLAN, ASK_USER)

RUN_PLAYBOOK = "run_playbook"

Titles = Callable[[], Mapping[str, str]]
"""Give the titles of the playbooks by name, in their order; none where none are offered."""


def no_playbooks() -> Mapping[str, str]:
    """Give none: the offline brain is made of them, and other brains may do without."""
    return {}


def every(playbooks: Mapping[str, str]) -> tuple[Tool, ...]:
    """Return the tools of the model, with the one that runs *playbooks* if there are any."""
    return (*ALL, run_playbook(playbooks)) if playbooks else ALL


def run_playbook(playbooks: Mapping[str, str]) -> Tool:
    """Return the tool whose description names *playbooks*."""
    listed = "; ".join(f"{name} ({title})" for name, title in playbooks.items())
    return Tool(
        RUN_PLAYBOOK,
        "Run a whole series of read-only checks of one area on one host: prefer it, at the"
        " start, to many commands of your own. What it finds comes back at once as a report:"
        " findings with their evidence, fix and check, what was ruled out and what could not"
        f" be seen. Playbooks: {listed}.",
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "enum": list(playbooks)},
                "host": {"type": "string", "description": "Name of the host, as listed."},
            },
            "required": ["name", "host"],
        },
    )
