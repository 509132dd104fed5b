"""Elmoscope's thinking: ELMo, static vectors, occurrences, neighbors, maps, senses. It knows no web framework."""

__version__ = "0.1.0"
