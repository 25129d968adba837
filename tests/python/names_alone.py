#!/usr/bin/env python3
"""The naming room of the Python module by itself: any Python 3.9 or newer runs this, without NumPy.

names_alone.py NAMES. NAMES is the file einloom/names.py.
"""
import functools
import importlib.util
import sys
import types


# Stand-ins for nodes and lazy arrays, inside the package as those are: what is read takes the name of its variable.
PACKAGE = '''
class Node:
    def __init__(self, *reads):
        self.held = None
        frame = names.calling_frame()
        for read in reads:
            if read.held is None or read.held.rank <= names.PARAMETER:
                read.held = names.holder(frame, lambda value: getattr(value, "node", None) is read)


class Array:
    def __init__(self, *reads):
        self.node = Node(*(read.node for read in reads))

    def __add__(self, other):
        return Array(self, other)
'''


def called(array):
    return array.node.held and array.node.held.variable


def loaded(path):
    package = types.ModuleType("einloom")
    package.__path__ = []
    sys.modules["einloom"] = package
    spec = importlib.util.spec_from_file_location("einloom.names", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


names = loaded(sys.argv[1])
package = {"__name__": "einloom.inner", "names": names}
exec(PACKAGE, package)
Array = package["Array"]


def expect(found, wanted):
    assert found == wanted, f"line {sys._getframe(1).f_lineno}: expected {wanted!r}, found {found!r}"


A, B = Array(), Array()
part = (A + B) + Array()
expect([called(A), called(B)], ["A", "B"])
expect(called(part), None)           # nobody has read it


def variables():
    x = Array()
    y = x + x
    for _ in range(2):
        y = y + x
    z = y + y
    return x, y, z


def parameters(first, *rest, key=None, **more):
    return [first + one for one in rest] + [key + more["other"]]


def decorated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper


@decorated
def layer(x, weights):
    def inner(w):
        return x + w
    return inner(weights["W"])


x, y, z = variables()
expect([called(x), called(y)], ["x", "y"])
given, other = Array(), Array()
sums = parameters(Array(), given, Array(), key=Array(), other=other)
expect([called(given), called(other)], ["given", "other"])
unbound = [Array() for _ in range(3)]
parameters(unbound[0], B, key=unbound[1], other=unbound[2])
expect([called(one) for one in unbound], ["first", "key", "other"])
inline = []


def keep(value):
    inline.append(value)
    return value


parameters(keep(Array()), B, key=keep(Array()), other=keep(Array()))
expect([called(one) for one in inline], ["first", "key", "other"])
held = {"W": Array()}
result = layer(Array(), held)
expect(called(held["W"]), "W")
q, k, v = [one + A for one in (B, A, B)]
q + k + v
expect([called(one) for one in (q, k, v)], ["q", "k", "v"])


class Model:
    def __init__(self):
        self.bias = Array()

    def forward(self, data):
        hidden = data + self.bias
        return hidden + hidden


model = Model()
model.forward(A)
expect(called(model.bias), "bias")
(lambda inside: inside + inside)(result)
expect(called(result), "result")
exec("text = Array()\ntext + text\nassert called(text) == 'text', called(text)",
     {"Array": Array, "called": called, "__name__": "cell"})
expect([called(one) for one in [sum([A + B, B], Array())]], [None])


class Unkind:
    """What raises whatever it is asked."""

    def __getattribute__(self, name):
        raise RuntimeError(name)

    def __eq__(self, other):
        raise RuntimeError("compared")

    __hash__ = None


unkind = Unkind()
beside = Array()
[unkind, beside + beside]
assert called(beside) in ("beside", None)
many = [Array() for _ in range(1000)]
many[7] + A
expect(called(many[7]), None)        # of long lists none is looked at
wide = "\n".join(f"v{n} = Array()\nv{n} + v{n}" for n in range(300))
scope = {"Array": Array, "__name__": "wide"}
exec(wide, scope)                    # an extended argument for each name
expect([called(scope[f"v{n}"]) for n in (0, 255, 256, 299)], ["v0", "v255", "v256", "v299"])
print(f"Python {sys.version_info.major}.{sys.version_info.minor}: as expected")
