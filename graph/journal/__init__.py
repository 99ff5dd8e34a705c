"""What is written beside every change, in its transaction: turns, trace, events, requests, versions."""
