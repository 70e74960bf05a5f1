"""Options that select judgements: their scale, the judged elements that count, the class of topics."""

from __future__ import annotations

from typing import get_args

import click

from eval.judgements.recall_base import RecallBase
from foxir.evaluation.judgement_selection import TopicClass
from foxir.terminal.command_class import headed_option
from foxir.terminal.options.options import SELECTION, together

judging_options = together(
    headed_option(
        SELECTION,
        "--recall-base",
        type=click.Choice(get_args(RecallBase)),
        default="full",
        help="Judged elements that count: all, the most general or most specific highly relevant ones, or best entry "
        "points.",
    ),
    headed_option(
        SELECTION,
        "--topic-class",
        type=click.Choice(get_args(TopicClass)),
        default="all",
        help="Topics whose most general relevant elements are mostly whole articles (broad) or mostly parts (narrow).",
    ),
    headed_option(
        SELECTION,
        "--scale",
        type=click.Choice(["2002", "2003", "2005"]),
        help="Scale of the grades where the file does not say: the INEX year that introduced it.",
    ),
)
