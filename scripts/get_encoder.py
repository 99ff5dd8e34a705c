"""Gets the models of the sentence encoders, which their own tests run, unless the cache has them.

    python scripts/get_encoder.py

They are fetched as `prefrontal serve` does it, into the folder of the setting PREFRONTAL_CACHE_DIR.
"""

from __future__ import annotations

import sys

from progress import Bar, fail

from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.errors import DownloadFailed
from prefrontal.graph.text.encoders import joint_models


def main() -> int:
    """Get the models and return the exit status."""
    bar = Bar("Fetching the sentence encoders")
    try:
        for model in joint_models(load_settings().cache_dir):
            model.provide(lambda done, total, _file: bar.draw(done, total))
    except (DownloadFailed, OSError) as error:
        return fail(f"the tests of the sentence encoders run their models, and one cannot be had: {error}")
    bar.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
