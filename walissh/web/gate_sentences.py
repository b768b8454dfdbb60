"""The sentences about rules of the gate that a page may show; see `sentences`."""


def _(text: str) -> str:
    """Mark *text* for the catalogue."""
    return text


OF_GATE: tuple[str, ...] = (
    _("There is no such rule."),
    _("An administrator made this rule for everyone; only one revokes it."),
    _("This rule was revoked before."),
    _("At most %(count)s rules are in force at once. Revoke some first."),
    _("A rule says allow, ask or deny."),
    _("There is no such class of risk."),
    _("There is no such role."),
    _("The command of a rule has at most %(count)s characters and no NUL."),
    _("A group or note of a rule has visible characters only."),
    _("A rule keeps no secrets. Leave the secret out."),
    _("A host belongs to one person, so a rule for everyone names a group or none."),
    _("A rule for everyone holds in %(group)s. Only an administrator takes a host out of it."),
    _("This end of the rule lies in the past."),
    _("A viewer makes no rules."),
    _("Only an administrator makes a rule for everyone."),
    _("What is allowed for good is allowed somewhere: name a host or a group."),
    _("No rule lets run unasked what destroys, shows secrets or cannot be judged."),
    _("A rule that allows must name the program: a star stands for a later word only."),
    _("The hours %(text)s were not understood. Write them like: mon-fri 9:00-18:00 Asia/Shanghai"),
    _("The last day of a rule is a date like 2027-01-31."),
    _("This command cannot be allowed for good there."),
    _("Approve the edited command once before you allow it for good."),
    _("Line %(number)s is no event of an audit trail."),
)
