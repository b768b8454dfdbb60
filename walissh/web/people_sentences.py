"""The sentences about people that a page may show, as patterns; part of `sentences`."""


def _(text: str) -> str:
    """Mark *text* for the catalogue."""
    return text


OF_PEOPLE: tuple[str, ...] = (
    # what a role allows
    _("Your role is %(role)s, and this needs %(least)s. Ask an admin of this installation for it."),
    _("This token may only read. Make another one with: walissh token create --scope all"),
    # what an admin decides
    _("There is no such person."),
    _("There is a person named %(name)s already."),
    _("%(role)s is no role: use one of %(roles)s."),
    _("%(name)s is the last admin. Make somebody else an admin first."),
    _(
        "%(name)s is disabled. An admin can enable them again on the page People, or: walissh"
        " person enable %(name2)s"
    ),
    # browsers and tokens
    _("There is no such browser or token; it may have ended already."),
    _("A label has at most %(count)s visible characters."),
    _("The scope must be read or all."),
    _("A token lives for one of %(choices)s days."),
    # single sign-on
    _("This sign-in was not begun in this browser, or it was used before. Start again."),
    _("Your account is disabled here. Ask an admin of this installation."),
    _("Your account is in no group that may come in here. Ask an admin of this installation."),
    _("No name is free for your account. Ask an admin to make you one."),
    _(
        "The sign-in service %(issuer)s %(what)s. Sign in with a password or a link, and tell an"
        " admin."
    ),
    _("The sign-in service %(issuer)s let nobody in. Start again, or ask an admin."),
    _("The sign-in service %(issuer)s named nobody. Ask an admin to look at its settings."),
    _("The sign-in service %(issuer)s does not stand by this sign-in (any more). Start again."),
    _(
        "The word of %(issuer)s is too old. Start again; if that does not help, compare the clocks"
        " of both machines."
    ),
    _("The word of %(issuer)s does not hold (%(cause)s). Nobody was signed in."),
)

REASONS_OF_PEOPLE: tuple[str, ...] = (
    _("admin"),
    _("operator"),
    _("viewer"),
    _("did not answer (%(error)s)"),
    _("is no OpenID Connect provider"),
    _("calls itself %(name)s"),
    _("shows keys that cannot be read"),
    _("answers in another form"),
)
