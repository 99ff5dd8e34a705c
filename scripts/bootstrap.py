"""Makes the environment in .venv from a lock file, once; needs nothing but Python itself.

    python3 scripts/bootstrap.py run|dev

A stamp in .venv says which lock it was made from, so a second call is done at once.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from progress import Bar, fail

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
OLDEST = (3, 11)


def main() -> int:  # noqa: PLR0911 - each step that can fail says so and ends
    """Bring .venv up to date with the lock named on the command line."""
    if len(sys.argv) != 2 or sys.argv[1] not in ("run", "dev"):  # noqa: PLR2004
        return fail("usage: python3 scripts/bootstrap.py run|dev")
    if sys.version_info < OLDEST:
        version = ".".join(map(str, sys.version_info[:3]))
        return fail(
            f"Python 3.11 or newer is needed, this is {version}.\n"
            "  Debian, Ubuntu: apt-get install python3.11 python3.11-venv\n"
            "  macOS:          brew install python@3.13\n"
            "  then:           make PYTHON=python3.11 run"
        )
    kind = sys.argv[1]
    lock = ROOT / "requirements" / f"{kind}.lock"
    if up_to_date(kind):
        return 0
    python = make_venv()
    if python is None:
        return 1
    if not install(python, lock):
        return fail("installing the locked packages failed; the lines above say why. Run the command again.")
    done = subprocess.run(
        [python, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "-e", str(ROOT)],
        check=False,
    )
    if done.returncode:
        return fail("installing the project itself failed; the lines above say why")
    for stamp in VENV.glob("*.stamp"):
        stamp.unlink()
    stamp_of(kind).write_text(digest_of(kind))
    return 0


def up_to_date(kind: str) -> bool:
    """Tell whether .venv was made from this lock; one made for development can also run."""
    if not (VENV / "bin" / "prefrontal").exists():
        return False
    return any(
        stamp_of(name).exists() and stamp_of(name).read_text() == digest_of(name) for name in {kind, "dev"}
    )


def stamp_of(kind: str) -> Path:
    """Return the file that says .venv is done."""
    return VENV / f"{kind}.stamp"


def digest_of(kind: str) -> str:
    """Return what the stamp must hold: the lock and the project file it was made from."""
    parts = [ROOT / "requirements" / f"{kind}.lock", ROOT / "pyproject.toml"]
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()


def make_venv() -> str | None:
    """Make .venv and return its Python, or None after saying what is missing."""
    python = VENV / "bin" / "python"
    if not python.exists():
        done = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, check=False)
        if done.returncode:
            sys.stderr.write(done.stdout.decode(errors="replace"))
            fail(
                "Python's venv module does not work here.\n"
                f"  Debian, Ubuntu: apt-get install python{sys.version_info[0]}.{sys.version_info[1]}-venv"
            )
            return None
    return str(python)


def install(python: str, lock: Path) -> bool:
    """Install the lock with hashes checked, showing progress; return whether it worked.

    uv is much faster than pip. pip stays for machines that uv does not run on, and for
    package indexes that only pip is set up for.
    """
    return install_with_uv(python, lock) or install_with_pip(python, lock)


def install_with_uv(python: str, lock: Path) -> bool:
    """Install uv as locked, then everything with it; return whether that worked, without a complaint."""
    (pinned,) = re.findall(r"^uv==(?:.*\\\n)*.*", lock.read_text(), flags=re.MULTILINE)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as only:
        only.write(pinned)
        only.flush()
        got = subprocess.run(
            [python, "-m", "pip", "install", "-q", "--require-hashes", "-r", only.name],
            capture_output=True,
            check=False,
        )
    if got.returncode:
        return False
    shown = [] if sys.stderr.isatty() else ["-q"]
    if shown:
        sys.stderr.write("Installing packages (once) …\n")
    done = subprocess.run(
        [
            VENV / "bin" / "uv",
            "pip",
            "install",
            *shown,
            # Otherwise each process compiles what it imports, at every start.
            "--compile-bytecode",
            "-p",
            python,
            "--require-hashes",
            "-r",
            str(lock),
        ],
        stderr=None if not shown else subprocess.DEVNULL,
        check=False,
    )
    return done.returncode == 0


def install_with_pip(python: str, lock: Path) -> bool:
    """Install the lock with pip, drawing how far it is; return whether it worked."""
    total = len(re.findall(r"^[A-Za-z0-9]", lock.read_text(), flags=re.MULTILINE))
    command = [python, "-m", "pip", "install", "--progress-bar", "off", "--require-hashes", "-r", str(lock)]
    last: list[str] = []
    seen = 0
    bar = Bar("Installing packages (once)")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout or ():
            last = [*last[-20:], line]
            if line.startswith(("Collecting", "Requirement already satisfied")):
                seen += 1
                bar.draw(seen, total)
            elif line.startswith("Installing collected"):
                bar.draw(total, total)
    bar.end()
    if process.returncode:
        sys.stderr.writelines(last)
    return process.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
