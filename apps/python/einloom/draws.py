"""Random numbers that a loop's step draws: the step is called once, so they are the same in each iteration.

Noticed are tensors of `einloom.random` without a seed, and generators that the call of the step moves on: those of
NumPy, Python and PyTorch, and each `Generator` that the step, or a function that it calls, reads by name.
"""
from __future__ import annotations

import inspect
import random
import sys
from typing import Any, Callable, Dict, List, Sequence

import numpy as np

from .node import Leaf, Node

UNSEEDED = 1 << 32  # seeds from here on are of calls without one: numbers that hardly anybody gives
_MOST_FUNCTIONS = 30


class Draws:
    """What generators have drawn since it was made."""

    def __init__(self, functions: Sequence[Any]):
        self.functions = _called_by([one for one in functions if callable(one)])
        self.before = self._states()

    def drawn(self) -> bool:
        """Whether a generator has moved on, or one was made.

        >>> Draws([]).drawn()
        False
        """
        return self._states() != self.before or any(map(_makes_a_generator, self.functions))

    def _states(self) -> Dict[str, str]:
        found: Dict[str, Any] = {"numpy": np.random.get_state(legacy=False), "python": random.getstate()}
        torch = sys.modules.get("torch")
        if torch is not None and hasattr(torch, "get_rng_state"):
            found["torch"] = torch.get_rng_state()
        for function in self.functions:
            for name, value in _read_by(function).items():
                if isinstance(value, np.random.Generator):
                    found[name] = value.bit_generator.state
                elif isinstance(value, np.random.RandomState):
                    found[name] = value.get_state(legacy=False)
                elif isinstance(value, random.Random):
                    found[name] = value.getstate()
        return {name: _text(state) for name, state in found.items()}


def _text(state: Any) -> str:
    if isinstance(state, dict):
        return str({key: _text(value) for key, value in state.items()})
    return str(state.tolist() if hasattr(state, "tolist") else state)


def _called_by(functions: List[Any]) -> List[Any]:
    """These, and the functions of the same modules that they read by name."""
    modules = {getattr(one, "__module__", None) for one in functions}
    for one in functions:  # grows
        more = [value for value in _read_by(one).values() if inspect.isfunction(value) or inspect.ismethod(value)]
        functions += [value for value in more if value.__module__ in modules and value not in functions]
        if len(functions) > _MOST_FUNCTIONS:
            break
    return functions


def _read_by(function: Callable[..., Any]) -> Dict[str, Any]:
    """What a function reads from around, by name; its defaults and what its object holds too."""
    try:
        found = inspect.getclosurevars(function)
    except (TypeError, ValueError):  # it is no function of Python, or one of its names has no value yet
        return {}
    defaults = {f"default {place}": value for place, value in enumerate(getattr(function, "__defaults__", None) or ())}
    of_object = getattr(getattr(function, "__self__", None), "__dict__", {})
    held = {f"self.{name}": value for name, value in of_object.items()}
    return {**found.globals, **found.nonlocals, **defaults, **held}


def _makes_a_generator(function: Callable[..., Any]) -> bool:
    names = getattr(getattr(function, "__code__", None), "co_names", ())
    return "default_rng" in names or "RandomState" in names


def unseeded_since(nodes: Sequence[Node], serial: int) -> List[Leaf]:
    """Tensors of `einloom.random` without a seed that were made after the node of that number."""
    return [node for node in nodes if isinstance(node, Leaf) and node.serial > serial and node.data is not None
            and "random" in node.data and node.data["seed"] >= UNSEEDED]
