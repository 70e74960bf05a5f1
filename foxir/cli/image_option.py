"""The option --image of the commands that take one query."""

from __future__ import annotations

import click

image_option = click.option(
    "--image",
    "images",
    multiple=True,
    metavar="FILE",
    help="An example image: elements with images like it are found, beside those about the words; repeatable.",
)
