"""The summary of what left the window of a session; the messages themselves stay."""

from sqlalchemy import select, update

from walissh.react.window import summary
from walissh.react.window.summary import Summary
from walissh.store.database import changed, reading, writing
from walissh.store.models import SessionRow


def load(session_id: str, user_id: str) -> Summary:
    """Return the summary of this person's session; an empty one if nothing was folded."""
    mine = select(SessionRow.summary).where(
        SessionRow.id == session_id, SessionRow.user_id == user_id
    )
    with reading() as session:
        stored = session.scalar(mine)
    return summary.loads(stored["text"]) if stored else Summary()


def save(session_id: str, user_id: str, new: Summary) -> bool:
    """Keep *new* unless another has folded more; False then, or if the session is gone."""
    with writing() as session:
        row = session.get(SessionRow, session_id, with_for_update=True)
        if row is None or row.user_id != user_id:
            return False
        if row.summary and row.summary["rounds"] > new.rounds:
            return False
        kept = {"rounds": new.rounds, "until": new.until, "text": summary.dumps(new)}
        mine = update(SessionRow).where(SessionRow.id == session_id, SessionRow.user_id == user_id)
        return bool(changed(session, mine.values(summary=kept)))
