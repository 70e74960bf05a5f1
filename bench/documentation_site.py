"""Which pages has the site of the documentation? All Markdown of the repository, and the docstrings of the public API.

A hook of mkdocs and an extension of griffe, which reads the docstrings (`mkdocs.yml`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import griffe
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import foxir

ROOT = Path(__file__).parents[1]
# The pages of the repository and what they show, by their paths, so that links between them hold.
PAGES = ("*.md", "LICENSE", "docs/*.md", "docs/*.ipynb", "docs/pictures/*", "bench/README.md", "bench/notebook/*")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Return the settings of the site, whose name tells the version that it describes."""
    config.site_name = f"{config.site_name} {foxir.__version__}"
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the files of the site in place of those of one folder, beside the ones of the theme."""
    paths = sorted(path.relative_to(ROOT).as_posix() for pattern in PAGES for path in ROOT.glob(pattern))
    own = [File(path, str(ROOT), config.site_dir, config.use_directory_urls) for path in paths]
    of_theme = [file for file in files if file.src_dir != config.docs_dir]
    return Files([*own, *of_theme, File.generated(config, "docs/api.md", content=api())])


def api() -> str:
    """Return the page of the public API: a section a name, with its docstring."""
    names = sorted(name for name in foxir.__all__ if not name.startswith("_"))
    sections = (f"::: {_home(name)}.{name}\n" for name in names)
    return "\n".join(["# API", "\nAll public names of foxir, in alphabetical order.\n", *sections])


def _home(name: str) -> str:
    """Return the module in the checkout that defines a public name, whose `foxir.engine` is `engine` there."""
    home: str = vars(foxir)["_HOMES"][name]
    inner = home.removeprefix("foxir.")
    return inner if inner.startswith(("engine.", "eval.")) else home


class RaisesAsSentence(griffe.Extension):
    """Shows `Raises: A for ...; B for ...` as the sentence that it is: griffe expects a line for each error."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Replace the last paragraph of a docstring that begins so."""
        if obj.docstring:
            obj.docstring.value = re.sub(r"^Raises:((?: .*\n?)+)", _sentence, obj.docstring.value, flags=re.MULTILINE)


def _sentence(found: re.Match[str]) -> str:
    return f"*Raises* {' '.join(found[1].split())}"
