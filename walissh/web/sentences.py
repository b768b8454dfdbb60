"""The sentences of other parts that a page may show, as patterns for translation.

A copy of what is raised elsewhere, with ``%(name)s`` where a value stands; `i18n.sentence`
looks them up. One that is missing here is shown in English.
"""


def _(text: str) -> str:
    """Mark *text* for the catalogue."""
    return text


SENTENCES: tuple[str, ...] = (
    # people
    _("Sign in first."),
    _("The name or the password is wrong."),
    _("The password needs at least %(count)s characters."),
    # sessions and turns
    _("There is no such session."),
    _("There is no such turn."),
    _("There is no such command."),
    _("There is no such host."),
    _("The message is empty. Write a question."),
    _(
        "The message has %(count)s characters; at most %(most)s are taken. Send the part that"
        " matters, or put the file on a host and ask about it."
    ),
    _("The message is not valid Unicode text."),
    _("A turn is open in this session. Wait for its end, decide what waits, or stop it."),
    _("A turn is still ending in this session. Try again in a moment."),
    _("The turn has ended already."),
    _("A title has at most %(count)s characters."),
    _("There is no host with id %(id)s."),
    _("This command does not wait for a decision (any more)."),
    # hosts
    _("There is a host named %(name)s already."),
    _("%(name)s is the jump host of %(other)s. Change %(other2)s first."),
    _("A host name has up to 63 letters, digits, dots, hyphens and underscores."),
    _("The address must be a host name or an IP address."),
    _("The user must be a login name."),
    _("The port must be from 1 to 65535."),
    _("A group or stage has at most 64 visible characters."),
    _("%(name)s is not an encoding such as utf-8, gbk or latin-1."),
    _("There is no such jump host."),
    _("A host cannot jump through itself."),
    _("More than %(count)s jump hosts in a row."),
    _("%(name)s: no key has been seen yet. Test the host first."),
    _(
        "%(name)s: the key seen last is %(seen)s, not %(other)s. Nothing was trusted."
        " Compare again."
    ),
    _("%(path)s, line %(line)s: cannot be read: %(text)s."),
    # the request itself
    _("The request could not be read."),
    _("There is nothing at this address."),
    _("This address does not take this method; the header Allow says which."),
    _("The request is too big: at most 16 MB are taken."),
    _("Something went wrong in WaLiSSH itself. The log of the web part says what."),
    _("The form was not accepted: %(why)s Reload the page and try again."),
    _("The database did not answer: %(why)s"),
    _("Redis did not answer: %(why)s"),
)
