"""Programs of numerical methods as teaching material writes them for NumPy.

Each takes the module as `np`; nothing here was written for Einloom. `PROGRAMS` has what each is given.
"""
import numpy
from taught_inputs import draw, normal, stochastic, uniform



def lotka_volterra(np, X0, N=8, h=0.05):

    def f(X, t):
        return np.array([X[0] * 1.1 - 0.4 * X[0] * X[1], -0.4 * X[1] + 0.1 * X[0] * X[1]])
    t = np.linspace(0, N * h, N + 1)
    X = np.zeros((N + 1, 2))
    X[0] = X0
    for k in range(N):
        k1 = f(X[k], t[k])
        k2 = f(X[k] + 0.5 * h * k1, t[k] + 0.5 * h)
        k3 = f(X[k] + 0.5 * h * k2, t[k] + 0.5 * h)
        k4 = f(X[k] + h * k3, t[k] + h)
        X[k + 1] = X[k] + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return {'X': X}


def conv_direct(np, x, h):
    N, M = (len(x), len(h))
    y = np.zeros(N + M - 1)
    for i in range(M):
        y[i:i + N] += h[i] * x
    return {'y': y}


def pagerank(np, M, d=0.85):
    N = M.shape[1]
    w = np.ones(N) / N
    M_hat = d * M
    for _ in range(15):
        w = M_hat @ w + (1 - d) / N
    order = np.argsort(-w)
    order2 = np.argsort(w)[::-1]
    return {'w': w, 'o': order, 'o2': order2}


def mandelbrot(np, n=12, maxiter=10):
    x = np.linspace(-2, 0.5, n)
    y = np.linspace(-1.2, 1.2, n)
    X, Y = np.meshgrid(x, y)
    c = X + 1j * Y
    z = np.zeros_like(c)
    div = np.zeros(c.shape, dtype=int)
    for i in range(maxiter):
        z = z ** 2 + c
        diverge = np.abs(z) > 2
        div_now = diverge & (div == 0)
        div[div_now] = i + 1
        z[diverge] = 2
    return {'div': div}


def heat2d(np, u, steps=4):
    u = u.copy()
    for _ in range(steps):
        un = u.copy()
        u[1:-1, 1:-1] = (un[1:-1, 1:-1] + 0.1 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[:-2, 1:-1])
                         + 0.1 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, :-2]))
        u[0, :] = 0
        u[-1, :] = 1
        u[:, 0] = u[:, 1]
        u[:, -1] = u[:, -2]
    return {'u': u, 'm': u.max()}


def moving_averages(np, x, n=4):
    ret = np.cumsum(x, dtype=float)
    ret[n:] = ret[n:] - ret[:-n]
    sma = ret[n - 1:] / n
    w = np.ones(n) / n
    conv = np.convolve(x, w, mode='valid')
    ema = np.zeros_like(x)
    ema[0] = x[0]
    for t in range(1, len(x)):
        ema[t] = 0.3 * x[t] + 0.7 * ema[t - 1]
    win = np.lib.stride_tricks.sliding_window_view(x, n).mean(axis=1)
    return {'sma': sma, 'conv': conv, 'ema': ema, 'win': win}


def conv2d(np, img, K):
    m, n = K.shape
    y, x = img.shape
    y = y - m + 1
    x = x - n + 1
    new = np.zeros((y, x))
    for i in range(m):
        for j in range(n):
            new += img[i:i + y, j:j + x] * K[i, j]
    pooled = new[:y // 2 * 2, :x // 2 * 2].reshape(y // 2, 2, x // 2, 2).max(axis=(1, 3))
    loop = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            loop[i, j] = np.sum(img[i:i + m, j:j + n] * K)
    return {'c': new, 'p': pooled, 'l': loop}


def distance_transform(np, mask):
    h, w = mask.shape
    I, J = np.indices((h, w))
    big = np.where(mask == 0, 0.0, 1000000000.0)
    d2 = (I[:, :, None, None] - I) ** 2 + (J[:, :, None, None] - J) ** 2 + big
    d = np.sqrt(d2.min(axis=(2, 3)))
    return {'d': d}


def schrodinger(np, psi0, V, steps=3, dx=0.1, dt=0.001):
    psi = psi0.astype(complex)
    for _ in range(steps):
        lap = (np.roll(psi, 1) - 2 * psi + np.roll(psi, -1)) / dx ** 2
        psi = psi - 1j * dt * (-0.5 * lap + V * psi)
        psi /= np.sqrt(np.sum(np.abs(psi) ** 2) * dx)
    return {'psi': psi, 'prob': np.abs(psi) ** 2, 'ph': np.angle(psi)}


def floyd(np, D):
    n = D.shape[0]
    for k in range(n):
        D = np.minimum(D, D[:, k, None] + D[k, :])
    return {'D': D, 'ecc': D.max(axis=1)}


def monte_carlo_stats(np, x):
    inside = np.sum(x[:, 0] ** 2 + x[:, 1] ** 2 <= 1)
    q = np.percentile(x, [25, 50, 75], axis=0)
    return {'pi': 4 * inside / len(x), 'q': q, 'iqr': q[2] - q[0], 'med': np.median(x, axis=0),
            'skew': np.mean(((x - x.mean(0)) / x.std(0)) ** 3, 0), 'mad': np.median(np.abs(x - np.median(x)))}


def ising(np, s, u, beta=0.4):
    E = -np.sum(s * (np.roll(s, 1, 0) + np.roll(s, 1, 1)))
    i, j = np.indices(s.shape)
    for parity in (0, 1):
        nb = np.roll(s, 1, 0) + np.roll(s, -1, 0) + np.roll(s, 1, 1) + np.roll(s, -1, 1)
        flip = (u < np.exp(-2 * beta * s * nb)) & ((i + j) % 2 == parity)
        s = np.where(flip, -s, s)
    return {'E': E, 's': s, 'M': np.abs(np.sum(s)) / s.size}


def sieve(np, n=30):
    is_prime = np.ones(n + 1, dtype=bool)
    is_prime[:2] = False
    for i in range(2, int(n ** 0.5) + 1):
        is_prime[i * i::i] = False
    return {'p': is_prime, 'count': is_prime.sum()}


def bilinear(np, img):
    ys = np.linspace(0, img.shape[0] - 1.001, 7)
    xs = np.linspace(0, img.shape[1] - 1.001, 9)
    y0 = np.floor(ys).astype(int)
    x0 = np.floor(xs).astype(int)
    wy = (ys - y0)[:, None]
    wx = (xs - x0)[None, :]
    out = (img[y0][:, x0] * (1 - wy) * (1 - wx) + img[y0 + 1][:, x0] * wy * (1 - wx)
           + img[y0][:, x0 + 1] * (1 - wy) * wx + img[y0 + 1][:, x0 + 1] * wy * wx)
    out2 = img[y0[:, None], x0[None, :]]
    out3 = img[np.ix_(y0, x0)]
    return {'o': out, 'o2': out2, 'o3': out3, 'gray': np.clip(img * 255, 0, 255).astype(np.uint8)}


def trapz_simpson(np, n=16):
    x = np.linspace(0, np.pi, n + 1)
    y = np.sin(x)
    h = x[1] - x[0]
    simpson = h / 3 * (y[0] + y[-1] + 4 * np.sum(y[1:-1:2]) + 2 * np.sum(y[2:-1:2]))
    mid = np.sum(y[:-1] + y[1:]) * h / 2
    return {'t': np.trapz(y, x), 's': simpson, 'm': mid, 'g': np.gradient(y, h), 'g2': np.gradient(y, x)}


def kalman(np, zs, F, H, Qn, Rn):
    x = np.zeros((2, 1))
    P = np.eye(2)
    out = []
    for z in zs:
        x = F @ x
        P = F @ P @ F.T + Qn
        y = z - H @ x
        S = H @ P @ H.T + Rn
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ y
        P = (np.eye(2) - K @ H) @ P
        out.append(x.ravel())
    return {'x': np.array(out), 'P': P}


def fractions(np, a):
    b, c = (np.divmod(a, 3), np.modf(a / 4)[0])
    return {'q': b[0], 'r': b[1], 'c': c, 'sq': np.allclose(a, a), 'any': (a > 3).any(), 'u': np.max(a),
            'd': np.digitize(a / 1.0, np.array([1.0, 3.0, 5.0])), 'nz': np.sum(a != 0)}


def nbody_energy(np, pos, vel, mass):
    x = pos[:, 0:1]
    y = pos[:, 1:2]
    z = pos[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    inv_r3 = dx ** 2 + dy ** 2 + dz ** 2 + 0.01
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    a = np.hstack((dx * inv_r3 @ mass, dy * inv_r3 @ mass, dz * inv_r3 @ mass))
    KE = 0.5 * np.sum(np.sum(mass * vel ** 2))
    r = np.sqrt(dx ** 2 + dy ** 2 + dz ** 2)
    inv_r = np.where(r > 0, 1 / np.where(r > 0, r, 1), 0)
    PE = np.sum(np.sum(np.triu(-(mass * mass.T) * inv_r, 1)))
    return {'a': a, 'KE': KE, 'PE': PE, 'cm': np.mean(mass * vel, 0) / np.mean(mass)}


def upwind(np, u, c=0.5):
    for n in range(4):
        un = u.copy()
        u[1:] = un[1:] - c * (un[1:] - un[:-1])
        u[0] = 1
    T = np.zeros((len(u), len(u)))
    np.fill_diagonal(T, -2)
    T += np.diag(np.ones(len(u) - 1), 1) + np.diag(np.ones(len(u) - 1), k=-1)
    return {'u': u, 'T': T}


def levenshtein(np, a, b):
    n, m = (len(a), len(b))
    D = np.zeros((n + 1, m + 1), dtype=int)
    D[:, 0] = np.arange(n + 1)
    D[0, :] = np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (a[i - 1] != b[j - 1]).astype(int)
            D[i, j] = np.minimum(np.minimum(D[i - 1, j] + 1, D[i, j - 1] + 1), D[i - 1, j - 1] + cost)
    return {'D': D, 'd': D[n, m]}


def finance(np, prices):
    r = prices[1:] / prices[:-1] - 1
    lr = np.diff(np.log(prices), axis=0)
    mu = r.mean(axis=0) * 252
    S = np.cov(r.T) * 252
    w = np.ones(3) / 3
    cum = np.cumprod(1 + r, axis=0)
    dd = 1 - cum / np.maximum.accumulate(cum, axis=0)
    return {'sharpe': w @ mu / np.sqrt(w @ S @ w), 'var': np.percentile(r @ w, 5), 'dd': dd.max(axis=0),
            'vol': lr.std(axis=0, ddof=1), 'corr': np.corrcoef(r, rowvar=False)}


PROGRAMS = {
    lotka_volterra: dict(X0=numpy.array([10.0, 5.0])),
    conv_direct: dict(x=normal(9), h=normal(4)),
    pagerank: dict(M=stochastic(6).T.copy()),
    mandelbrot: {},
    heat2d: dict(u=uniform(7, 8)),
    moving_averages: dict(x=normal(15)),
    conv2d: dict(img=normal(8, 9), K=normal(3, 3)),
    distance_transform: dict(mask=draw.integers(0, 2, (5, 6))),
    schrodinger: dict(psi0=normal(16), V=normal(16)),
    floyd: dict(D=uniform(5, 5)),
    monte_carlo_stats: dict(x=normal(31, 2)),
    ising: dict(s=draw.choice([-1, 1], (6, 6)), u=uniform(6, 6)),
    sieve: {},
    bilinear: dict(img=uniform(6, 7)),
    trapz_simpson: {},
    kalman: dict(zs=normal(4), F=numpy.array([[1, 0.1], [0, 1]]), H=numpy.array([[1.0, 0]]), Qn=numpy.eye(2) * 0.01,
                 Rn=numpy.array([[0.5]])),
    fractions: dict(a=draw.integers(-8, 9, 10)),
    nbody_energy: dict(pos=normal(5, 3), vel=normal(5, 3), mass=uniform(5, 1)),
    upwind: dict(u=uniform(8)),
    levenshtein: dict(a=draw.integers(0, 3, 4), b=draw.integers(0, 3, 5)),
    finance: dict(prices=numpy.exp(normal(20, 3).cumsum(0) * 0.02)),
}
