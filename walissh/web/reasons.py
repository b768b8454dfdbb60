"""What may stand inside a sentence of another part: why something failed, as patterns.

Like `sentences`, of which these are pieces. Foreign words that have no pattern here, such
as what a server says of itself, stay as they are.
"""

from walissh.web.people_sentences import REASONS_OF_PEOPLE


def _(text: str) -> str:
    """Mark *text* for the catalogue."""
    return text


REASONS: tuple[str, ...] = (
    # the system's own words
    _("timed out"),
    _("no answer from DNS"),
    _("it is empty"),
    _("Connection refused"),
    _("Connection reset by peer"),
    _("Connection timed out"),
    _("No route to host"),
    _("Network is unreachable"),
    _("Name or service not known"),
    _("No address associated with hostname"),
    _("Temporary failure in name resolution"),
    _("Permission denied"),
    _("No such file or directory"),
    # a part of a memory
    _("subject"),
    _("value"),
    _("content"),
    _("symptom"),
    _("cause"),
    _("fix"),
    # reaching a host
    _("it hung up"),
    _("it hung up at once"),
    _("it accepted the connection but did not answer"),
    _("it refused another channel: %(why)s"),
    _("the connection is dead (%(why)s)"),
    # logging in
    _("it refused to let %(user)s in. Tried: %(tried)s. The host offers: %(offered)s"),
    _("%(offered)s. It accepted %(passed)s but wants more. It asked: %(asked)s"),
    _("%(offered)s. It accepted %(passed)s but wants more"),
    _("%(offered)s. It asked: %(asked)s"),
    _("nothing that it offers"),
    _("nothing"),
    _("the host ended the log-in (%(why)s)"),
    _("no private key is stored for it"),
    _("the stored key cannot be used: %(why)s"),
    _("no SSH agent with keys is running where WaLiSSH runs"),
    # a command that cannot be sent
    _("it contains a NUL character"),
    _("it cannot be written in the host's encoding %(encoding)s"),
    _(
        "in the host's encoding %(encoding)s one of its characters holds a byte that a shell"
        " takes for a sign of its own"
    ),
    # a configuration that cannot be read
    _("%(path)s, line %(line)s"),
    # the model server
    _("%(what)s: nothing for %(seconds)s s"),
    _("stopped in the middle of its answer"),
    _("did not begin to answer"),
    _("sent more than %(count)s characters and did not stop"),
    _("gave an empty reply"),
    _("ended its answer in the middle"),
    _("withheld the answer (its content filter)"),
    _("reached its length limit in the middle of a command"),
    _("answered with a web page"),
    _("answered %(status)s"),
    _("broke off in the middle of its answer"),
    _("could not be reached"),
    _("no connection in time"),
    _("broke off its answer with an error"),
    _("cannot fit the talk into the window of %(model)s"),
    _("sent something that is not the chat completions format"),
    # what to do about it
    _("Try again."),
    _("Try again later."),
    _("Try again, or choose another model."),
    _("Check OPENAI_API_KEY."),
    _("Check OPENAI_BASE_URL."),
    _("Check that it runs, and OPENAI_BASE_URL."),
    _("Check the balance of the account that OPENAI_API_KEY belongs to."),
    _("Check that the account of OPENAI_API_KEY may use this model."),
    _("Check WALISSH_MODEL and OPENAI_BASE_URL."),
    _("Check that the model %(model)s can do this."),
    *REASONS_OF_PEOPLE,
)
