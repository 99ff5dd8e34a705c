"""One jar of a Maven repository, downloaded with jgo's client and kept only if its checksum is right."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import requests
from jgo.maven import MavenContext

from prefrontal.graph.errors import ChecksumMismatch, DownloadFailed

TIMEOUT_S = 60
"""How long a download may wait for data before it counts as failed."""

Progress = Callable[[int, int, str], None]
"""Called as `(done, total, file name)`: how many of the files have arrived."""


@dataclass(frozen=True)
class Artifact:
    """A jar with its committed checksum."""

    group: str
    name: str
    version: str
    classifier: str
    sha256: str

    @property
    def filename(self) -> str:
        """The jar's name in the cache; unique within a lock."""
        suffix = f"-{self.classifier}" if self.classifier else ""
        return f"{self.name}-{self.version}{suffix}.jar"

    def __str__(self) -> str:
        """Return the Maven coordinates."""
        return ":".join(part for part in (self.group, self.name, self.version, self.classifier) if part)


def sha256_of(file: Path) -> str:
    """Return the file's SHA-256 sum in hex."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def has_sum(file: Path, sha256: str) -> bool:
    """Return whether the file is there with this checksum."""
    try:
        return sha256_of(file) == sha256
    except OSError:
        return False


def fetch(artifact: Artifact, folder: Path, *, where_pinned: str) -> Path:
    """Download one artefact into the folder and return its path; retry once after a wrong checksum.

    Args:
        artifact: What is downloaded.
        folder: Where it is put, under its own name; nothing else is left there.
        where_pinned: What a maintainer has to change if the committed checksum is wrong, for the message.

    Raises:
        DownloadFailed: If it could not be downloaded; the message names it.
        ChecksumMismatch: If it arrived twice with a wrong checksum.
    """
    digest = ""
    for _attempt in range(2):
        # Inside the folder, so that the move is a rename. A new folder, because jgo reuses any file
        # it finds without checking it.
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as private:
            arrived = _resolve(artifact, Path(private))
            digest = sha256_of(arrived)
            if digest == artifact.sha256:
                return arrived.replace(folder / artifact.filename)
    raise ChecksumMismatch(
        f"{artifact} arrived twice with SHA-256 {digest}, but {artifact.sha256} is committed: "
        f"a proxy may be changing downloads, or the committed sum is wrong; try another network, or "
        f"{where_pinned}"
    )


def _resolve(artifact: Artifact, private: Path) -> Path:
    """Download the artefact with jgo and return its path.

    Raises:
        DownloadFailed: If no repository has the artefact or the network fails.
    """
    context = MavenContext(repo_cache=private, timeout=TIMEOUT_S)
    component = context.project(artifact.group, artifact.name).at_version(artifact.version)
    try:
        return component.artifact(classifier=artifact.classifier, packaging="jar").resolve()
    except (requests.RequestException, RuntimeError, OSError) as error:
        reason = "no repository has it" if isinstance(error, RuntimeError) else f"{type(error).__name__}"
        raise DownloadFailed(
            f"{artifact} could not be downloaded ({reason}): check the network and "
            "its proxy settings, then run "
            "the same command again; what has arrived is kept"
        ) from error
