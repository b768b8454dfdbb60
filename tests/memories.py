"""Memories as values, for tests of what is done with them."""

from walissh.clock import utc_now
from walissh.memory.entry import Memory, MemoryState, MemoryType, Op, Origin, Source


def memory(kind: MemoryType, subject: str, value: str) -> Memory:
    """Return a valid memory of ann's."""
    now = utc_now()
    return Memory(
        number=1,
        id=f"id-{subject}",
        owner_id="ann",
        type=kind,
        scope="global",
        host_id=None,
        host="",
        subject=subject,
        value=value,
        content=f"{subject} {value}",
        payload={},
        op=Op.ADD,
        confidence=1.0,
        source=Source(Origin.USER),
        state=MemoryState.VALID,
        at=now,
        proved_at=now,
    )
