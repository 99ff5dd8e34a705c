"""Takes the pictures of the documents: the demo in the workbench and Neo4j Browser, in a headless Chromium.

    python scripts/make_screenshots.py          writes docs/images/workbench-*.png and lineage.png

Starts a service of its own with the demo, on free ports and with data of its own, and ends it afterwards.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
from playwright.async_api import ViewportSize, async_playwright
from progress import fail

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

# The checkout is not always installed.
from prefrontal.api.browser.links import BrowserEndpoint, browser_url, lineage_query  # noqa: E402
from tests.support.chromium import installed  # noqa: E402

IMAGES = ROOT / "docs" / "images"
SIZE: ViewportSize = {"width": 1280, "height": 800}
PATIENCE_S = 300

PICTURES = {
    "lineage": "/lineage",
    "link": "/link",
    "context": "/context?prompt=Which%20wine%20can%20Jonas%20drink%3F&budget=900",
    "actions": "/actions",
    "registry": "/registry/approval_request?at=pending",
    "history": "/history",
}
"""The name of each picture, and the address of its view."""


def main() -> int:
    """Start the demo, take the pictures, and end it; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        ports = _free_ports()
        env = {
            **os.environ,
            "PREFRONTAL_DATA_DIR": folder,
            "PREFRONTAL_PORT": str(ports[0]),
            "PREFRONTAL_BOLT_PORT": str(ports[1]),
            "PREFRONTAL_BROWSER_PORT": str(ports[2]),
        }
        command = [sys.executable, "-m", "prefrontal.api.cli"]
        with (Path(folder) / "serve.log").open("wb") as log:
            service = subprocess.Popen(
                [*command, "serve", "--demo"], cwd=ROOT, env=env, stdout=log, stderr=log
            )
        try:
            url = f"http://127.0.0.1:{ports[0]}"
            if not _answers(f"{url}/readyz", service):
                return fail("the service did not start; try: make run")
            who = ("--org", "demo", "--agent", "sommelier", "--person", "ann")
            said = subprocess.run(
                [*command, "token", *who], cwd=ROOT, env=env, capture_output=True, text=True, check=True
            )
            token = re.search(r"eyJ\S+", said.stdout)
            if token is None:
                return fail("there is no token in what `prefrontal token` printed")
            password = (Path(folder) / "neo4j" / "password").read_text(encoding="utf-8").strip()
            place = BrowserEndpoint(f"http://127.0.0.1:{ports[2]}", f"bolt://127.0.0.1:{ports[1]}", "neo4j")
            asyncio.run(_take(url, token[0], browser_url(place, lineage_query()), password))
        finally:
            service.terminate()
            service.wait()
    return 0


async def _take(url: str, token: str, link: str, password: str) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=installed(playwright.chromium.executable_path),
            args=["--no-sandbox", "--disable-gpu"],
        )
        for name, path in PICTURES.items():
            page = await browser.new_page(viewport=SIZE)
            await page.goto(f"{url}{path}#token={token}")
            await page.wait_for_load_state("networkidle")
            # The picture is drawn a moment after its answer.
            await page.wait_for_timeout(1500)
            await page.screenshot(path=IMAGES / f"workbench-{name}.png")
            print(f"wrote docs/images/workbench-{name}.png")
        page = await browser.new_page(viewport=SIZE)
        await page.goto(link)
        await page.fill("[data-testid=password]", password, timeout=1000 * PATIENCE_S)
        await page.keyboard.press("Enter")
        # The style and the guide come first, by themselves.
        await page.wait_for_selector("h3:has-text('Start here')")
        await page.locator(".monaco-editor").first.click()
        await page.keyboard.press("Control+Enter")
        await page.wait_for_selector("svg g.node")
        # The layout comes to rest.
        await page.wait_for_timeout(6000)
        await page.screenshot(path=IMAGES / "lineage.png")
        print("wrote docs/images/lineage.png")
        await browser.close()


def _answers(url: str, service: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while service.poll() is None and time.monotonic() < deadline:
        try:
            return httpx.get(url, timeout=5).is_success
        except httpx.TransportError:
            time.sleep(0.5)
    return False


def _free_ports() -> list[int]:
    sockets = [socket.socket() for _ in range(3)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


if __name__ == "__main__":
    sys.exit(main())
