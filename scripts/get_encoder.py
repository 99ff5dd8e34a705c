"""Gets the model of the default sentence encoder, which the encoder's own tests run, unless the cache has it.

    python scripts/get_encoder.py

It is fetched as `prefrontal serve` does it, into the folder of the setting PREFRONTAL_CACHE_DIR.
"""

from __future__ import annotations

import sys

from progress import Bar, fail

from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.errors import DownloadFailed
from prefrontal.graph.text.model_files import e5_small_v2


def main() -> int:
    """Get the model and return the exit status."""
    bar = Bar("Fetching the sentence encoder")
    try:
        e5_small_v2(load_settings().cache_dir).provide(lambda done, total, _file: bar.draw(done, total))
    except (DownloadFailed, OSError) as error:
        return fail(f"the tests of the sentence encoder run its model, and it cannot be had: {error}")
    bar.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
