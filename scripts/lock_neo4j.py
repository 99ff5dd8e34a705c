"""Remake `graph/embedded/jars.lock`: the jars of one Neo4j version, each with its SHA-256 sum.

A maintainer's command, run when the version moves. It needs Maven, because Maven's own resolution is
what Neo4j is built and tested with; users need only Python, for they fetch exactly what the lock lists.

    python scripts/lock_neo4j.py [--neo4j 2026.09.0] [--browser 5.24.0]
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LOCK = Path(__file__).resolve().parent.parent / "graph" / "embedded" / "jars.lock"
NEO4J = "2026.09.0"
BROWSER = "5.24.0"
"""The classic Browser is versioned apart from the server."""

POM = """<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>lock</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    {dependencies}
  </dependencies>
</project>
"""

DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"

HEADER = """# The jars of Neo4j Community {neo4j} and the classic Browser {browser}, as Maven resolves them.
# group:artifact:version[:classifier] sha256. Remade by scripts/lock_neo4j.py: do not edit.
"""


def resolve(neo4j: str, browser: str) -> list[str]:
    """Return the lock's lines, sorted; ends the program when Maven cannot resolve the versions."""
    with tempfile.TemporaryDirectory() as folder:
        pom = Path(folder, "pom.xml")
        listing = Path(folder, "list.txt")
        wanted = [
            ("org.neo4j", "neo4j", neo4j),
            ("org.neo4j.app", "neo4j-server", neo4j),
            ("org.neo4j.client", "neo4j-browser", browser),
        ]
        dependencies = "".join(DEPENDENCY.format(*each) for each in wanted)
        pom.write_text(POM.format(dependencies=dependencies), encoding="utf-8")
        command = [
            *("mvn", "-B", "-q", "-f", str(pom), "dependency:list", "-DincludeScope=runtime"),
            *("-DoutputAbsoluteArtifactFilename=true", f"-DoutputFile={listing}"),
        ]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            sys.exit(
                f"Maven could not resolve neo4j {neo4j} with browser {browser}:\n{done.stdout}{done.stderr}"
            )
        text = listing.read_text(encoding="utf-8")
    return sorted(_locked(row.strip()) for row in text.splitlines() if ":jar:" in row)


def _locked(row: str) -> str:
    """Return one line of the lock for one line of `dependency:list`."""
    # group:artifact:jar[:classifier]:version:scope:path — the path is absolute, so a `:/` starts it.
    coordinates, path = row.split(":/", 1)
    group, artifact, _packaging, *classifier, version, _scope = coordinates.split(":")
    with Path("/" + path.split(" -- ")[0]).open("rb") as jar:
        digest = hashlib.file_digest(jar, "sha256").hexdigest()
    return f"{':'.join([group, artifact, version, *classifier])} {digest}"


def main() -> None:
    """Write the lock and say how many jars it lists."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--neo4j", default=NEO4J, help="version of the server")
    parser.add_argument("--browser", default=BROWSER, help="version of the classic Browser")
    arguments = parser.parse_args()
    if shutil.which("mvn") is None:
        sys.exit(
            "This maintainer's command needs Maven (`apt-get install maven`); users of the project do not."
        )
    lines = resolve(arguments.neo4j, arguments.browser)
    header = HEADER.format(neo4j=arguments.neo4j, browser=arguments.browser)
    LOCK.write_text(header + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{LOCK}: {len(lines)} jars")


if __name__ == "__main__":
    main()
