"""Write the picture of the README: answers beside a document of the sample collection, in a real browser."""

from __future__ import annotations

import tempfile
from pathlib import Path
from urllib.parse import urlencode

import foxir
from foxir.service.options import ServiceOptions
from tests.foxir.service.browser import chromium
from tests.foxir.service.living import running

ROOT = Path(__file__).parents[3]
PICTURE = ROOT / "docs/pictures/read.png"
PAGE = {"open": "jats/fx-006", "q": "fog signal range", "path": "/article[1]/body[1]/sec[3]/sec[4]/p[1]"}


def main() -> None:
    """Index the sample collection in a temporary folder, open the page, write the picture."""
    with tempfile.TemporaryDirectory() as name:
        index = Path(name) / "demo.foxir"
        foxir.build_index(ROOT / "collections", into=index)
        with chromium() as browser, running(ServiceOptions((index,), quiet=True)) as port:
            page = browser.new_page(viewport={"width": 1180, "height": 640}, reduced_motion="reduce")
            page.goto(f"http://127.0.0.1:{port}/?{urlencode(PAGE)}#focus")
            page.wait_for_timeout(300)
            PICTURE.parent.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=PICTURE)
    print(PICTURE.relative_to(ROOT))


if __name__ == "__main__":
    main()
