"""What an agent always knows: mandates it must keep and capabilities it has."""
