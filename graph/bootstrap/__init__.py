"""Wires everything, once, from settings to services."""
