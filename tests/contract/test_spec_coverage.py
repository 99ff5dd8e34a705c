"""A promise without a test is found, and a marker without a promise; `make check` looks for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.spec import ROOT, SpecError, expand, read_spec, table


def project(folder: Path, document: str, test: str) -> Path:
    (folder / "docs" / "spec").mkdir(parents=True)
    (folder / "tests" / "deep").mkdir(parents=True)
    (folder / "docs" / "spec" / "scratch.md").write_text(document)
    (folder / "tests" / "deep" / "test_x.py").write_text(test)
    return folder


MARKED = "import pytest\n@pytest.mark.covers({})\nasync def test_x(): ...\n"


def test_every_document_says_what_is_not_kept_yet() -> None:
    for path in sorted((ROOT / "docs" / "spec").glob("*.md")):
        if path.name != "README.md":
            assert "\n## Not kept yet\n" in path.read_text(encoding="utf-8"), path.name


@pytest.mark.covers("OPS-62")
def test_a_promise_without_a_test_is_found(tmp_path: Path) -> None:
    spec = read_spec(project(tmp_path, "Kept. [OBS-26..28]\n", MARKED.format('"OBS-26", "OBS-28"')))

    assert spec.problems == ["OBS-27: promised in scratch.md:1, shown by no test"]


def test_a_marker_without_a_promise_is_found(tmp_path: Path) -> None:
    spec = read_spec(project(tmp_path, "Kept. [OBS-26]\n", MARKED.format('"OBS-26..27"')))

    assert spec.problems == ["OBS-27: shown by tests/deep/test_x.py:2, promised nowhere"]


def test_a_reason_for_the_night_names_what_runs_with_each_change(tmp_path: Path) -> None:
    reason = '@pytest.mark.nightly("tests/deep/{}")\nasync def test_{}(): ...\n'
    tests = "import pytest\n" + "".join(
        reason.format(names, own)
        for names, own in [("test_x.py", "a"), ("test_b", "b"), ("test_d*", "c"), ("test_day_*", "e")]
    )

    spec = read_spec(project(tmp_path, "", tests + "def test_day_by_day(): ...\n"))

    assert spec.problems == [
        "tests/deep/test_x.py:4: this reason names test_b, which does not run with each change"
    ]


def test_what_an_operation_measures_is_shown_and_need_not_be_promised(tmp_path: Path) -> None:
    document = "Kept. [OPS-54..57]\n## Not kept yet\nLater: OPS-58.\n"
    folder = project(tmp_path, document, MARKED.format('"OPS-57"'))
    (folder / "bench").mkdir()
    (folder / "bench" / "operations.py").write_text(
        'TIMES = ("OPS-54", "OPS-58")\nALL = (Operation(covers=TIMES), Operation(covers=("OPS-55",)))\n'
    )

    spec = read_spec(folder)

    assert spec.problems == ["OPS-56: promised in scratch.md:1, shown by no test"]
    row = next(line for line in table(spec).splitlines() if line.startswith("OPS"))
    assert row.split()[2:] == ["4", "3", "1", "0", "1", "61", "66"]


def test_what_is_open_is_no_promise_and_cannot_be_one_too(tmp_path: Path) -> None:
    document = "# A\nKept. [OBS-26]\n## Not kept yet\nLater: OBS-26..27.\n## More\nAlso OBS-30. [OBS-31]\n"

    spec = read_spec(project(tmp_path, document, MARKED.format('"OBS-26", "OBS-31"')))

    assert set(spec.promised) == {"OBS-26", "OBS-31"}
    assert set(spec.open) == {"OBS-26", "OBS-27"}
    assert spec.problems == ["OBS-26: promised in scratch.md:2 and open in scratch.md:4"]
    row = table(spec).splitlines()[1]
    assert row.split() == ["OBS", "scratch", "page", "2", "2", "2", "0", "1", "80", "83"]


@pytest.mark.parametrize(
    "test",
    [
        '@pytest.mark.nightly("why")\n@pytest.mark.covers("OBS-26")\nasync def test_x(): ...\n',
        'pytestmark = [pytest.mark.slow, pytest.mark.nightly("why")]\n' + MARKED.format('"OBS-26"'),
        'LATE = pytest.mark.nightly("why")\n@LATE\n@pytest.mark.covers("OBS-26")\ndef test_x(): ...\n',
    ],
)
def test_what_only_a_nightly_test_shows_is_named_with_its_test(tmp_path: Path, test: str) -> None:
    spec = read_spec(project(tmp_path, "Kept. [OBS-26, OBS-27]\n", test + MARKED.format('"OBS-27"')))

    assert spec.problems == []
    if "pytestmark" in test:
        assert spec.at_once == set()
    else:
        assert spec.at_once == {"OBS-27"}
    row, *_, last = [line for line in table(spec).splitlines() if line.startswith("OBS")]
    assert row.split()[3:7] == ["2", "2", str(len(spec.at_once)), str(2 - len(spec.at_once))]
    assert ": in `make test-all` alone, tests/deep/test_x.py:" in last


@pytest.mark.parametrize(
    ("document", "test", "message"),
    [
        ("Kept. [OBS-84]\n", "", "scratch.md:1: OBS-84 does not exist"),
        ("Kept. [OBS-00]\n", "", "scratch.md:1: OBS-00 does not exist"),
        ("Kept. [OBS-9..7]\n", "", "scratch.md:1: OBS-9..7 does not exist"),
        ("Kept. [XYZ-01]\n", "", "scratch.md:1: XYZ-01 is of no known domain"),
        ("## Not kept yet\n[OBS-01]\n", "", "scratch.md:2: what is not kept yet stands without brackets"),
        ("", MARKED.format("*IDS"), "tests/deep/test_x.py:2: a marker takes ids or ranges in quotes"),
        ("", MARKED.format('"OBS-1, OBS-2"'), "tests/deep/test_x.py:2: a marker takes ids or ranges"),
    ],
)
def test_a_slip_of_the_pen_is_an_error(tmp_path: Path, document: str, test: str, message: str) -> None:
    project(tmp_path, document, test)

    with pytest.raises(SpecError) as caught:
        read_spec(tmp_path)

    assert str(caught.value).startswith(message)


def test_ranges_fixtures_and_links(tmp_path: Path) -> None:
    folder = project(
        tmp_path,
        "See [OBS-01](x.md). Kept. [OBS-08..10, GOAL-3]\n",
        "pytestmark = pytest.mark.covers('OBS-08')\n",
    )
    (folder / "tests" / "story.fixture.yaml").write_text("name: x\ncovers: [OBS-09..10,\n  GOAL-03] # all\n")

    spec = read_spec(folder)

    assert set(spec.promised) == {"OBS-08", "OBS-09", "OBS-10", "GOAL-03"}
    assert spec.problems == []
    assert expand("OBS-8..9 and TURN-156", "x") == ["OBS-08", "OBS-09", "TURN-156"]
