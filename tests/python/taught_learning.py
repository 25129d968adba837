"""Programs of statistics and machine learning as teaching material writes them for NumPy.

Each takes the module as `np`; nothing here was written for Einloom. `PROGRAMS` has what each is given.
"""
import numpy
from taught_inputs import draw, normal, stochastic, symmetric



def power_iteration(np, A):
    b_k = np.ones(A.shape[1])
    for _ in range(15):
        b_k1 = np.dot(A, b_k)
        b_k1_norm = np.linalg.norm(b_k1)
        b_k = b_k1 / b_k1_norm
    return {'v': b_k, 'lam': b_k.T @ A @ b_k / (b_k.T @ b_k)}


def gram_schmidt(np, A):
    n = A.shape[1]
    Q = np.zeros_like(A)
    R = np.zeros((n, n))
    for j in range(n):
        v = A[:, j].copy()
        for i in range(j):
            R[i, j] = Q[:, i] @ A[:, j]
            v -= R[i, j] * Q[:, i]
        R[j, j] = np.linalg.norm(v)
        Q[:, j] = v / R[j, j]
    return {'Q': Q, 'R': R}


def markov_stationary(np, P):
    n = P.shape[0]
    pi = np.full(n, 1.0 / n)
    for _ in range(20):
        pi = pi @ P
    A = np.vstack([P.T - np.eye(n), np.ones((1, n))])
    b = np.append(np.zeros(n), 1.0)
    x = np.linalg.solve(A.T @ A, A.T @ b)
    return {'pi': pi, 'x': x, 'Pn': np.linalg.matrix_power(P, 8)}


def knn(np, X_train, y_train, X_test, k=3):
    dists = np.sqrt(-2 * np.dot(X_test, X_train.T) + np.sum(X_test ** 2, axis=1, keepdims=True)
                    + np.sum(X_train ** 2, axis=1))
    idx = np.argsort(dists, axis=1)[:, :k]
    votes = y_train[idx]
    counts = np.sum(votes[:, :, np.newaxis] == np.arange(3), axis=1)
    return {'d': dists, 'idx': idx, 'pred': np.argmax(counts, axis=1)}


def gaussian_nb(np, X, y, Xq):
    classes = range(3)
    log_post = []
    for c in classes:
        X_c = X[y == c]
        mu = X_c.mean(axis=0)
        var = X_c.var(axis=0)
        prior = np.log(X_c.shape[0] / float(X.shape[0]))
        log_post.append(prior - 0.5 * np.sum(np.log(2.0 * np.pi * var)) - 0.5 * np.sum((Xq - mu) ** 2 / var, axis=1))
    L = np.array(log_post).T
    return {'L': L, 'c': L.argmax(1)}


def ridge(np, X, y, lam=0.7):
    n, d = X.shape
    Xb = np.c_[np.ones(n), X]
    w = np.linalg.inv(Xb.T.dot(Xb) + lam * np.identity(d + 1)).dot(Xb.T).dot(y)
    A = Xb.T @ Xb + lam * np.eye(d + 1)
    b = Xb.T @ y
    x = np.zeros(d + 1)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for _ in range(d + 1):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        rs_new = r @ r
        p = r + rs_new / rs * p
        rs = rs_new
    mse = np.mean(np.square(y - Xb @ w))
    r2 = 1 - np.sum((y - Xb @ w) ** 2) / np.sum((y - np.mean(y)) ** 2)
    return {'w': w, 'x': x, 'mse': mse, 'r2': r2}


def viterbi(np, A, B, pi, obs):
    T, N = (len(obs), A.shape[0])
    delta = np.zeros((T, N))
    psi = np.zeros((T, N), dtype=int)
    delta[0] = np.log(pi) + np.log(B[:, obs[0]])
    for t in range(1, T):
        scores = delta[t - 1][:, None] + np.log(A)
        psi[t] = np.argmax(scores, axis=0)
        delta[t] = np.max(scores, axis=0) + np.log(B[:, obs[t]])
    path = np.zeros(T, dtype=int)
    path[-1] = np.argmax(delta[-1])
    for t in range(T - 2, -1, -1):
        path[t] = psi[t + 1, path[t + 1]]
    return {'delta': delta, 'psi': psi, 'path': path}


def svd_power(np, A, k=2):
    sig = []
    U = []
    B = A.copy()
    for _ in range(k):
        v = np.ones(A.shape[1]) / np.sqrt(A.shape[1])
        for _ in range(20):
            v = B.T @ (B @ v)
            v = v / np.linalg.norm(v)
        s = np.linalg.norm(B @ v)
        u = B @ v / s
        B = B - s * np.outer(u, v)
        sig.append(s)
        U.append(u)
    return {'s': np.array(sig), 'U': np.column_stack(U), 'n': np.linalg.norm(B, 'fro')}


def perceptron(np, X, y):
    w = np.zeros(X.shape[1])
    b = 0.0
    for i in range(len(X)):
        pred = np.where(X[i] @ w + b >= 0, 1, -1)
        update = 0.1 * (y[i] - pred)
        w = w + update * X[i]
        b = b + update
    return {'w': w, 'b': b}


def histogram_one_hot(np, x, labels):
    one_hot = np.eye(5)[labels]
    hist, edges = np.histogram(x, bins=6, range=(-3, 3))
    return {'oh': one_hot, 'counts': one_hot.sum(axis=0), 'h': hist, 'e': edges,
            'bc': np.bincount(labels, minlength=5), 'dens': np.histogram(x, bins=6, range=(-3, 3), density=True)[0]}


def tfidf(np, counts):
    tf = counts / counts.sum(axis=1, keepdims=True)
    df = np.count_nonzero(counts, axis=0)
    idf = np.log(counts.shape[0] / (1 + df)) + 1
    tfidf = tf * idf
    tfidf /= np.linalg.norm(tfidf, axis=1, keepdims=True)
    sim = tfidf @ tfidf.T
    return {'t': tfidf, 'sim': sim, 'top': np.argsort(tfidf, axis=1, kind='stable')[:, -3:]}


def polynomial_fit(np, x, y, deg=3):
    V = np.vander(x, deg + 1)
    c = np.linalg.solve(V.T @ V, V.T @ y)
    c2 = np.polyfit(x, y, deg)
    c3 = np.linalg.lstsq(V, y, rcond=None)[0]
    fit = np.polyval(c, x)
    return {'c': c, 'c2': c2, 'c3': c3, 'fit': fit, 'res': np.sum((fit - y) ** 2)}


def logreg(np, X, y, lr=0.1):
    w = np.zeros((X.shape[1], 1))
    b = 0.0
    m = X.shape[0]
    y = y.reshape(-1, 1)
    costs = []
    for i in range(5):
        A = 1.0 / (1.0 + np.exp(-(np.dot(X, w) + b)))
        cost = -1 / m * np.sum(y * np.log(A) + (1 - y) * np.log(1 - A))
        dw = 1 / m * np.dot(X.T, A - y)
        db = 1 / m * np.sum(A - y)
        w = w - lr * dw
        b = b - lr * db
        costs.append(np.squeeze(cost))
    pred = (A > 0.5).astype(int)
    return {'w': w, 'b': b, 'costs': np.array(costs), 'acc': np.mean(pred == y)}


def k_medoids(np, X, medoid_idx):
    D = np.abs(X[:, np.newaxis] - X).sum(-1)
    labels = np.argmin(D[:, medoid_idx], axis=1)
    cost = np.sum(np.min(D[:, medoid_idx], axis=1))
    new = []
    for k in range(3):
        mask = labels == k
        inside = np.where(mask[:, None] & mask[None, :], D, 0).sum(axis=1)
        inside = np.where(mask, inside, np.inf)
        new.append(np.argmin(inside))
    return {'lab': labels, 'cost': cost, 'new': np.array(new)}


def kmeans_full(np, X, centroids):
    for _ in range(3):
        distances = np.linalg.norm(X[:, None] - centroids, axis=2)
        labels = np.argmin(distances, axis=1)
        centroids = np.array([X[labels == k].mean(axis=0) for k in range(3)])
    inertia = (distances.min(axis=1) ** 2).sum()
    return {'c': centroids, 'l': labels, 'i': inertia}


def pca_cov(np, X):
    Xc = X - X.mean(axis=0)
    C = np.cov(Xc, rowvar=False)
    corr = np.corrcoef(X.T)
    return {'C': C, 'corr': corr, 'z': (X - X.mean(0)) / X.std(0, ddof=1)}


def qlearning(np, Q, s, a, r, s2):
    alpha, gamma = (0.5, 0.9)
    for t in range(len(r)):
        Q[s[t], a[t]] += alpha * (r[t] + gamma * np.max(Q[s2[t]]) - Q[s[t], a[t]])
    returns = np.zeros(len(r))
    G = 0
    for t in reversed(range(len(r))):
        G = r[t] + gamma * G
        returns[t] = G
    return {'Q': Q, 'policy': np.argmax(Q, axis=1), 'ret': returns}


def value_iteration(np, P, R):
    V = np.zeros(P.shape[1])
    for _ in range(10):
        Q = R + 0.9 * P.dot(V)
        V = np.max(Q, axis=0)
    return {'V': V, 'pi': np.argmax(Q, axis=0)}


def gp(np, Xt, yt, Xs):

    def kern(a, b):
        sqdist = np.sum(a ** 2, 1).reshape(-1, 1) + np.sum(b ** 2, 1) - 2 * np.dot(a, b.T)
        return np.exp(-0.5 * sqdist)
    K = kern(Xt, Xt) + 0.01 * np.eye(len(Xt))
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, yt))
    Ks = kern(Xt, Xs)
    mu = Ks.T.dot(alpha)
    v = np.linalg.solve(L, Ks)
    var = np.diag(kern(Xs, Xs)) - np.sum(v ** 2, axis=0)
    return {'mu': mu, 'var': var, 'lml': -np.sum(np.log(np.diagonal(L))), 'sld': np.linalg.slogdet(K)[1]}


def em_coin(np, heads, n=10):
    theta = np.array([0.6, 0.5])
    for _ in range(4):
        ll = heads[:, None] * np.log(theta) + (n - heads[:, None]) * np.log(1 - theta)
        ll -= ll.max(axis=1, keepdims=True)
        w = np.exp(ll)
        w /= w.sum(axis=1)[:, None]
        theta = (w * heads[:, None]).sum(0) / (w * n).sum(0)
    return {'theta': theta, 'w': w}


PROGRAMS = {
    power_iteration: dict(A=symmetric(5)),
    gram_schmidt: dict(A=normal(6, 4)),
    markov_stationary: dict(P=stochastic(5)),
    knn: dict(X_train=normal(15, 3), y_train=draw.integers(0, 3, 15), X_test=normal(6, 3)),
    gaussian_nb: dict(X=normal(30, 3), y=draw.integers(0, 3, 30), Xq=normal(6, 3)),
    ridge: dict(X=normal(20, 4), y=normal(20)),
    viterbi: dict(A=stochastic(3), B=stochastic(3, 4), pi=numpy.array([0.5, 0.3, 0.2]), obs=draw.integers(0, 4, 6)),
    svd_power: dict(A=normal(6, 4)),
    perceptron: dict(X=normal(12, 3), y=draw.choice([-1, 1], 12)),
    histogram_one_hot: dict(x=normal(40), labels=draw.integers(0, 5, 20)),
    tfidf: dict(counts=draw.integers(0, 6, (6, 9)) + numpy.eye(6, 9, dtype=int)),
    polynomial_fit: dict(x=normal(20), y=normal(20)),
    logreg: dict(X=normal(15, 4), y=draw.integers(0, 2, 15)),
    k_medoids: dict(X=normal(15, 2), medoid_idx=[1, 5, 9]),
    kmeans_full: dict(X=normal(20, 2), centroids=normal(3, 2)),
    pca_cov: dict(X=normal(12, 4)),
    qlearning: dict(Q=numpy.zeros((4, 2)), s=draw.integers(0, 4, 5), a=draw.integers(0, 2, 5), r=normal(5),
                    s2=draw.integers(0, 4, 5)),
    value_iteration: dict(P=numpy.stack([stochastic(4), stochastic(4)]), R=normal(2, 4)),
    gp: dict(Xt=normal(6, 2), yt=normal(6), Xs=normal(4, 2)),
    em_coin: dict(heads=draw.integers(0, 11, 6)),
}
