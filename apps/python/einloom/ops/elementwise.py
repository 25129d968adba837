"""Functions of single elements: operators, NumPy's and networks' functions, `where`, `clip`, `astype`."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ..array import Array, as_array
from ..dtypes import kind, name_of
from ..errors import DTypeError
from ..expression import Call, Expression, Number, Operand
from .operands import applied, call, is_number, mapped, python_number

# Functions of one element, by their name here; NumPy's where that differs from it.
_UNARY = ("abs sign floor ceil trunc sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh isnan "
          "isinf isfinite square reciprocal rint fix sinc deg2rad rad2deg conj real imag angle logical_not").split()
_INVERSES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
             "arctanh": "atanh"}
_OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "less": "<", "less_equal": "<=",
              "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!=", "logical_and": "&&",
              "logical_or": "||"}
_BINARY = {"maximum": "max", "minimum": "min", "arctan2": "atan2", "hypot": "hypot", "logaddexp": "logaddexp",
           "remainder": "mod", "fmod": "fmod", "fmax": "fmax", "fmin": "fmin", "heaviside": "heaviside",
           "logical_xor": "logical_xor"}
# What NumPy lacks: functions of networks; integers give float64.
_NETWORKS = "sigmoid relu silu gelu softplus erf rsqrt elu mish softsign log_sigmoid".split()


def _unary(name: str, written: str) -> Any:
    def function(x: Any, /) -> Any:
        return applied(name, call(written), x)

    return _called(function, name, f"{written}(x) of each element, with the type that NumPy's `{name}` gives.")


def _binary(name: str, written: str) -> Any:
    def function(x1: Any, x2: Any, /) -> Any:
        return applied(name, call(written), x1, x2)

    return _called(function, name, f"`{written}` of each pair of elements, which broadcast, with NumPy's type.")


def _network(name: str) -> Any:
    def function(x: Any, /) -> Any:
        array = as_array(x)
        kept = name == "relu" or kind(array.node.dtype) in "fc"
        return mapped(Call(name, (Operand(0),)), [array.node], array.node.dtype if kept else "f64", name)

    return _called(function, name, f"{name}(x) of each element.")


def _called(function: Any, name: str, about: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = about
    return function


FUNCTIONS = {
    **{name: _unary(name, name) for name in _UNARY},
    **{name: _unary(name, written) for name, written in _INVERSES.items()},
    **{name: _binary(name, written) for name, written in {**_OPERATORS, **_BINARY}.items()},
    **{name: _network(name) for name in _NETWORKS},
}
# The array API standard's names, and NumPy's second ones.
for _other, _name in {"acos": "arccos", "asin": "arcsin", "atan": "arctan", "acosh": "arccosh", "asinh": "arcsinh",
                      "atanh": "arctanh", "atan2": "arctan2", "absolute": "abs", "fabs": "abs", "conjugate": "conj",
                      "true_divide": "divide", "mod": "remainder", "radians": "deg2rad", "degrees": "rad2deg",
                      "expit": "sigmoid"}.items():
    FUNCTIONS[_other] = FUNCTIONS[_name]


def positive(x: Any, /) -> Any:
    """x itself."""
    return x


def negative(x: Any, /) -> Any:
    """-x of each element."""
    return applied("negative", lambda a: Call("neg", (a,)), x)


def power(x1: Any, x2: Any, /) -> Any:
    """x1 to the power x2.

    >>> import einloom as el
    >>> (el.input("X", (3,), "int32") ** 2).dtype
    dtype('int32')
    """
    if is_number(x2) and isinstance(x2, (int, np.integer)) and x2 < 0 and kind(as_array(x1).node.dtype) in "iu":
        raise DTypeError(f"power: expected an exponent of 0 or more beside integers, found {x2}; "
                         "convert with .astype(float) first")
    return applied("power", call("^"), x1, x2)


def floor_divide(x1: Any, x2: Any, /) -> Any:
    """x1 // x2, as Python has it: the quotient rounded down. Of integers a quotient by 0 is 0."""
    def build(a: Expression, b: Expression) -> Expression:
        exact = Call("/", (Call("-", (a, Call("mod", (a, b)))), b))
        if integers:
            return Call("where", (Call("==", (b, Number(0))), Number(0), exact))
        return Call("where", (Call("==", (b, Number(0))), Call("/", (a, b)), Call("round", (exact,))))

    given = [value if is_number(value) else as_array(value).node for value in (x1, x2)]
    integers = all(kind(value.dtype) in "iub" if not is_number(value) else isinstance(python_number(value), int)
                   for value in given)
    return applied("floor_divide", build, x1, x2)


def where(condition: Any, x1: Any, x2: Any, /) -> Any:
    """x1 where the condition is true, elsewhere x2."""
    return applied("where", call("where"), condition, x1, x2)


def clip(x: Any, /, min: Any = None, max: Any = None, a_min: Any = None, a_max: Any = None) -> Any:
    """x, but not below `min` and not above `max`."""
    low, high = min if min is not None else a_min, max if max is not None else a_max
    if low is not None:
        x = FUNCTIONS["maximum"](x, low)
    return x if high is None else FUNCTIONS["minimum"](x, high)


def round(x: Any, /, decimals: int = 0) -> Any:
    """The nearest whole number, or number with so many decimals; halves go to the even one."""
    array = as_array(x)
    if kind(array.node.dtype) not in "fc":
        return array
    if decimals == 0:
        return applied("rint", call("round"), array)
    scale = Number(10.0 ** decimals)
    return applied("rint", lambda a: Call("/", (Call("round", (Call("*", (a, scale)),)), scale)), array)


around = round


def astype(x: Any, dtype: Any, /, **_: Any) -> Array:
    """x in another type."""
    node, wanted = as_array(x).node, name_of(dtype)
    if wanted == node.dtype:
        return as_array(x)
    if kind(node.dtype) == "c" and kind(wanted) != "c":
        raise DTypeError(f"astype: expected a complex type beside {node.dtype}, found {wanted}; take .real first")
    return mapped(Call(f"cast_{wanted}", (Operand(0),)), [node], wanted, "astype")


def _bitwise(name: str, logical: str) -> Any:
    def function(x1: Any, x2: Any, /) -> Any:
        _only_bool(name, x1, x2)
        return FUNCTIONS[logical](x1, x2)

    return _called(function, name, f"`{logical}` of truth values; of integers refused, since joins have no bits.")


def _only_bool(name: str, *values: Any) -> None:
    for value in values:
        found = type(value).__name__ if is_number(value) else as_array(value).node.dtype
        if found not in ("bool", "bool_"):
            raise DTypeError(f"{name}: expected truth values, found {found}; joins have no operations on bits")


bitwise_and = _bitwise("bitwise_and", "logical_and")
bitwise_or = _bitwise("bitwise_or", "logical_or")


def bitwise_xor(x1: Any, x2: Any, /) -> Any:
    """Exclusive or of truth values."""
    _only_bool("bitwise_xor", x1, x2)
    return FUNCTIONS["not_equal"](x1, x2)


def bitwise_invert(x: Any, /) -> Any:
    """Not, of truth values."""
    _only_bool("invert", x)
    return FUNCTIONS["logical_not"](x)


bitwise_not = invert = bitwise_invert


def isclose(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Array:
    """Whether elements are equal within tolerances."""
    return FUNCTIONS["less_equal"](FUNCTIONS["abs"](x1 - x2), atol + rtol * FUNCTIONS["abs"](x2))


def nan_to_num(x: Any, nan: float = 0.0) -> Array:
    """x with another number in place of NaN."""
    return where(FUNCTIONS["isnan"](x), nan, x)


def leaky_relu(x: Any, slope: float) -> Array:
    """x where it is positive, elsewhere slope*x."""
    return applied("add", lambda a, s: Call("leaky_relu", (a, s)), x, slope)


def cast(x: Any, dtype: Optional[Any] = None) -> Array:
    """As `astype`."""
    return astype(x, dtype)
