"""Functions of single elements: operators, NumPy's and networks' functions, `where`, `clip`, `astype`."""
from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from ..array import Array, as_array
from ..dtypes import kind, name_of, stored
from ..errors import DTypeError, refuse
from ..expression import Call, Expression, Number, Operand
from ..node import Ein
from .operands import applied, call, is_number, mapped, python_number
from .quotients import is_exact, most, real_quotient, rounded_down

# Functions of one element, by their name here; NumPy's where that differs from it.
_UNARY = ("abs sign floor ceil trunc sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh isnan "
          "isinf isfinite square reciprocal rint fix sinc deg2rad rad2deg conj real imag logical_not").split()
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
    def function(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None,
                 casting: Any = None, order: Any = None, subok: bool = True) -> Any:
        return finished(name, applied(name, call(written), x), out, where, dtype)

    return _called(function, name, f"{written}(x) of each element, with the type that NumPy's `{name}` gives.")


def _binary(name: str, written: str) -> Any:
    def function(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None,
                 casting: Any = None, order: Any = None, subok: bool = True) -> Any:
        return finished(name, applied(name, call(written), x1, x2), out, where, dtype)

    return _called(function, name, f"`{written}` of each pair of elements, which broadcast, with NumPy's type.")


def _network(name: str) -> Any:
    def function(x: Any, /) -> Any:
        array = as_array(x)
        kept = name == "relu" or kind(array.node.dtype) in "fc"
        return mapped(Call(name, (Operand(0),)), [array.node], array.node.dtype if kept else "f64", name)

    return _called(function, name, f"{name}(x) of each element.")


def finished(name: str, result: Any, out: Any, condition: Any, dtype: Any) -> Any:
    """A function's result in another type, where a condition holds, written onto `out`, as NumPy has it."""
    if dtype is not None:
        result = astype(result, dtype)
    if condition is not True:
        if out is None:
            raise refuse(name, "an array out= for the places where `where` is false", "none",
                         f"give one, or write where(condition, {name}(...), other)")
        result = where(condition, result, out)
    if out is None:
        return result
    if not isinstance(out, Array):
        raise refuse(name, "a lazy array as out=", type(out).__name__, "write x = x + y, or begin with tensor(x)")
    return out.becomes(result, name)


def written(result: Any, out: Any) -> Any:
    """The result, or `out` with it."""
    return finished("out=", result, out, True, None)


def _called(function: Any, name: str, about: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = about
    return function


FUNCTIONS = {
    **{name: _unary(name, name) for name in _UNARY},
    **{name: _unary(name, written) for name, written in {**_INVERSES, "fabs": "abs"}.items()},
    **{name: _binary(name, written) for name, written in {**_OPERATORS, **_BINARY}.items()},
    **{name: _network(name) for name in _NETWORKS},
}
# The array API standard's names, and NumPy's second ones.
for _other, _name in {"acos": "arccos", "asin": "arcsin", "atan": "arctan", "acosh": "arccosh", "asinh": "arcsinh",
                      "atanh": "arctanh", "atan2": "arctan2", "absolute": "abs", "conjugate": "conj",
                      "true_divide": "divide", "mod": "remainder", "radians": "deg2rad", "degrees": "rad2deg",
                      "expit": "sigmoid"}.items():
    FUNCTIONS[_other] = FUNCTIONS[_name]


def positive(x: Any, /) -> Any:
    """The same elements."""
    return Array(x.node) if isinstance(x, Array) else +x


def negative(x: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None,
             casting: Any = None, order: Any = None, subok: bool = True) -> Any:
    """-x of each element."""
    return finished("negative", applied("negative", lambda a: Call("neg", (a,)), x), out, where, dtype)


def power(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None,
          casting: Any = None, order: Any = None, subok: bool = True) -> Any:
    """x1 to the power x2.

    >>> import einloom as el
    >>> (el.input("X", (3,), "int32") ** 2).dtype
    dtype('int32')
    """
    if is_number(x2) and isinstance(x2, (int, np.integer)) and x2 < 0 and kind(as_array(x1).node.dtype) in "iu":
        raise DTypeError(f"power: expected an exponent of 0 or more beside integers, found {x2}; "
                         "convert with .astype(float) first")
    return finished("power", applied("power", call("^"), x1, x2), out, where, dtype)


def floor_divide(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None,
                 casting: Any = None, order: Any = None, subok: bool = True) -> Any:
    """x1 // x2, as Python has it: the quotient rounded down. Of integers a quotient by 0 is 0."""
    def build(a: Expression, b: Expression) -> Expression:
        if integers:
            return rounded_down(a, b, narrow)
        return real_quotient(a, b)

    given = [value if is_number(value) else as_array(value).node for value in (x1, x2)]
    integers = all(kind(value.dtype) in "iub" if not is_number(value) else isinstance(python_number(value), int)
                   for value in given)
    narrow = all(_fits_float64(value) for value in given)
    return finished("floor_divide", applied("floor_divide", build, x1, x2), out, where, dtype)


def _fits_float64(value: Any) -> bool:
    """Whether float64 holds all that a number or a node of integers can be."""
    if is_number(value):
        return is_exact(abs(python_number(value)))
    if isinstance(value, Ein) and not value.operands and not isinstance(value.join, (str, type(None))):
        return is_exact(most(value.join, value.sizes))
    return value.dtype != "i64"


def divmod(x1: Any, x2: Any, /) -> Tuple[Any, Any]:
    """Quotients rounded down, and what is left."""
    return floor_divide(x1, x2), FUNCTIONS["remainder"](x1, x2)


def modf(x: Any, /) -> Tuple[Any, Any]:
    """Fractions and whole parts, both with the sign of x."""
    whole = FUNCTIONS["trunc"](as_array(x))
    return x - whole, whole


def angle(z: Any, deg: bool = False) -> Any:
    """The angle of complex numbers, in radians or degrees."""
    found = applied("angle", call("angle"), z)
    return found * (180 / np.pi) if deg else found


def copysign(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None,
             casting: Any = None, order: Any = None, subok: bool = True) -> Any:
    """|x1| with the sign of x2. The sign of -0.0 is not seen."""
    def build(a: Expression, b: Expression) -> Expression:
        size = Call("abs", (a,))
        return Call("where", (Call("<", (b, Number(0))), Call("neg", (size,)), size))

    return finished("copysign", applied("copysign", build, x1, x2), out, where, dtype)


def float_power(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None,
                casting: Any = None, order: Any = None, subok: bool = True) -> Any:
    """x1 to the power x2, in float64 or complex128."""
    base = as_array(x1)
    return power(base.astype("complex128" if kind(base.node.dtype) == "c" else "float64"), x2, out, where=where,
                 dtype=dtype)


def where(condition: Any, x1: Any = None, x2: Any = None, /) -> Any:
    """x1 where the condition is true, elsewhere x2."""
    if x1 is None or x2 is None:
        raise refuse("where", "three arguments", "a condition alone", "its shape would depend on elements; write "
                     "where(condition, x, y), or X[condition].sum() and the like")
    return applied("where", call("where"), condition, x1, x2)


def clip(x: Any, /, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None,
         casting: Any = None, order: Any = None, subok: bool = True, dtype: Any = None) -> Any:
    """x, but not below `min` and not above `max`."""
    low, high = min if min is not None else a_min, max if max is not None else a_max
    result = as_array(x) if low is None and high is None else x
    if low is not None:
        result = FUNCTIONS["maximum"](result, low)
    if high is not None:
        result = FUNCTIONS["minimum"](result, high)
    return finished("clip", result, out, True, dtype)


def round(x: Any, /, decimals: int = 0, out: Any = None) -> Any:
    """The nearest whole number, or number with so many decimals; halves go to the even one."""
    array = as_array(x)
    if kind(array.node.dtype) not in "fc" and decimals >= 0:
        return finished("round", positive(array), out, True, None)
    return finished("round", applied("rint", _rounding(decimals), array, dtype=array.node.dtype), out, True, None)


def _rounding(decimals: int) -> Any:
    """Multiplies or divides by a power of ten that float64 holds, rounds, and goes back, as NumPy does."""
    if decimals == 0:
        return call("round")
    scale = Number(10.0 ** abs(decimals))
    there, back = ("*", "/") if decimals > 0 else ("/", "*")
    return lambda a: Call(back, (Call("round", (Call(there, (a, scale)),)), scale))


around = round


def astype(x: Any, dtype: Any, *, copy: bool = True, device: Any = None) -> Array:
    """x in another type."""
    node, wanted = as_array(x).node, name_of(dtype)
    if wanted == node.dtype:
        return Array(node)
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


def _shift(name: str, instead: str) -> Any:
    def function(x1: Any, x2: Any, /, out: Any = None, *, where: Any = True, dtype: Any = None) -> Any:
        raise DTypeError(f"{name}: joins have no operations on bits; of whole numbers write {instead}")

    return _called(function, name, f"Refused, since joins have no bits: write {instead}.")


left_shift, right_shift = _shift("left_shift", "x * 2**n"), _shift("right_shift", "x // 2**n")
bitwise_not = invert = bitwise_invert


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    """Whether elements are equal within tolerances."""
    a, b = as_array(a), as_array(b)
    if kind(b.node.dtype) in "iub":
        b = astype(b, "f64")  # differences of integers wrap
    near = FUNCTIONS["abs"](a - b) <= atol + rtol * FUNCTIONS["abs"](b)
    near = near & FUNCTIONS["isfinite"](b) | (a == b)
    return near | FUNCTIONS["isnan"](a) & FUNCTIONS["isnan"](b) if equal_nan else near


def nan_to_num(x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    """x with numbers in place of NaN and of the infinities: the largest and the least of its type."""
    array = as_array(x)
    if kind(array.node.dtype) not in "fc":
        return Array(array.node)
    if kind(array.node.dtype) == "c":
        raise DTypeError("nan_to_num: expected real numbers, found complex ones; take .real and .imag")
    known = np.finfo(stored(array.node.dtype))
    high = known.max if posinf is None else posinf
    low = known.min if neginf is None else neginf
    bounded = where(FUNCTIONS["isinf"](array), where(array > 0, float(high), float(low)), array)
    return where(FUNCTIONS["isnan"](array), float(nan), bounded).astype(array.dtype)


def leaky_relu(x: Any, slope: float) -> Array:
    """x where it is positive, elsewhere slope*x."""
    return applied("add", lambda a, s: Call("leaky_relu", (a, s)), x, slope)


def cast(x: Any, dtype: Optional[Any] = None) -> Array:
    """As `astype`."""
    return astype(x, dtype)
