"""Every error of the driver or the server is one of ours, except what is a defect of this program."""

from __future__ import annotations

import inspect

import pytest
from neo4j import exceptions
from neo4j.exceptions import DriverError, Neo4jError

from prefrontal.graph.errors import Duplicate, TimedOut, Unavailable
from prefrontal.graph.storage.driver import is_refused, is_taken, translate

SENT = [
    "Cluster.ReplicationFailure",
    "Database.DatabaseUnavailable",
    "General.DatabaseUnavailable",
    "General.EntityIdNotFound",
    "General.MemoryPoolOutOfMemoryError",
    "General.OutOfMemoryError",
    "General.RemoteFailure",
    "General.StackOverFlowError",
    "General.TransactionMemoryLimit",
    "Request.NoThreadsAvailable",
    "Request.ResourceExhaustion",
    "Security.AuthProviderFailed",
    "Security.AuthProviderTimeout",
    "Security.ModifiedConcurrently",
    "Statement.ExecutionTimeout",
    "Transaction.BookmarkTimeout",
    "Transaction.ConstraintsChanged",
    "Transaction.DeadlockDetected",
    "Transaction.Interrupted",
    "Transaction.LeaderSwitch",
    "Transaction.LeaseExpired",
    "Transaction.LockAcquisitionTimeout",
    "Transaction.LockClientStopped",
    "Transaction.MaximumTransactionLimitReached",
    "Transaction.Outdated",
    "Transaction.QueryExecutionFailedOnTransaction",
    "Transaction.Terminated",
    "Transaction.TransactionTimedOut",
]
"""The transient statuses of Neo4j 2026.09 (its class `Status`), and those of earlier versions."""

LATE = {
    "Statement.ExecutionTimeout",
    "Transaction.LockAcquisitionTimeout",
    "Transaction.LockClientStopped",
    "Transaction.Terminated",
    "Transaction.TransactionTimedOut",
}

TAKEN = "Node(5) already exists with label "

DEFECTS = {
    "Neo4jError", "ClientError", "CypherSyntaxError", "CypherTypeError", "Forbidden",
    "SessionError", "ResultError", "ResultFailedError", "ResultConsumedError", "ResultNotSingleError",
    "BrokenRecordError", "ConfigurationError", "AuthConfigurationError", "CertificateConfigurationError",
    "UnsupportedServerProduct", "ConnectionPoolError",
    # Only what the server says tells a key that a client chose from what this program numbers itself.
    "ConstraintError",
}  # fmt: skip
"""What no state of the database explains."""


@pytest.mark.parametrize("status", SENT)
def test_every_transient_status_is_ours(status: str) -> None:
    error = Neo4jError._basic_hydrate(neo4j_code=f"Neo.TransientError.{status}", message="m")
    ours = translate(error)
    assert type(ours) is (TimedOut if status in LATE else Unavailable), status
    assert "nothing was written" in ours.message


def test_what_the_driver_makes_of_a_stopped_transaction_is_ours() -> None:
    # The driver calls these two client errors, so that it does not retry them.
    for status in ("Transaction.LockClientStopped", "Transaction.Terminated"):
        for kind in ("TransientError", "ClientError"):
            error = Neo4jError._basic_hydrate(neo4j_code=f"Neo.{kind}.{status}", message="m")
            assert isinstance(error, exceptions.ClientError)
            assert type(translate(error)) is TimedOut


@pytest.mark.parametrize(
    ("said", "ours"),
    [
        (TAKEN + "`Goal` and properties `scope_id` = 's', `client_key` = 'k'", Duplicate),
        (TAKEN + "`Actor` and properties `org_id` = 'o', `kind` = 'agent', `key` = 'k'", Duplicate),
        (TAKEN + "`Organisation` and property `key` = 'k'", Duplicate),
        # The key is the client's, and may say what it likes.
        (TAKEN + "`Goal` and properties `scope_id` = 's', `client_key` = '', `uid` = 'k'", Duplicate),
        (TAKEN + "`Goal` and property `uid` = 'goal_1'", None),
        (TAKEN + "`Version` and properties `of_uid` = 'goal_1', `number` = 3", None),
        (TAKEN + "`Tombstone` and properties `scope_id` = 's', `text_key` = 'k'", None),
        ("Node(5) with label `Goal` must have the property `title`", None),
        ("Cannot delete node<5>, because it still has relationships.", Unavailable),
    ],
)
def test_only_a_key_that_a_client_chose_is_a_duplicate(said: str, ours: type | None) -> None:
    error = Neo4jError._hydrate_neo4j(code="Neo.ClientError.Schema.ConstraintValidationFailed", message=said)
    assert isinstance(error, exceptions.ConstraintError)
    told = translate(error)
    assert (None if told is None else type(told)) is ours
    assert is_taken(error) == (ours is Duplicate)
    # What no other attempt mends is refused.
    assert is_refused(error) == (ours is None)


def test_what_others_keep_deleting_is_no_defect() -> None:
    error = Neo4jError._basic_hydrate(neo4j_code="Neo.ClientError.Statement.EntityNotFound", message="m")
    told = translate(error)
    assert type(told) is Unavailable
    assert "nothing was written" in told.message


def test_every_class_of_the_driver_is_ours_or_a_defect() -> None:
    classes = {
        name: kind
        for name, kind in inspect.getmembers(exceptions, inspect.isclass)
        if issubclass(kind, Neo4jError | DriverError)
    }
    assert set(classes) >= DEFECTS
    found = {name for name, kind in classes.items() if translate(_new_error(kind)) is None}
    assert found == DEFECTS


def _new_error(kind: type[Exception]) -> Exception:
    error = kind.__new__(kind)
    Exception.__init__(error, "m")
    return error
