"""Machine learning as it is taught with NumPy: each function takes the module, `numpy` or `einloom`, and arrays.

`inputs(random)` of `PROGRAMS` makes the arrays. Nothing here knows which of the two modules computes.
"""


def k_means_step(xp, points, centres):
    """Each point to the nearest centre, each centre to the mean of its points."""
    distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    nearest = xp.argmin(distances, axis=1)
    member = (nearest[:, None] == xp.arange(centres.shape[0])[None, :]).astype(points.dtype)
    count = member.sum(axis=0)
    moved = (member.T @ points) / xp.maximum(count, 1)[:, None]
    return {"nearest": nearest, "centres": moved, "inertia": xp.min(distances, axis=1).sum()}


def principal_component(xp, data, start):
    """PCA: the first component by power iteration on the covariance."""
    centred = data - data.mean(axis=0)
    covariance = centred.T @ centred / (data.shape[0] - 1)
    direction = start
    for _ in range(8):
        direction = covariance @ direction
        direction = direction / xp.linalg.norm(direction)
    return {"direction": direction, "variance": direction @ covariance @ direction, "scores": centred @ direction}


def logistic_regression(xp, X, y, steps=5, rate=0.5):
    """Gradient descent on the logistic loss."""
    w = xp.zeros(X.shape[1])
    b = 0.0 * y.sum()
    for _ in range(steps):
        p = 1 / (1 + xp.exp(-(X @ w + b)))
        error = p - y
        w = w - rate * (X.T @ error) / X.shape[0]
        b = b - rate * xp.mean(error)
    p = 1 / (1 + xp.exp(-(X @ w + b)))
    loss = -xp.mean(y * xp.log(p) + (1 - y) * xp.log(1 - p))
    return {"w": w, "b": b, "loss": loss, "accuracy": xp.mean((p > 0.5) == (y > 0.5))}


def gaussian_mixture_step(xp, data, means, variances, weights):
    """One step of expectation maximisation with diagonal covariances."""
    difference = data[:, None, :] - means[None, :, :]
    log_density = -0.5 * xp.sum(difference ** 2 / variances + xp.log(2 * xp.pi * variances), axis=2)
    log_joint = log_density + xp.log(weights)
    highest = log_joint.max(axis=1, keepdims=True)
    log_total = highest + xp.log(xp.exp(log_joint - highest).sum(axis=1, keepdims=True))
    responsibility = xp.exp(log_joint - log_total)
    mass = responsibility.sum(axis=0)
    new_means = (responsibility.T @ data) / mass[:, None]
    spread = xp.einsum("nk,nkd->kd", responsibility, (data[:, None, :] - new_means) ** 2)
    return {"means": new_means, "variances": spread / mass[:, None], "weights": mass / data.shape[0],
            "log_likelihood": log_total.sum()}


def attention(xp, queries, keys, values):
    """Scaled dot-product attention of several heads with a causal mask."""
    length, width = queries.shape[1:]
    scores = queries @ xp.swapaxes(keys, -1, -2) / xp.sqrt(width)
    position = xp.arange(length)
    scores = xp.where(position[:, None] >= position[None, :], scores, -xp.inf)
    weights = xp.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return {"weights": weights, "output": weights @ values}


def convolution_im2col(xp, images, kernels, bias):
    """A convolution as a product with patches, a ReLU and 2 x 2 max pooling."""
    count, channels, height, width = images.shape
    filters, _, rows, columns = kernels.shape
    out_height, out_width = height - rows + 1, width - columns + 1
    patches = xp.stack([images[:, :, i:i + out_height, j:j + out_width]
                        for i in range(rows) for j in range(columns)], axis=2)
    patches = patches.reshape(count, channels * rows * columns, out_height * out_width)
    product = kernels.reshape(filters, -1) @ patches + bias[:, None]
    active = xp.maximum(product, 0).reshape(count, filters, out_height, out_width)
    pooled = active.reshape(count, filters, out_height // 2, 2, out_width // 2, 2).max(axis=(3, 5))
    return {"active": active, "pooled": pooled}


def two_layer_network(xp, X, y, W1, W2):
    """A step of back-propagation, written out by hand."""
    hidden = xp.tanh(X @ W1)
    logits = hidden @ W2
    shifted = xp.exp(logits - logits.max(axis=1, keepdims=True))
    p = shifted / shifted.sum(axis=1, keepdims=True)
    loss = -xp.mean(xp.log(p[xp.arange(X.shape[0]), y]))
    target = (y[:, None] == xp.arange(W2.shape[1])).astype(X.dtype)
    d_logits = (p - target) / X.shape[0]
    d_hidden = (d_logits @ W2.T) * (1 - hidden ** 2)
    return {"loss": loss, "W1": W1 - 0.1 * X.T @ d_hidden, "W2": W2 - 0.1 * hidden.T @ d_logits,
            "predicted": xp.argmax(logits, axis=1)}


def nearest_neighbours(xp, train, labels, queries):
    """Classification by the nearest neighbour, with the expanded square."""
    squared = (queries ** 2).sum(axis=1)[:, None] + (train ** 2).sum(axis=1)[None, :] - 2 * queries @ train.T
    return {"label": labels[xp.argmin(squared, axis=1)], "distance": xp.sqrt(xp.maximum(squared.min(axis=1), 0))}


def naive_bayes(xp, X, y, queries, classes=3):
    """Gaussian naive Bayes: means and variances of each class, then the likeliest class."""
    member = (y[None, :] == xp.arange(classes)[:, None]).astype(X.dtype)
    count = member.sum(axis=1)
    mean = member @ X / count[:, None]
    variance = member @ X ** 2 / count[:, None] - mean ** 2
    log_likelihood = -0.5 * (xp.log(2 * xp.pi * variance).sum(axis=1)
                             + ((queries[:, None, :] - mean) ** 2 / variance).sum(axis=2))
    posterior = log_likelihood + xp.log(count / y.shape[0])
    return {"posterior": posterior, "label": posterior.argmax(axis=1)}


def matrix_factorization(xp, V, W, H):
    """Non-negative factors by Lee's and Seung's multiplicative updates."""
    for _ in range(4):
        H = H * (W.T @ V) / (W.T @ W @ H + 1e-9)
        W = W * (V @ H.T) / (W @ H @ H.T + 1e-9)
    return {"W": W, "H": H, "error": xp.linalg.norm(V - W @ H)}


def lstm_cell(xp, x, h, c, W, U, b):
    """A step of a long short-term memory."""
    gates = x @ W + h @ U + b
    i, f, o, g = xp.split(gates, 4, axis=1)
    i, f, o = 1 / (1 + xp.exp(-i)), 1 / (1 + xp.exp(-f)), 1 / (1 + xp.exp(-o))
    c = f * c + i * xp.tanh(g)
    return {"c": c, "h": o * xp.tanh(c)}


def cosine_similarity(xp, documents, query):
    """tf-idf weights of counted words, and the documents that are nearest to a query."""
    frequency = documents / documents.sum(axis=1, keepdims=True)
    weights = frequency * xp.log(documents.shape[0] / (1 + xp.count_nonzero(documents, axis=0)))
    unit = weights / xp.sqrt((weights ** 2).sum(axis=1, keepdims=True))
    similarity = unit @ query / xp.linalg.norm(query)
    return {"similarity": similarity, "best": xp.argmax(similarity)}


def _mixture(random):
    return dict(data=random.normal(size=(40, 3)), means=random.normal(size=(4, 3)),
                variances=random.uniform(0.5, 2, (4, 3)), weights=random.dirichlet([1, 1, 1, 1]))


PROGRAMS = {
    k_means_step: lambda random: dict(points=random.normal(size=(60, 3)), centres=random.normal(size=(5, 3))),
    principal_component: lambda random: dict(data=random.normal(size=(50, 6)), start=random.normal(size=6)),
    logistic_regression: lambda random: dict(X=random.normal(size=(40, 5)),
                                             y=random.integers(0, 2, 40).astype(float)),
    gaussian_mixture_step: _mixture,
    attention: lambda random: dict(zip(("queries", "keys", "values"), random.normal(size=(3, 4, 12, 8)))),
    convolution_im2col: lambda random: dict(images=random.normal(size=(2, 3, 8, 8)),
                                            kernels=random.normal(size=(4, 3, 3, 3)), bias=random.normal(size=4)),
    two_layer_network: lambda random: dict(X=random.normal(size=(30, 8)), y=random.integers(0, 4, 30),
                                           W1=random.normal(size=(8, 10)), W2=random.normal(size=(10, 4))),
    nearest_neighbours: lambda random: dict(train=random.normal(size=(50, 4)), labels=random.integers(0, 3, 50),
                                            queries=random.normal(size=(12, 4))),
    naive_bayes: lambda random: dict(X=random.normal(size=(60, 4)), y=random.integers(0, 3, 60),
                                     queries=random.normal(size=(9, 4))),
    matrix_factorization: lambda random: dict(V=random.uniform(size=(12, 10)), W=random.uniform(size=(12, 3)),
                                              H=random.uniform(size=(3, 10))),
    lstm_cell: lambda random: dict(x=random.normal(size=(6, 5)), h=random.normal(size=(6, 7)),
                                   c=random.normal(size=(6, 7)), W=random.normal(size=(5, 28)),
                                   U=random.normal(size=(7, 28)), b=random.normal(size=28)),
    cosine_similarity: lambda random: dict(documents=random.integers(1, 6, (15, 20)).astype(float)
                                           * (random.uniform(size=(15, 20)) < 0.4) + 1e-3,
                                           query=random.uniform(size=20)),
}
