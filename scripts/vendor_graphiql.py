"""Fetches the files of GraphiQL into `api/web/vendor/graphiql`, so that the page needs no other server.

The versions and hashes are those of the page that strawberry itself ships; a file that differs is refused.
Run it again only to change a version: `python scripts/vendor_graphiql.py` (needs npm).

Left out of strawberry's list is js-cookie: it reads a cookie of Django's, and this page has no cookies.
"""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "api" / "web" / "vendor" / "graphiql"


@dataclass(frozen=True)
class Vendored:
    """One file of an npm package.

    Attributes:
        package: name and exact version.
        path: where the file is in the package.
        name: what it is called here.
        sha384: base64, as in an `integrity` attribute; empty for licence texts.
    """

    package: str
    path: str
    name: str
    sha384: str


FILES = (
    Vendored(
        "react@18.2.0",
        "umd/react.production.min.js",
        "react.production.min.js",
        "tMH8h3BGESGckSAVGZ82T9n90ztNXxvdwvdM6UoR56cYcf+0iGXBliJ29D+wZ/x8",
    ),
    Vendored(
        "react-dom@18.2.0",
        "umd/react-dom.production.min.js",
        "react-dom.production.min.js",
        "bm7MnzvK++ykSwVJ2tynSE5TRdN+xL418osEVF2DE/L/gfWHj91J2Sphe582B1Bh",
    ),
    Vendored(
        "graphiql@3.8.3",
        "graphiql.min.js",
        "graphiql.min.js",
        "HbRVEFG0JGJZeAHCJ9Xm2+tpknBQ7QZmNlO/DgZtkZ0aJSypT96YYGRNod99l9Ie",
    ),
    Vendored(
        "graphiql@3.8.3",
        "graphiql.min.css",
        "graphiql.min.css",
        "Mq3vbRBY71jfjQAt/DcjxUIYY33ksal4cgdRt9U/hNPvHBCaT2JfJ/PTRiPKf0aM",
    ),
    Vendored(
        "@graphiql/plugin-explorer@1.0.2",
        "dist/index.umd.js",
        "plugin-explorer.umd.js",
        "2oonKe47vfHIZnmB6ZZ10vl7T0Y+qrHQF2cmNTaFDuPshpKqpUMGMc9jgj9MLDZ9",
    ),
    Vendored(
        "@graphiql/plugin-explorer@1.0.2",
        "dist/style.css",
        "plugin-explorer.css",
        "5DFJlDPW2tSATRbM8kzoP1j194jexLswuNmClWoRr2Q0x7R68JIQzPHZ02Faktwi",
    ),
)

LICENCES = (
    Vendored("react@18.2.0", "LICENSE", "LICENSE.react.txt", ""),
    # The plugin's package has no copy of its own; it comes from the same repository as graphiql's.
    Vendored("graphiql@3.8.3", "LICENSE", "LICENSE.graphiql.txt", ""),
    Vendored("graphiql-explorer@0.9.0", "LICENSE", "LICENSE.graphiql-explorer.txt", ""),
)

LIST = """\
# Vendored files

Unchanged files of npm packages, MIT licensed, fetched and checked by `scripts/vendor_graphiql.py`.
Do not edit them here.

| file | package | sha384 |
|---|---|---|
{rows}

Licence texts: `LICENSE.react.txt` (react, react-dom), `LICENSE.graphiql.txt` (graphiql and its explorer
plugin, which come from one repository), `LICENSE.graphiql-explorer.txt` (what the plugin shows).
`graphiql.min.js` holds CodeMirror, graphql-js, markdown-it and other MIT-licensed libraries with their
notices; `graphiql.min.css` holds the fonts Roboto (Apache License 2.0) and Fira Code (SIL Open Font License
1.1) as GraphiQL distributes them.
"""


def fetch(package: str, folder: Path) -> Path:
    """Return the package's tarball, fetched by npm into a folder."""
    before = set(folder.iterdir())
    subprocess.run(
        ["npm", "pack", "--silent", "--pack-destination", str(folder), package],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    (tarball,) = set(folder.iterdir()) - before
    return tarball


def read(tarball: Path, path: str) -> bytes:
    """Return one file of a tarball."""
    with tarfile.open(tarball) as archive:
        file = archive.extractfile(f"package/{path}")
        if file is None:
            sys.exit(f"{tarball.name} has no {path}")
        return file.read()


def integrity(content: bytes) -> str:
    """Return the hash of a content as an `integrity` attribute has it."""
    return base64.b64encode(hashlib.sha384(content).digest()).decode()


def main() -> None:
    """Fetch, check and write every file, then the list of them."""
    TARGET.mkdir(parents=True, exist_ok=True)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        packages = sorted({item.package for item in (*FILES, *LICENCES)})
        tarballs = {package: fetch(package, Path(folder)) for package in packages}
        for item in (*FILES, *LICENCES):
            content = read(tarballs[item.package], item.path)
            if item.sha384:
                if integrity(content) != item.sha384:
                    sys.exit(
                        f"{item.package} {item.path}: sha384-{integrity(content)} is not the expected one"
                    )
                rows.append(f"| `{item.name}` | {item.package} `{item.path}` | `{item.sha384}` |")
            (TARGET / item.name).write_bytes(content)
            print(f"{item.name}: {len(content)} bytes from {item.package}")
    (TARGET / "VENDORED.md").write_text(LIST.format(rows="\n".join(rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
