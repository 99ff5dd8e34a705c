"""The images of the API: what the Dockerfile makes of the checkout and of a wheel."""

from __future__ import annotations

import json

import pytest

from prefrontal.graph.config.settings import ROOT

pytestmark = pytest.mark.nightly("the wheel is installed and started without an image")

SAYS = """
import json, os, pathlib, shutil, prefrontal
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.registry.load import load_action_types
from prefrontal.graph.storage.queries import load_queries
settings = load_settings()
print(json.dumps({
    "user": os.getuid(),
    "home": str(pathlib.Path(prefrontal.__file__).parent),
    "pages": (pathlib.Path(prefrontal.__file__).parent / "api/web/dist/graphiql.html").is_file(),
    "git": shutil.which("git") is not None,
    "writable": os.access(settings.data_dir, os.W_OK),
    "code": os.access(prefrontal.__file__, os.W_OK),
    "types": sorted(load_action_types(settings.registry_dir)),
    "queries": len(load_queries(settings.cypher_dir)),
}))
"""


@pytest.mark.parametrize("kind", ["api_image", "wheel_image"])
def test_an_image_has_what_the_service_reads_and_runs_as_nobody_special(engine, request, kind):
    image = request.getfixturevalue(kind)

    said = json.loads(engine.run("run", "--rm", image, "python", "-c", SAYS).stdout)

    home = said.pop("home")
    assert (home == "/app/prefrontal") is (kind == "api_image")
    assert home.endswith("-packages/prefrontal") is (kind == "wheel_image")
    assert said == {
        "user": 10001,
        "pages": True,
        "git": True,
        "writable": True,
        "code": False,
        "types": sorted(path.stem for path in (ROOT / "registry" / "action_types").glob("*.yaml")),
        "queries": len(
            [
                path
                for path in (ROOT / "cypher").rglob("*.cypher")
                if path.parent.name not in ("schema", "_parts")
            ]
        ),
    }


@pytest.mark.parametrize("kind", ["api_image", "wheel_image"])
def test_no_layer_keeps_what_was_only_for_the_build(engine, request, kind):
    image = request.getfixturevalue(kind)
    # Empty files and folders may be left where the secrets were.
    look = "find /run/secrets /etc/pip.conf /app/.env /app/.git -type f -size +0"
    assert engine.run("run", "--rm", image, "sh", "-c", look, check=False).stdout == ""
