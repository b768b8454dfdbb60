"""The audit trail of commands whose journal is not in this database."""

from walissh.react.turn import CommandRun
from walissh.store import audit
from walissh.store.database import writing


def note(run: CommandRun, what: str, **facts: object) -> None:
    """Add that *run* of a talk which leaves no other trace is *what*: running, finished ...

    As for every command: who, which host, which risk, and the digest of the text.
    """
    with writing() as session:
        audit.append(
            session,
            actor=run.user_id,
            kind=f"command_{what}",
            subject=run.id,
            host=run.host_id,
            identity=run.host_identity,
            command=audit.digest_of(run.command),
            risk=run.risk.value,
            rule=run.rule,
            person=run.user_id,
            ephemeral=True,
            **facts,
        )
