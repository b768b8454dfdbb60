"""What a person looks at behind placeholders and withheld outputs; each look is audited."""

from walissh.errors import NotFoundError
from walissh.store import audit, commands, secrets, sessions, withheld
from walissh.store.database import writing


def secret(session_id: str, user_id: str, number: int) -> str:
    """Return the value of a placeholder of this person's session, and note who looked.

    Raises NotFoundError for another's session, and for a value that is not kept (any more).
    """
    if sessions.get(session_id, user_id) is None:
        raise NotFoundError("There is no such session.")
    value = secrets.values(session_id, [number]).get(number)
    if value is None:
        raise NotFoundError(_CUT)
    _note(user_id, "secret_revealed", session_id, number=number)
    return value


def secret_of_command(command_id: str, user_id: str, number: int) -> str:
    """Return the value of a placeholder in a command of this person, and note who looked."""
    run = commands.of_person(command_id, user_id)
    return secret(run.session_id, user_id, number)


def output(command_id: str, user_id: str) -> str:
    """Return the withheld output of this person's command, and note who looked.

    Its own secrets are in their places. Raises NotFoundError if none is kept (any more).
    """
    run = commands.of_person(command_id, user_id)
    text = withheld.read(run.id)
    if not text:
        raise NotFoundError(_CUT)
    shown = secrets.exact(run.session_id, text)
    _note(
        user_id, "output_revealed", run.id,
        host=run.host_id, identity=run.host_identity, command=audit.digest_of(run.command),
    )  # fmt: skip
    return shown


_CUT = "Nothing is kept there any more: hidden values are cut after 30 days."


def _note(user_id: str, kind: str, subject: str, **facts: object) -> None:
    # before anything is shown: what cannot be noted is not revealed
    with writing() as session:
        audit.append(session, actor=user_id, kind=kind, subject=subject, **facts)
