"""Orders as tool calls: one ``run_command`` for all hosts that want the same command."""

import json
from collections.abc import Iterable, Sequence

from walissh.brain.diagnose import Diagnosis, Order
from walissh.brain.rounds import RUN_COMMAND
from walissh.react.tools import MAX_HOSTS
from walissh.react.turn import Language, ToolCall

_MAX_ID_CHARS = 60  # model servers refuse ids of more than 64


def of_orders(
    by_host: Iterable[tuple[str, Diagnosis]], language: Language, first_number: int, *, prefix: str
) -> tuple[ToolCall, ...]:
    """Return one call for each command that is wanted, for all hosts that want it.

    Their ids begin with *prefix* and count from *first_number* on.
    """
    orders: dict[str, Order] = {}
    hosts: dict[str, dict[str, None]] = {}
    for host, found in by_host:
        for order in found.orders:
            orders.setdefault(order.command, order)
            hosts.setdefault(order.command, {})[host] = None
    wanted = [
        (order, part) for command, order in orders.items() for part in batches(list(hosts[command]))
    ]
    return tuple(
        run_command(
            f"{prefix}{number}-{order.probe.replace('_', '-')}",
            part,
            order.command,
            reason=order.why.in_language(language),
            timeout_s=order.timeout_s,
        )
        for number, (order, part) in enumerate(wanted, first_number)
    )


def batches(hosts: Sequence[str]) -> list[Sequence[str]]:
    """Return *hosts* in parts of as many as one call may name."""
    return [hosts[at : at + MAX_HOSTS] for at in range(0, len(hosts), MAX_HOSTS)]


def run_command(
    call_id: str, hosts: Sequence[str], command: str, *, reason: str, timeout_s: int
) -> ToolCall:
    """Return the call that runs *command* on *hosts*."""
    where = {"host": hosts[0]} if len(hosts) == 1 else {"hosts": list(hosts)}
    given = {**where, "command": command, "reason": reason, "timeout_s": timeout_s}
    arguments = json.dumps(given, ensure_ascii=False)
    return ToolCall(call_id[:_MAX_ID_CHARS], RUN_COMMAND, arguments)
