"""Who works across organisations while other tests are under way is found out, not trusted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from prefrontal.api import demo
from prefrontal.graph.jobs.runner import JobRunner
from prefrontal.graph.jobs.table_job import TableJob
from prefrontal.graph.registry.proposals.merge import ProposalMerges

_alone = [False]
HELP = (
    "{what} changes what other tests have in the shared database, which run at the same time: "
    "mark this test with pytest.mark.alone"
)


@contextmanager
def known(*, alone: bool) -> Iterator[None]:
    """Say for one test if nobody else is under way."""
    _alone[0] = alone
    try:
        yield
    finally:
        _alone[0] = False


def watch() -> None:
    """Let a test that is not marked fail where it works for every organisation."""
    runs = JobRunner.run_once

    @wraps(runs)
    async def run_once(self: JobRunner, job: Any, *args: Any, **kwargs: Any) -> Any:
        _job_must_be_alone(job)
        return await runs(self, job, *args, **kwargs)

    JobRunner.run_once = run_once  # type: ignore[method-assign]
    # The demo imports the module of each job.
    for job in _kinds(TableJob):
        if "batch" in vars(job):
            _watch_batch(job)
    for owner, name in ((ProposalMerges, "merge"), (demo, "load"), (demo, "clear")):
        _watched(owner, name)


def _kinds(kind: Any) -> Iterator[Any]:
    for each in kind.__subclasses__():
        yield each
        yield from _kinds(each)


def _watch_batch(kind: Any) -> None:
    """Watch a batch that is run by itself, too: it has not even the lease of its job."""
    works = kind.batch

    @wraps(works)
    async def batch(self: Any, *args: Any, **kwargs: Any) -> Any:
        _job_must_be_alone(self)
        return await works(self, *args, **kwargs)

    kind.batch = batch


def _job_must_be_alone(job: Any) -> None:
    # A test's own job works for the test.
    if type(job).__module__.startswith("prefrontal."):
        _must_be_alone(f"the job {job.name}")


def _watched(owner: Any, name: str) -> None:
    works = getattr(owner, name)

    @wraps(works)
    async def watched(*args: Any, **kwargs: Any) -> Any:
        _must_be_alone(f"{name} of {getattr(owner, '__name__', owner)}")
        return await works(*args, **kwargs)

    setattr(owner, name, watched)


def _must_be_alone(what: str) -> None:
    assert _alone[0], HELP.format(what=what)
