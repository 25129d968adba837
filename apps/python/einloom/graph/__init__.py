"""From lazy arrays to a graph that a person would write: which nodes there are, what they are called, how it looks."""
from .document import graph_text, save, write_graph

__all__ = ["graph_text", "save", "write_graph"]
