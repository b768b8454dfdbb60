"""The sentences of other parts that a page may show, as patterns for translation.

A copy of what is raised elsewhere, with ``%(name)s`` where a value stands; `i18n.sentence`
looks them up, the first that fits. One that is missing here would be shown in English; a
test reads the source of all parts and finds it.
"""

from walissh.web.gate_sentences import OF_GATE
from walissh.web.memory_sentences import OF_MEMORY
from walissh.web.people_sentences import OF_PEOPLE


def _(text: str) -> str:
    """Mark *text* for the catalogue."""
    return text


SENTENCES: tuple[str, ...] = (
    *OF_GATE,  # first: some of them would fit a wider pattern below
    # people
    _("Sign in first."),
    _("The name or the password is wrong."),
    _("The password needs at least %(count)s characters."),
    _("%(name)s is not a name: use up to 64 letters, digits and . _ @ + -"),
    _("Too many people sign in at this moment. Try again in a few seconds."),
    _(
        "This needs a valid token in the header 'Authorization: Bearer TOKEN'. Make one with:"
        " walissh token create"
    ),
    # sessions and turns
    _("There is no such session."),
    _("There is no such turn."),
    _("There is no such command."),
    _("Nothing is kept there any more: hidden values are cut after 30 days."),
    _("This command holds a secret, and this session can keep no more. Begin a new one."),
    _("There is no such host."),
    _("The message is empty. Write a question."),
    _(
        "The message has %(count)s characters; at most %(most)s are taken. Send the part that"
        " matters, or put the file on a host and ask about it."
    ),
    _("The message is not valid Unicode text."),
    _("A turn is open in this session. Wait for its end, decide what waits, or stop it."),
    _("A turn is still ending in this session. Try again in a moment."),
    _("This Idempotency-Key was used for another message. Use a new one."),
    _(
        "This question was answered before, and that answer stands. Write a message to say"
        " something else."
    ),
    _("There is no such answer to choose. Write yours as a message."),
    _("The session was deleted."),
    _("The turn has ended already."),
    _("A title has at most %(count)s characters."),
    _("There is no host with id %(id)s."),
    _("This command does not wait for a decision (any more)."),
    _("Nobody decided on this command in time. Ask again."),
    _("No orders are marked in this output (any more). Nothing was changed."),
    _("This command was edited meanwhile. Read it again before you decide."),
    _("A command cannot hold a NUL character."),
    _(
        "%(host)s: the host was changed or removed after the command was proposed. Nothing was"
        " run. Deny the command and ask again."
    ),
    _(
        "%(host)s: the host was changed or removed after the command was proposed. Nothing was"
        " run. Ask again."
    ),
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
    _(
        "%(name)s: the machine seen last is %(seen)s, not %(other)s. Nothing was trusted."
        " Compare again."
    ),
    _("A password for sudo has 1 to %(most)s visible characters."),
    _("%(path)s, line %(line)s: cannot be read: %(text)s."),
    _("%(where)s: Include goes too deep; does a file include itself?"),
    _("%(where)s: a name is missing."),
    _("%(where)s: a quote is not closed."),
    _("%(where)s: %(text)s is not a port."),
    _("%(path)s: the file cannot be read: %(why)s."),
    _("%(name)s is not a jump host."),
    _("There is a host of this name."),
    _("Its jump hosts lead in a circle: %(names)s."),
    _("No user is named for %(name)s. Add a line 'User NAME' to it."),
    _("The text names %(count)s hosts; at most %(most)s are taken at once."),
    _("The text is longer than %(count)s KiB. Send it in parts."),
    _("The text names no host: there is no line such as 'Host web1'."),
    _("There is no such way to log in."),
    _("The file is not a private key in text form."),
    _("The file is too big to be a private key."),
    _("This is a public key. Paste the private key: the file without .pub."),
    _("This is a PuTTY key. Export it in PuTTYgen as an OpenSSH key and paste that."),
    _("This is not a private key: it has no line -----BEGIN ... PRIVATE KEY-----."),
    _("This kind of key is not supported; use Ed25519, ECDSA or RSA."),
    _("The private key is damaged or cut off. Paste the whole file again."),
    _("The passphrase does not open this private key."),
    _("The private key is protected by a passphrase. Give it too."),
    _("This is not a public key line."),
    _(
        "A stored secret cannot be opened with the present key. Restore secret.key or"
        " WALISSH_SECRET_KEY as it was, or enter the secret again on the host page."
    ),
    # approving
    _("This can destroy data on %(host)s. Type the host's name to approve it."),
    _("%(host)s: the host was removed. Nothing was run."),
    # reaching a host
    _("The host is no longer there. Nothing was run."),
    _(
        "The host %(id)s is not known any more. Nothing was run. Choose another host or add it"
        " again."
    ),
    _("%(host)s: more than %(count)s jump hosts. Nothing was run."),
    _(
        "%(host)s: the jump host %(jump)s gave no channel to it (%(why)s). Nothing was run. Try"
        " again, or test the jump host on the host page."
    ),
    _(
        "%(host)s: connecting failed for a reason that is in WaLiSSH's log. Nothing was run."
        " Try again."
    ),
    _(
        "%(host)s: no session on it: %(why)s. Nothing was run. Try again later, or raise"
        " MaxSessions in its sshd_config."
    ),
    _(
        "%(host)s: the log-in works, but the command 'true' did not end well (%(how)s, exit"
        " code %(code)s). Check the login shell."
    ),
    _(
        "%(host)s: the name %(address)s does not resolve (%(why)s). Nothing was run. Check the"
        " address on the host page."
    ),
    _(
        "%(host)s: no connection to %(address)s port %(port)s (%(why)s). Nothing was run. Check"
        " that the machine is up, and its address and port on the host page."
    ),
    _(
        "%(host)s: its host key is not trusted yet (%(key)s). Nothing was run. Compare it with"
        " the server's own and trust it on the host page."
    ),
    _(
        "%(host)s: the host key changed (was %(old)s, now %(new)s). Nothing was run. If you"
        " reinstalled it, accept the new key on the host page."
    ),
    _(
        "%(host)s: no SSH session with %(address)s port %(port)s: %(why)s. Nothing was run."
        " Check that an SSH server listens there and is not overloaded."
    ),
    _(
        "%(host)s: the jump host %(jump)s does not forward connections. Nothing was run. Allow"
        " it there (AllowTcpForwarding in sshd_config)."
    ),
    _(
        "%(host)s: the jump host %(jump)s cannot reach %(address)s port %(port)s (%(why)s)."
        " Nothing was run. Check the address and port on the host page."
    ),
    _("%(host)s: %(why)s. Nothing was run. Check the user and the log-in on the host page."),
    _(
        "%(host)s: this command cannot be sent: %(why)s. Nothing was run. Change the command,"
        " or the encoding on the host page."
    ),
    _("%(host)s: the command had not started yet; nothing was run."),
    _(
        "%(host)s: another machine answers under the trusted key (its machine id was %(old)s,"
        " now %(new)s). Nothing was run. If you rebuilt or replaced it, accept the new machine"
        " on the host page."
    ),
    _(
        "%(host)s: this host has no bash, and under its sh the command means something else"
        " (%(means)s instead of %(meant)s). Nothing was run. Write it for sh, or install bash"
        " there."
    ),
    _(
        "%(host)s: sudo refused the password; it was not tried again. Enter the right one on the"
        " host page, or on the card when the command waits for you again."
    ),
    _(
        "%(host)s: sudo wants a password, and none is known for this host. Enter it on the host"
        " page, then ask again."
    ),
    _(
        "%(host)s: no password can be handed to sudo there: it takes mktemp, mkfifo and a folder"
        " from which programs may be run. If sudo wanted one, it got none."
    ),
    _(
        "%(host)s: the login shell did not start the command. Nothing was run. It said nothing."
        " Check the account's shell."
    ),
    _("%(host)s: the login shell did not start the command. Nothing was run. It said: %(words)s"),
    _("%(host)s: the command was ended by a signal."),
    _(
        "%(host)s: it could not be confirmed that the command has ended. Process group"
        " %(group)s may still run there; look with: ps -g %(group2)s"
    ),
    _(
        "%(host)s: some of the command could not be ended (another user's process?) and still"
        " runs: process %(ids)s. End it there with: sudo kill %(ids2)s"
    ),
    _("%(host)s: the connection was lost before the command started. Nothing was run. Try again."),
    _(
        "%(host)s: the connection was lost while the command ran. Its outcome is unknown, and"
        " it may still run there (process group %(group)s). Look at the host before trying"
        " again."
    ),
    _(
        "%(host)s: the command ended, but something that it started still runs in the"
        " background (process group %(group)s)."
    ),
    # the model server
    _('The model server at %(url)s %(what)s: "%(words)s". %(advice)s'),
    _('The model server at %(url)s %(what)s: "%(words)s".'),
    _("The model server at %(url)s %(what)s. %(advice)s"),
    _("The model server at %(url)s %(what)s."),
    # the request itself
    _("The language must be zh or en."),
    _("The request could not be read."),
    _("There is nothing at this address."),
    _("This address does not take this method; the header Allow says which."),
    _("The request is too big: at most 16 MB are taken."),
    _("Something went wrong in WaLiSSH itself. The log of the web part says what."),
    _("The form was not accepted: %(why)s Reload the page and try again."),
    _("The database did not answer: %(why)s"),
    _("The disk of the database is full. Nothing was stored. Make room on it, then try again."),
    _(
        "The window of %(tokens)s tokens leaves %(left)s for the talk beside the other parts of"
        " the prompt. Choose a model with a larger window, or set its size if the server has"
        " more."
    ),
    _("There is no strategy %(name)s. Use one of %(names)s."),
    _("Redis did not answer: %(why)s"),
    *OF_MEMORY,
    *OF_PEOPLE,
)

JOINED: tuple[str, ...] = (
    _("Line %(number)s: %(sentence)s"),
    _("%(sentence)s Nothing was run."),
    _("%(sentence)s Trying again in %(seconds)s s."),
    _("%(sentence)s %(seconds)s 秒后重试。"),
)
"""What is said after another sentence, in the language of the turn."""
