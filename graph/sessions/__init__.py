"""Working memory: sessions that hold the few items which an agent is working with."""
