"""Everything in the repository is this project's own; code of others is fetched, never committed."""

from __future__ import annotations

import re
import subprocess
from pathlib import PurePosixPath

import pytest

from prefrontal.graph.config.settings import ROOT

# Folders that tools put the code of others, or what they made of it, into.
FOLDERS = {"vendor", "third_party", "node_modules", "site-packages", "dist"}
# What cannot be read: programs, archives and fonts.
UNREADABLE = {".jar", ".whl", ".gz", ".tgz", ".zip", ".so", ".node", ".wasm", ".ttf", ".woff", ".woff2"}
NOTICE = re.compile(r"@license|copyright \(c\)|sourceMappingURL=", re.IGNORECASE)
# People do not write lines of this length; minifiers do. Pictures have no lines, nor has what was learned.
LONGEST = 1_000
WITHOUT_LINES = {".png", ".npz"}
# Names the signs that it looks for.
ITSELF = "tests/contract/test_own_code.py"


def signs(path: str, content: bytes) -> list[str]:
    """What makes a file look like the work of others."""
    name = PurePosixPath(path)
    found = [f"it is in a folder {part}" for part in name.parts[:-1] if part in FOLDERS]
    if ".min." in name.name:
        found.append("its name says that it is minified")
    if name.suffix in UNREADABLE:
        found.append("it cannot be read")
    if name.suffix in WITHOUT_LINES or path == ITSELF:
        return found
    text = content.decode(errors="replace")
    if notice := NOTICE.search(text):
        found.append(f"it says {notice[0]}")
    length = max(map(len, text.splitlines()), default=0)
    if length > LONGEST:
        found.append(f"it has a line of {length} characters")
    return found


def tracked() -> list[str]:
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return [path for path in done.stdout.split("\0") if (ROOT / path).is_file()]


def test_no_tracked_file_is_the_work_of_others() -> None:
    paths = tracked()
    assert {"web/package-lock.json", "api/web/routes.py", ITSELF} <= set(paths)
    assert {path: found for path in paths if (found := signs(path, (ROOT / path).read_bytes()))} == {}


@pytest.mark.parametrize(
    ("path", "content", "sign"),
    [
        ("api/web/vendor/react.js", b"", "it is in a folder vendor"),
        ("web/node_modules/react/index.js", b"", "it is in a folder node_modules"),
        ("api/web/dist/graphiql.html", b"", "it is in a folder dist"),
        ("api/web/react.min.js", b"", "its name says that it is minified"),
        ("api/web/react.js", b"/** @license React", "it says @license"),
        ("api/web/react.js", b"// Copyright (c) Somebody", "it says Copyright (c)"),
        ("api/web/react.js", b"//# sourceMappingURL=react.js.map", "it says sourceMappingURL="),
        ("api/web/react.js", b"x" * 1_001, "it has a line of 1001 characters"),
        ("graph/embedded/neo4j.jar", b"", "it cannot be read"),
    ],
)
def test_the_work_of_others_is_noticed(path: str, content: bytes, sign: str) -> None:
    assert signs(path, content) == [sign]


def test_the_lock_of_the_pages_names_no_registry() -> None:
    lock = (ROOT / "web" / "package-lock.json").read_text(encoding="utf-8")
    assert lock.count('"integrity": "sha512-') > 100
    assert '"resolved"' not in lock
