"""Programs of neural networks as teaching material writes them for NumPy.

Each takes the module as `np`; nothing here was written for Einloom. `PROGRAMS` has what each is given.
"""
import numpy
from taught_inputs import draw, normal, uniform



def lstm(np, xs, Wf, bf):
    H = 4
    h = np.zeros((xs.shape[1], H))
    c = np.zeros((xs.shape[1], H))
    sigmoid = lambda z: 1 / (1 + np.exp(-z))
    hs = []
    for t in range(xs.shape[0]):
        z = np.concatenate((xs[t], h), axis=1) @ Wf + bf
        i, f, o, g = np.split(z, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        hs.append(h)
    return {'hs': np.stack(hs), 'c': c}


def layer_norm(np, x, gamma, beta, eps=1e-05):
    mu = x.mean(axis=-1, keepdims=True)
    sigma = x.var(axis=-1, keepdims=True)
    xhat = (x - mu) / np.sqrt(sigma + eps)
    out = gamma * xhat + beta
    dxhat = out * gamma
    N = x.shape[-1]
    dx = 1.0 / N / np.sqrt(sigma + eps) * (N * dxhat - dxhat.sum(axis=-1, keepdims=True) - xhat
                                           * (dxhat * xhat).sum(-1, keepdims=True))
    return {'o': out, 'dx': dx}


def batch_norm(np, x, gamma, beta):
    mean = np.mean(x, axis=0)
    var = np.var(x, axis=0)
    running = 0.9 * np.zeros(x.shape[1]) + 0.1 * mean
    xn = (x - mean) / np.sqrt(var + 1e-05)
    x4 = x.reshape(-1, 2, 2, 2)
    m4 = x4.mean(axis=(0, 2, 3), keepdims=True)
    s4 = x4.std(axis=(0, 2, 3), keepdims=True)
    return {'y': gamma * xn + beta, 'r': running, 'y4': (x4 - m4) / s4}


def softmax_ce(np, X, y, W):
    scores = X.dot(W)
    scores -= np.max(scores, axis=1, keepdims=True)
    p = np.exp(scores) / np.sum(np.exp(scores), axis=1, keepdims=True)
    N = X.shape[0]
    loss = np.sum(-np.log(p[np.arange(N), y])) / N + 0.5 * 0.1 * np.sum(W * W)
    dscores = p.copy()
    dscores[np.arange(N), y] -= 1
    dscores /= N
    dW = np.dot(X.T, dscores) + 0.1 * W
    return {'loss': loss, 'dW': dW}


def svm_hinge(np, X, y, W):
    N = X.shape[0]
    scores = X.dot(W)
    correct = scores[range(N), y].reshape(N, 1)
    margin = np.maximum(0, scores - correct + 1)
    margin[range(N), y] = 0
    loss = margin.sum() / N
    binary = margin
    binary[margin > 0] = 1
    valid = binary.sum(axis=1)
    binary[range(N), y] -= valid
    dW = X.T.dot(binary) / N
    return {'loss': loss, 'dW': dW}


def adam(np, w, g):
    m = np.zeros_like(w)
    v = np.zeros_like(w)
    for t in range(1, 4):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g ** 2
        w = w - 0.01 * (m / (1 - 0.9 ** t)) / (np.sqrt(v / (1 - 0.999 ** t)) + 1e-08)
    return {'w': w}


def transformer(np, x, Wq, Wk, Wv, Wo):
    B, T, C = x.shape
    H = 2
    q = (x @ Wq).reshape(B, T, H, C // H).transpose(0, 2, 1, 3)
    k = (x @ Wk).reshape(B, T, H, C // H).transpose(0, 2, 1, 3)
    v = (x @ Wv).reshape(B, T, H, C // H).transpose(0, 2, 1, 3)
    att = q @ k.transpose(0, 1, 3, 2) / np.sqrt(C // H)
    mask = np.triu(np.ones((T, T)), k=1).astype(bool)
    att[..., mask] = -1000000000.0
    att = np.exp(att - att.max(-1, keepdims=True))
    att /= att.sum(-1, keepdims=True)
    y = (att @ v).transpose(0, 2, 1, 3).reshape(B, T, C) @ Wo
    pos = np.arange(T)[:, np.newaxis]
    div = np.exp(np.arange(0, C, 2) * -(np.log(10000.0) / C))
    pe = np.zeros((T, C))
    pe[:, 0::2] = np.sin(pos * div)
    pe[:, 1::2] = np.cos(pos * div)
    gelu = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y ** 3)))
    return {'y': y, 'pe': pe, 'gelu': gelu}


def rnn_bptt(np, xs, Wx, Wh, b):
    N, T, D = xs.shape
    H = b.shape[0]
    h = np.zeros((N, T, H))
    prev = np.zeros((N, H))
    for t in range(T):
        prev = np.tanh(xs[:, t, :] @ Wx + prev @ Wh + b)
        h[:, t, :] = prev
    dWx, dWh = (np.zeros_like(Wx), np.zeros_like(Wh))
    db = np.zeros_like(b)
    dprev = np.zeros((N, H))
    for t in range(T)[::-1]:
        dt = (1 - h[:, t] ** 2) * (1.0 + dprev)
        dWx += xs[:, t].T @ dt
        if t > 0:
            dWh += h[:, t - 1].T @ dt
        db += dt.sum(axis=0)
        dprev = dt @ Wh.T
    return {'h': h, 'dWx': dWx, 'dWh': dWh, 'db': db}


def word2vec(np, E, idx, neg):
    center = E[idx]
    pos = E[(idx + 1) % E.shape[0]]
    negs = E[neg]
    positive = 1 / (1 + np.exp(-np.sum(center * pos, axis=1)))
    negative = 1 / (1 + np.exp(np.einsum('nd,nkd->nk', center, negs)))
    loss = -np.log(positive).mean() - np.log(negative).sum(axis=1).mean()
    G = np.zeros_like(E)
    np.add.at(G, idx, center * 0.1)
    return {'loss': loss, 'G': G}


def dropout_relu(np, x, u):
    mask = (u < 0.8) / 0.8
    h = np.maximum(0, x)
    h *= mask
    d = h.copy()
    d[h <= 0] = 0
    return {'h': h, 'd': d, 'l': np.where(x > 0, x, x * 0.01)}


def iou(np, a, b):
    lt = np.maximum(a[:, None, :2], b[:, :2])
    rb = np.minimum(a[:, None, 2:], b[:, 2:])
    wh = np.clip(rb - lt, a_min=0, a_max=None)
    inter = wh[..., 0] * wh[..., 1]
    area = lambda q: np.prod(q[:, 2:] - q[:, :2], axis=1)
    return {'iou': inter / (area(a)[:, None] + area(b) - inter), 'best': inter.argmax(axis=-1)}


PROGRAMS = {
    lstm: dict(xs=normal(3, 2, 5), Wf=normal(9, 16), bf=normal(16)),
    layer_norm: dict(x=normal(3, 4, 8), gamma=normal(8), beta=normal(8)),
    batch_norm: dict(x=normal(10, 8), gamma=normal(8), beta=normal(8)),
    softmax_ce: dict(X=normal(10, 4), y=draw.integers(0, 3, 10), W=normal(4, 3)),
    svm_hinge: dict(X=normal(10, 4), y=draw.integers(0, 3, 10), W=normal(4, 3)),
    adam: dict(w=normal(3, 4), g=normal(3, 4)),
    transformer: dict(x=normal(2, 4, 6), Wq=normal(6, 6), Wk=normal(6, 6), Wv=normal(6, 6), Wo=normal(6, 6)),
    rnn_bptt: dict(xs=normal(2, 3, 4), Wx=normal(4, 5), Wh=normal(5, 5), b=normal(5)),
    word2vec: dict(E=normal(7, 3), idx=draw.integers(0, 7, 6), neg=draw.integers(0, 7, (6, 2))),
    dropout_relu: dict(x=normal(4, 5), u=uniform(4, 5)),
    iou: dict(a=numpy.abs(normal(4, 4)).cumsum(1), b=numpy.abs(normal(3, 4)).cumsum(1)),
}
