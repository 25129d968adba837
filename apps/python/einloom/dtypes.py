"""The types of elements, and which type an operation gives: NumPy itself is asked.

Example: `result_type("add", "i32", "f32")` is "f64", because that is what `np.add` gives for such arrays. Python's
numbers are passed on as they are, so they take the type of what they meet. `bf16`, which NumPy lacks, stands in for
`f32` while NumPy is asked.
"""
from __future__ import annotations

from typing import Any, Union

import numpy as np

from .errors import DTypeError

_NUMPY = {
    "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "bool": "bool",
}
_OURS = {np.dtype(numpy): ours for ours, numpy in _NUMPY.items()}


class BFloat16:
    """The type `bf16`, which NumPy does not have. Results of it come as `float32`, which holds them exactly."""

    name, kind, itemsize = "bfloat16", "f", 2

    def __repr__(self) -> str:
        return "einloom.bfloat16"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BFloat16) or other in ("bfloat16", "bf16")

    def __hash__(self) -> int:
        return hash("bfloat16")


bfloat16 = BFloat16()
DType = Union[np.dtype, BFloat16]


def name_of(dtype: Any) -> str:
    """Einloom's name of a type.

    >>> name_of(np.float32), name_of("complex128"), name_of(bool), name_of("bf16")
    ('f32', 'c128', 'bool', 'bf16')
    """
    if isinstance(dtype, BFloat16) or isinstance(dtype, str) and dtype in ("bfloat16", "bf16"):
        return "bf16"
    if isinstance(dtype, str) and dtype in _NUMPY:
        return dtype
    try:
        wanted = np.dtype(dtype).newbyteorder("=")
    except TypeError as error:
        raise DTypeError(f"dtype: expected one of {known()}, found {dtype!r}; name one of these") from error
    if wanted not in _OURS:
        raise DTypeError(f"dtype: expected one of {known()}, found {wanted}; convert with .astype first")
    return _OURS[wanted]


def known() -> str:
    return ", ".join([*(str(dtype) for dtype in _OURS), "bfloat16"])


def public(name: str) -> DType:
    """What `Array.dtype` shows."""
    return bfloat16 if name == "bf16" else np.dtype(_NUMPY[name])


def stored(name: str) -> np.dtype:
    """The type of files and results."""
    return np.dtype("float32" if name == "bf16" else _NUMPY[name])


def kind(name: str) -> str:
    return stored(name).kind


def common(*names: str) -> str:
    """The common type of arrays, as the graph's format has it.

    >>> common("i32", "f32"), common("bf16", "f16"), common("bf16", "bf16"), common("u8", "i8")
    ('f64', 'f32', 'bf16', 'i16')
    """
    if len(set(names)) == 1:
        return names[0]
    joint = _OURS[np.result_type(*(stored(name) for name in names))]
    return "bf16" if joint == "f32" and "bf16" in names and _all_below_bf16(names) else joint


def result_type(function: str, *operands: Any) -> str:
    """The type that NumPy's function gives for arrays of these types (our names) and numbers (any others)."""
    names = [operand for operand in operands if isinstance(operand, str)]
    samples = [np.empty((0,), stored(operand)) if isinstance(operand, str) else operand for operand in operands]
    try:
        with np.errstate(all="ignore"):
            given = np.asarray(getattr(np, function)(*samples)).dtype
    except (TypeError, OverflowError) as error:
        types = " and ".join(str(public(one)) if isinstance(one, str) else repr(one) for one in operands)
        raise DTypeError(f"{function}: expected types that it takes, found {types}; convert with .astype "
                         "first") from error
    found = {"uint64": "i64", "uint16": "i32", "uint32": "i64"}.get(given.name) or name_of(given)
    return "bf16" if found == "f32" and "bf16" in names and _all_below_bf16(names) else found


def assignable(given: str, to: str) -> bool:
    """Whether an assignment in place converts so, as NumPy has it.

    >>> assignable("f64", "f32"), assignable("f64", "i32"), assignable("bf16", "f16")
    (True, False, True)
    """
    return bool(np.can_cast(stored(given), stored(to), "same_kind"))


def reduced_type(aggregation: str, dtype: str) -> str:
    """The type of a sum, mean, ... over elements of this type. Sums of `u8` are `int64` (NumPy: `uint64`).

    >>> reduced_type("sum", "i32"), reduced_type("mean", "i8"), reduced_type("max", "u8"), reduced_type("var", "c64")
    ('i64', 'f64', 'u8', 'f32')
    """
    if aggregation in ("argmin", "argmax", "count"):
        return "i64"
    if aggregation in ("any", "all"):
        return "bool"
    if aggregation in ("min", "max"):
        return dtype
    real = {"c64": "f32", "c128": "f64"}.get(dtype, dtype)
    if aggregation in ("mean", "var", "std", "norm", "logsumexp"):
        floating = dtype if aggregation == "mean" else real
        return floating if kind(dtype) in "fc" else "f64"
    return dtype if kind(dtype) in "fc" else "i64"


def _all_below_bf16(names: Any) -> bool:
    return all(name in ("bf16", "bool", "i8", "u8") for name in names)
