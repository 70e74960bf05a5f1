"""The option --image of the commands that take one query."""

from __future__ import annotations

import click

image_option = click.option(
    "--image",
    "images",
    multiple=True,
    metavar="FILE",
    help="Example image: find elements with similar images, as well as those about the words; repeatable.",
)
