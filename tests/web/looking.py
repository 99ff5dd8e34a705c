"""What tests of pages look for: a page that is ready, what axe finds, and texts that must stay texts."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from prefrontal.graph.config.settings import ROOT
from tests.web.conftest import Watched

HOSTILE = '<img src=x onerror="document.title=1">{{7*7}}</script><script>document.title=2</script>'

_AXE = (ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


WINDOWS = [
    pytest.param(width, scheme, marks=() if first else pytest.mark.nightly("the same in another window"))
    for width, scheme, first in (
        (1440, "light", True),
        (1440, "dark", False),
        (420, "light", False),
        (420, "dark", False),
    )
]
"""The widths, in pixels, and colour schemes in which a page is looked at: one of them with each change."""


async def ready(watched: Watched, words: str) -> Page:
    """The page, once it shows these words."""
    await watched.page.wait_for_selector(f"text={words}")
    return watched.page


async def findings(page: Page) -> list[str]:
    """The serious findings of axe: what keeps somebody from using the page."""
    await page.evaluate(_AXE)
    found = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']}: {[node['html'][:120] for node in each['nodes']]}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]
