"""The sentences of memory that a page may show, as patterns; part of `sentences`."""


def _(text: str) -> str:
    """Mark *text* for the catalogue."""
    return text


OF_MEMORY: tuple[str, ...] = (
    # what a person says and does
    _("There is nothing to remember. Write a sentence."),
    _("A fact is of one host. Nothing was stored. Choose the host beside the text."),
    _(
        "This is a question, and teaches nothing. Nothing was stored. Ask it in a session, or say"
        " what shall be remembered."
    ),
    _("There is no such memory. It may have been deleted."),
    _(
        "The text holds a secret (%(kind)s), and memory keeps none. Nothing was stored. Leave"
        " the secret out; those of a host belong on its host page."
    ),
    _("Nothing was changed: give a text, a value or a scope."),
    _("This entry only says that another was withdrawn. Restore that one instead."),
    _("It was for a time that is over. Say it anew instead."),
    _("A memory needs a subject and a text. Nothing was kept."),
    _("%(text)s is no scope. Use global, host:NAME, group:NAME or all-except:NAME."),
    _(
        "The %(name)s has %(count)s characters; at most %(most)s are kept. Nothing was stored."
        " Say it shorter."
    ),
    _(
        "The %(name)s holds a password, key or token. Nothing was stored: memory never keeps"
        " secrets. Say it without the secret."
    ),
    _("%(text)s is no state to look for. Use superseded, withdrawn, expired, wrong or all."),
    _("There is no such person. Nothing was kept."),
    _("Only what was found out about a host can be shared. Nothing was shared."),
    _("%(name)s is not within reach. Nothing was kept of it."),
    # groups
    _(
        "You are in no group named %(name)s. Nothing was shared. An administrator adds people"
        " with: walissh group add NAME PERSON"
    ),
    _("%(name)s is not a group's name: use up to 64 letters, digits and . _ @ + -"),
    _("There is no such person. Nobody was put into the group."),
    # core memory
    _(
        "The block was changed at the same moment. Nothing was saved. Read it again, and make"
        " your change there."
    ),
    _("There is no such version of this block."),
    _("This proposal does not wait for a decision (any more)."),
    # causes
    _("Nothing waits to be confirmed here (any more)."),
    _(
        "An output of this turn gives orders, so nothing is learned from it. Call them harmless"
        " first if they are."
    ),
    _("Causes were found on several hosts. Nothing was kept. Say which host it was."),
    _(
        "The block was changed meanwhile. Nothing was saved. Read it again, and make your"
        " change there."
    ),
    _("There is no such block. The blocks are %(names)s."),
    _(
        "The block was changed after this was proposed, and the proposal would undo that. Reject"
        " it, and make the change by hand if you want it."
    ),
    _("This version is in force. Write the block anew, then erase it."),
    _("This proposal waits for your decision. Reject it, then erase it."),
    _(
        "The database refused this (%(why)s). Nothing was stored, and trying again as it is will"
        " not help."
    ),
    _("Version %(number)s was never in force, so it cannot come back."),
    _("The text holds a NUL character, which cannot be stored. Remove it."),
    _("The text is not valid Unicode."),
    _(
        "The text has %(count)s characters; a block of core memory has at most %(most)s. Shorten"
        " it, for it is part of every request."
    ),
    _(
        "Line %(number)s holds a secret, which core memory never keeps. Nothing was saved."
        " Remove it and save again; secrets of a host belong on its host page."
    ),
    # what was misunderstood
    _("There is no such entry. It may have been taken back already."),
    _("There is no such rule. Nothing was taken back."),
    # import
    _("The file holds no line. Choose a file that was exported here."),
    _("The file is not text in UTF-8. Nothing was taken."),
    _("it is not text in UTF-8."),
    _("it is longer than %(count)s characters."),
    _("its date is in the future."),
    _("its dates must lie in the years 2 to 9998."),
    _("it is not one JSON object."),
    _("there is no host named %(name)s within reach. Add it, then import this line."),
    # the memory of a task
    _("Others change this task all the time. Try again in a moment."),
    _("%(name)s is no id of a person, a talk or a task."),
    _("Working memory keeps what JSON can say only: %(why)s"),
    _(
        "Step %(name)s is %(state)s by now, not %(other)s, so it did not become %(wanted)s. Look"
        " at the plan again."
    ),
    _("This task is over or was forgotten. Ask again to start it."),
    _("%(place)s: %(why)s."),  # a field of a line, and what is wrong with it: the last resort
)
