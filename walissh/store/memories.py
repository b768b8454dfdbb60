"""What is remembered of the four kinds (ancestor: ILongTermMemoryRepository).

The history is append-only: a new value that wins supersedes the old one, never erases it.
Each change is one transaction, with its event. What a reader may see is told in the SQL.
"""

from collections.abc import Iterable
from datetime import datetime

from walissh.memory.entry import Found, Source
from walissh.react.host import Host
from walissh.store import memory_drafts, memory_work, memory_writes
from walissh.store.memory_changes import (
    delete,
    edit,
    forget_all,
    mark_helped,
    mark_wrong,
    note_recalled,
    restore,
    share,
)
from walissh.store.memory_events import preference_changes, preference_version
from walissh.store.memory_reads import (
    Page,
    get,
    in_force,
    newest,
    of_ids,
    page,
    recall,
    recent,
    taught_by,
    versions,
)
from walissh.store.memory_transfer import TakenIn, export, take_in
from walissh.store.memory_writes import Change

__all__ = [
    "Change",
    "Page",
    "TakenIn",
    "add_all",
    "add_or_update",
    "delete",
    "edit",
    "export",
    "forget_all",
    "get",
    "in_force",
    "mark_helped",
    "mark_wrong",
    "newest",
    "note_recalled",
    "of_ids",
    "page",
    "preference_changes",
    "preference_version",
    "recall",
    "recent",
    "restore",
    "share",
    "take_in",
    "taught_by",
    "versions",
]


def add_or_update(
    owner_id: str,
    found: Found,
    source: Source,
    *,
    host: Host | None = None,
    at: datetime | None = None,
    expires_at: datetime | None = None,
    shared_with: str = "",
    patience_ms: int | None = None,
) -> Change:
    """Keep what was found; the same again refreshes it, a stronger value supersedes.

    Of the same topic (``memory_family``) alone. Raises InvalidError for a text of a person
    that is too long or holds a secret (the agent's is cut and blanked), NotFoundError for an
    unknown person, host or group, StoreError if a lock is not given in *patience_ms*.
    """
    checked = memory_drafts.checked(found, source, host.name if host else "")
    with memory_work.opened(owner_id, patience_ms=patience_ms) as work:
        draft = memory_writes.drafted(
            work,
            checked,
            source,
            host=host,
            at=at,
            expires_at=expires_at,
            shared_with=shared_with,
        )
        return memory_writes.put(work, draft)


def add_all(
    owner_id: str,
    found: Iterable[Found],
    source: Source,
    *,
    host: Host | None = None,
    at: datetime | None = None,
    patience_ms: int | None = None,
) -> list[Change]:
    """Keep all that one source taught, in one transaction: all of it or nothing."""
    on = host.name if host else ""
    checked = [memory_drafts.checked(each, source, on) for each in found]  # others may write
    if not checked:
        return []
    with memory_work.opened(owner_id, patience_ms=patience_ms) as work:
        drafts = [memory_writes.drafted(work, each, source, host=host, at=at) for each in checked]
        return memory_writes.put_all(work, drafts)
