"""Which role may do what, and what each request needs: the one place that says it.

Pages and the JSON interface are measured by the same two tables. What they do not name is
reading where the method is safe, and an operator's work where it is not: a route that
somebody adds is closed to viewers until it is named here.
"""

from collections.abc import Mapping

from walissh.errors import WalisshError
from walissh.react.circumstances import ADMIN, OPERATOR, ROLES, VIEWER

READ, ACCOUNT, ASK, APPROVE = "read", "account", "ask", "approve"
HOSTS, MEMORY, RULES = "hosts", "memory", "rules"
AUDIT_ALL, PEOPLE, RULES_ALL = "audit_all", "people", "rules_all"

_WORKERS = frozenset({ADMIN, OPERATOR})
RIGHTS: Mapping[str, frozenset[str]] = {
    READ: frozenset(ROLES),
    ACCOUNT: frozenset(ROLES),
    AUDIT_ALL: frozenset({ADMIN, VIEWER}),
    ASK: _WORKERS,
    APPROVE: _WORKERS,
    HOSTS: _WORKERS,
    MEMORY: _WORKERS,
    RULES: _WORKERS,
    PEOPLE: frozenset({ADMIN}),
    RULES_ALL: frozenset({ADMIN}),
}
"""Each right and the roles that have it: one's own talks, hosts and memories (*read*), one's
own password, browsers and tokens (*account*), the audit trail of everybody (*audit_all*),
other people (*people*), rules of the gate that bind everybody (*rules_all*)."""

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

NEEDS: Mapping[str, str] = {
    "people": PEOPLE,
    # what changes nothing but one's own account
    "settings": ACCOUNT,
    "browsers": ACCOUNT,
    "access_tokens": ACCOUNT,
    "signin": ACCOUNT,
    "oidc": ACCOUNT,
    # asks by POST and changes nothing
    "api.memories.recall_memories": READ,
    "commands": APPROVE,
    "api.commands": APPROVE,
    "hosts": HOSTS,
    "hosts_check": HOSTS,
    "hosts_import": HOSTS,
    "api.hosts": HOSTS,
    "causes": MEMORY,
    "api.turns.confirm_cause": MEMORY,
    "memory": MEMORY,
    "memory_core": MEMORY,
    "memory_moves": MEMORY,
    "welcome": MEMORY,
    "understanding": MEMORY,
    "rules": RULES,
    "api.rules": RULES,
    "api.memories": MEMORY,
    "api.core_memory": MEMORY,
    "api.understanding": MEMORY,
}
"""What a request that changes something needs, by endpoint or blueprint, the longer name
first; other requests need *ask*. `PEOPLE` is needed for looking as well."""


class ForbiddenError(WalisshError):
    """Who asks is known, and their role or token does not allow this."""


def may(role: str, right: str) -> bool:
    """Tell whether people of *role* have *right*; a right that is not in the table is nobody's."""
    return role in RIGHTS.get(right, ())


def needed(endpoint: str, method: str) -> str:
    """Return the right that a request needs."""
    named = next((NEEDS[each] for each in _names(endpoint) if each in NEEDS), ASK)
    return READ if method in SAFE and named != PEOPLE else named


def check(role: str, endpoint: str, method: str) -> None:
    """Raise ForbiddenError unless people of *role* may do this."""
    right = needed(endpoint, method)
    if not may(role, right):
        raise ForbiddenError(
            f"Your role is {role}, and this needs {least(right)}. Ask an admin of this"
            " installation for it."
        )


def least(right: str) -> str:
    """Return the humblest role that has *right*."""
    return next((each for each in reversed(ROLES) if may(each, right)), ADMIN)


def _names(endpoint: str) -> list[str]:
    """Return the endpoint and the blueprints around it, the innermost first."""
    parts = endpoint.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
