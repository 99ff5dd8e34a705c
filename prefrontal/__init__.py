"""Prefrontal, an agent's prefrontal cortex as a service.

In a checkout the folders of this package are links to the four top-level folders; an installed package has
the folders themselves.
"""
