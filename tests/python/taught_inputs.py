"""Arrays that programs of teaching material are given."""
import numpy

draw = numpy.random.default_rng(5)


def normal(*shape):
    return draw.normal(size=shape)


def uniform(*shape):
    return draw.uniform(0.05, 0.95, shape)


def symmetric(n):
    a = normal(n, n)
    return a @ a.T + n * numpy.eye(n)


def stochastic(n, columns=None):
    a = uniform(n, columns or n)
    return a / a.sum(1, keepdims=True)
