"""The outbox: each organisation's events get their order, and whoever wants them is told."""
