"""Numerical methods as they are taught with NumPy: each function takes the module, `numpy` or `einloom`, and arrays.

`inputs(random)` of `PROGRAMS` makes the arrays. Nothing here knows which of the two modules computes.
"""


def conjugate_gradient(xp, A, b, steps=12):
    """Solves A x = b for a symmetric positive definite A."""
    x = xp.zeros_like(b)
    residual = b - A @ x
    direction = residual
    squared = residual @ residual
    for _ in range(steps):
        image = A @ direction
        step = squared / (direction @ image)
        x = x + step * direction
        residual = residual - step * image
        following = residual @ residual
        direction = residual + following / squared * direction
        squared = following
    return {"x": x, "residual": xp.sqrt(squared)}


def jacobi(xp, A, b, steps=15):
    """Solves A x = b for a diagonally dominant A."""
    diagonal = xp.diagonal(A)
    rest = A - xp.diag(diagonal)
    x = xp.zeros(b.shape[0])
    for _ in range(steps):
        x = (b - rest @ x) / diagonal
    return {"x": x, "residual": xp.abs(A @ x - b).max()}


def game_of_life(xp, board, steps=4):
    """Conway's game on a torus."""
    for _ in range(steps):
        neighbours = sum(xp.roll(board, (i, j), axis=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)
                         if (i, j) != (0, 0))
        board = ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(board.dtype)
    return {"board": board, "alive": board.sum()}


def page_rank(xp, links, steps=20, damping=0.85):
    """Ranks of pages by the power method; pages without links lead anywhere."""
    count = links.shape[0]
    degree = links.sum(axis=1)
    transition = xp.where(degree[:, None] > 0, links / xp.maximum(degree, 1)[:, None], 1 / count)
    rank = xp.full(count, 1 / count)
    for _ in range(steps):
        rank = (1 - damping) / count + damping * (rank @ transition)
    return {"rank": rank, "first": xp.argmax(rank)}


def heat_equation(xp, field, steps=6):
    """Explicit steps of the heat equation, with borders that stay."""
    for _ in range(steps):
        inner = field[1:-1, 1:-1] + 0.2 * (field[:-2, 1:-1] + field[2:, 1:-1] + field[1:-1, :-2] + field[1:-1, 2:]
                                           - 4 * field[1:-1, 1:-1])
        field = field.copy()
        field[1:-1, 1:-1] = inner
    return {"field": field, "warmest": field.max()}


def shortest_paths(xp, distance):
    """Floyd's and Warshall's algorithm."""
    for k in range(distance.shape[0]):
        distance = xp.minimum(distance, distance[:, k, None] + distance[None, k, :])
    return {"distance": distance}


def hidden_markov(xp, transition, emission, start, observed):
    """The forward algorithm with scaling."""
    alpha = start * emission[:, observed[0]]
    log_likelihood = xp.log(alpha.sum())
    alpha = alpha / alpha.sum()
    for symbol in observed[1:]:
        alpha = (alpha @ transition) * emission[:, symbol]
        total = alpha.sum()
        log_likelihood = log_likelihood + xp.log(total)
        alpha = alpha / total
    return {"alpha": alpha, "log_likelihood": log_likelihood}


def gram_schmidt(xp, A):
    """Orthonormal columns, one after the other: A = QR."""
    columns = []
    for j in range(A.shape[1]):
        v = A[:, j]
        for q in columns:
            v = v - (q @ v) * q
        columns.append(v / xp.linalg.norm(v))
    Q = xp.stack(columns, axis=1)
    return {"Q": Q, "R": xp.triu(Q.T @ A)}


def mandelbrot(xp, size=20, steps=12):
    """How long points of the plane stay within a circle."""
    re, im = xp.meshgrid(xp.linspace(-2, 1, size), xp.linspace(-1.5, 1.5, size))
    c = re + 1j * im
    z = 0 * c
    count = xp.zeros((size, size))
    for _ in range(steps):
        stays = xp.abs(z) <= 2
        z = xp.where(stays, z * z + c, z)
        count = count + stays
    return {"count": count}


def fourier_transform(xp, signal):
    """The discrete Fourier transform as a product, and Parseval's sum."""
    n = signal.shape[0]
    k = xp.arange(n)
    spectrum = xp.exp(-2j * xp.pi * k[:, None] * k[None, :] / n) @ signal
    power = xp.abs(spectrum) ** 2
    return {"spectrum": spectrum, "power": power, "energy": power.sum() / n}


def n_bodies(xp, position, velocity, mass, step=0.01):
    """A leapfrog step of bodies that attract one another."""
    def acceleration(position):
        difference = position[None, :, :] - position[:, None, :]
        squared = (difference ** 2).sum(axis=-1) + 1e-2
        return (mass[None, :, None] * difference / squared[:, :, None] ** 1.5).sum(axis=1)

    velocity = velocity + 0.5 * step * acceleration(position)
    position = position + step * velocity
    velocity = velocity + 0.5 * step * acceleration(position)
    return {"position": position, "energy": 0.5 * (mass * (velocity ** 2).sum(axis=1)).sum()}


def runge_kutta(xp, populations, steps=5, h=0.05):
    """Lotka's and Volterra's equations by the classical fourth-order method."""
    def slope(u):
        prey, predators = u[0], u[1]
        return xp.stack([1.1 * prey - 0.4 * prey * predators, 0.1 * prey * predators - 0.4 * predators])

    u = populations
    for _ in range(steps):
        k1 = slope(u)
        k2 = slope(u + h / 2 * k1)
        k3 = slope(u + h / 2 * k2)
        k4 = slope(u + h * k3)
        u = u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return {"u": u}


def edges(xp, image):
    """Sobel's filters, and a moving average by running sums."""
    padded = xp.pad(image, 1, mode="edge")
    dx = (padded[:-2, 2:] + 2 * padded[1:-1, 2:] + padded[2:, 2:]
          - padded[:-2, :-2] - 2 * padded[1:-1, :-2] - padded[2:, :-2])
    dy = (padded[2:, :-2] + 2 * padded[2:, 1:-1] + padded[2:, 2:]
          - padded[:-2, :-2] - 2 * padded[:-2, 1:-1] - padded[:-2, 2:])
    strength = xp.hypot(dx, dy)
    running = xp.cumsum(image, axis=1)
    average = (running[:, 3:] - running[:, :-3]) / 3
    return {"strength": strength, "edge": strength > strength.mean(), "average": average}


def _dominant(random):
    A = random.normal(size=(10, 10))
    return dict(A=A @ A.T + 10 * _eye(10), b=random.normal(size=10))


def _eye(n):
    import numpy
    return numpy.eye(n)


def _chain(random):
    return dict(transition=random.dirichlet([1, 1, 1], 3), emission=random.dirichlet([1, 1, 1, 1], 3),
                start=random.dirichlet([1, 1, 1]), observed=(0, 2, 1, 3, 3, 0, 1))


PROGRAMS = {
    conjugate_gradient: _dominant,
    jacobi: lambda random: dict(A=random.uniform(size=(10, 10)) + 12 * _eye(10), b=random.normal(size=10)),
    game_of_life: lambda random: dict(board=random.integers(0, 2, (12, 9))),
    page_rank: lambda random: dict(links=(random.uniform(size=(14, 14)) < 0.2).astype(float)),
    heat_equation: lambda random: dict(field=random.uniform(size=(12, 10))),
    shortest_paths: lambda random: dict(distance=random.uniform(1, 9, (7, 7)) * (1 - _eye(7))),
    hidden_markov: _chain,
    gram_schmidt: lambda random: dict(A=random.normal(size=(8, 4))),
    mandelbrot: lambda random: {},
    fourier_transform: lambda random: dict(signal=random.normal(size=16)),
    n_bodies: lambda random: dict(position=random.normal(size=(9, 3)), velocity=random.normal(size=(9, 3)),
                                  mass=random.uniform(size=9)),
    runge_kutta: lambda random: dict(populations=random.uniform(5, 9, (2, 6))),
    edges: lambda random: dict(image=random.uniform(size=(9, 11))),
}
