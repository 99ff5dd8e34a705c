"""A container engine, the images the tests need, and the tests: `python -m scripts.containers`."""
