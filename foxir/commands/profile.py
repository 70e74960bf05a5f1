"""`foxir profile`: the profiles of vocabularies."""

from __future__ import annotations

import click

from engine.collection.profiles.profile import AUTO, NONE
from engine.collection.profiles.profile_files import load_profile, profile_names, profile_text
from foxir.terminal.command_class import FoxirCommand
from foxir.terminal.control_characters import say
from foxir.terminal.exit_status import DONE


@click.command(name="profile", cls=FoxirCommand)
@click.argument("name", required=False, metavar="[NAME|FILE]")
def command(name: str | None) -> int:
    """List the profiles, or print one as a TOML file.

    A profile says what the tags of a vocabulary mean. To change one, print it into a file and edit that, or write a
    file that begins with extends = "tei": its lists are added to those of the profile, a name after - is removed.

    \b
    Examples:
      foxir profile
      foxir profile tei
      foxir index my.foxir letters --profile my.toml
    Not made by 'foxir demo': letters, my.toml.
    """
    if name is None:
        names = ", ".join(each for each in profile_names() if each not in (AUTO, NONE))
        say(
            f"{AUTO}: chooses one of the others for each document, by its root element\n"
            f"{NONE}: no tag is inline, skipped or a title\n"
            f"vocabularies: {names}"
        )
        return DONE
    say(profile_text(load_profile(name)).rstrip("\n"))
    return DONE
