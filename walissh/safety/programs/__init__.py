"""The programs of everyday operations: what of each only reads, and what the rest does.

One YAML file for each family. An entry may have these keys; those marked * are passed on to
the sub-commands, which may say otherwise.

``flags``: -x (no value), -x= (a value, attached or next), -x? (an attached value, or none),
--long, --long=, --long? alike. A flag that is not listed makes the use an unlisted one.
``style``*: gnu (short flags bundle; the default), single (one dash, whole words), free (no flags).
``args``: any (default), none, or the most positional arguments allowed.
``match``: what the positional arguments, joined by a space, must look like as a whole.
``whole``: what all arguments, joined, must look like (then nothing else is looked at).
``values``*: what a flag's value must look like as a whole.
``prints``: shows the content of the files named (so paths of credentials count).
``unknown``: no argument whatever can make it change something.
``numbers``: -5 and +5 are flags. ``ignore_case``: so are the names of its sub-commands.
``script``: the first argument is a program of this language (awk, sed).
``endless``: flags with which it never ends; "*" always. ``works``*: the form to use instead.
``terminal``: the same for a program that wants a terminal.
``needs``: all of these flags must be there; ``any_of``: one of them.
``interval``: one number alone means for ever.
``stdin``: reads its input unless it has more arguments than this, or one of ``stdin_unless``.
``subs``: sub-commands (several names of one may stand together); they inherit the flags; ""
is none at all.
``plain``: sub-commands of which no more is told than what they do: a risk, and their names.
``same``: the same entry as another program.

What changes something:

``writes``, ``changes``, ``destroys``, ``shows``, ``runs``: more flags; with one of them the use is
mutating (``writes`` only if its value is no harmless device), mutating, destructive,
secret_exposure or opaque (it starts what the text does not tell).
``commands``: flags whose value is handed to a shell (unless it looks as ``values`` has it);
that is judged as well. "*": all arguments together are.
``when``: a list of single pairs of a risk and a regular expression, searched in all arguments
joined by a space, before anything else is looked at; the first that is found decides. For
read_only it must match as a whole. A word known only when the line runs is ``\\0`` in it.
``risk``*: what an unlisted use is (an unlisted flag, sub-command or argument); without it,
opaque. With neither ``flags`` nor ``subs`` nor any other condition on arguments, and a
``risk``, every use is of that risk.
``help``*: the flags that anywhere among the arguments (before --) print help and do nothing
else; "any" is --help.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from walissh.safety import lists


@cache
def entries() -> Mapping[str, Mapping[str, Any]]:
    """Return all entries by program; read from their files at first use.

    Raises ValueError if two files have the same program.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for file in sorted(files(__name__).iterdir(), key=lambda each: each.name):
        if not file.name.endswith(".yaml"):
            continue
        family = lists.parse(file.read_text("utf-8")) or {}
        twice = found.keys() & family.keys()
        if twice:
            raise ValueError(f"{file.name}: listed twice: {', '.join(sorted(twice))}")
        found.update(family)
    return found
