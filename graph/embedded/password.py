"""The database password: random, created once, stored beside the data, readable only by its owner."""

from __future__ import annotations

import os
import secrets
import subprocess
from pathlib import Path

from prefrontal.graph.embedded.config import ADMIN_CLASS
from prefrontal.graph.errors import ServerError

BYTES = 16
ADMIN_TIMEOUT_S = 120


def password_file(home: Path) -> Path:
    """Return the path of the password file of the server in `home`."""
    return home / "password"


def read_password(home: Path) -> str:
    """Return the stored password.

    Raises:
        ServerError: If there is none.
    """
    try:
        return password_file(home).read_text(encoding="ascii").strip()
    except FileNotFoundError as error:
        raise ServerError(
            f"{password_file(home)} is missing: put it back, or remove "
            f"{home / 'data'} to start with an empty database"
        ) from error


def ensure_password(home: Path) -> str:
    """Return the stored password; create one if there is neither a password nor data.

    Raises:
        ServerError: If there is data but no password.
    """
    file = password_file(home)
    if not file.exists() and not has_data(home):
        # Written under another name and renamed when complete: a crash leaves no empty password file.
        draft = file.with_name(f".password-{os.getpid()}")
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as out:
            # Hex digits only: the admin tool would interpret a leading dash or quote.
            out.write(secrets.token_hex(BYTES) + "\n")
        draft.replace(file)
    return read_password(home)


def has_data(home: Path) -> bool:
    """Return whether a server has started here before; Neo4j then ignores an initial password."""
    return (home / "data" / "databases" / "system").exists()


def set_initial_password(java_command: list[str], home: Path, conf_dir: Path, env: dict[str, str]) -> None:
    """Set the stored password in a database that has never been started.

    The admin tool reads the password from the file (`@file`), so the password never appears in the list of
    processes.

    Raises:
        ServerError: If the admin tool fails.
    """
    command = [*java_command, ADMIN_CLASS, "dbms", "set-initial-password", f"@{password_file(home)}"]
    done = subprocess.run(  # noqa: S603 - our own Java and our own arguments
        command,
        env=env | {"NEO4J_HOME": str(home), "NEO4J_CONF": str(conf_dir)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=ADMIN_TIMEOUT_S,
    )
    if done.returncode:
        raise ServerError(f"the initial password could not be set: {(done.stderr or done.stdout).strip()}")
