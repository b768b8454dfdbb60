"""Whether what a turn was given still holds: a change elsewhere does not disturb it."""

from walissh.memory.entry import MemoryType
from walissh.memory.needs import Memories
from walissh.react.turn import Remembrance


def is_touched(memories: Memories, user_id: str, given: Remembrance) -> bool:
    """Tell whether a change since then touches what is in force where it was asked.

    An entry is never rewritten, so the same ones say the same. What the turn itself had
    kept, and what that overtook, is no change to it; the standing rules are in every prompt.
    """
    if "profile_update" in memories.preference_changes(user_id, given.version):
        return True
    had = {each.memory_id for each in given.recalled if each.preference}
    types = {MemoryType.USER_PREFERENCE}
    now = {each.id for each in memories.in_force(user_id, given.place, types=types)}
    if now - had - {*given.own}:
        return True
    gone = memories.of_ids(sorted(had - now), user_id)
    return len(gone) < len(had - now) or any(each.superseded_by not in given.own for each in gone)
