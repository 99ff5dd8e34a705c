"""The journal of every change, written in the transaction of the change: turns, trace, events, requests."""
