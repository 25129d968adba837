"""The parts of digits.sh that are not shell: its data, its graph, and what it reports of the results.

Of the standard library alone; `compare` looks for scikit-learn, and says so where there is none.
    digits.py find                               the digits.csv.gz of an installed scikit-learn
    digits.py prepare CSV.GZ WORK STEPS SEED     X_train.npy, ..., digits.json in WORK
    digits.py report WORK                        the loss curve, as a chart and as results/loss_curve.csv;
                                                 accuracies; costs
    digits.py compare WORK                       scikit-learn on the same split; exit 1 when ours is worse by more
                                                 than 0.01
"""
import array
import ast
import gzip
import importlib.util
import json
import math
import pathlib
import random
import struct
import sys

PIXELS, HIDDEN, CLASSES = 64, 64, 10
TRAIN = 1437  # of 1797 images; the other 360 are the test
BATCH = 200  # scikit-learn's
WORSE_AT_MOST = 0.01
NPY_CODES = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q"}  # of numpy, and of the array module


def write_npy(path, descr, shape, elements):
    """An .npy file, version 1.0: the magic, the header's length, the header padded to 64 bytes, elements in C order."""
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin1"))
        array.array(NPY_CODES[descr], elements).tofile(file)


def read_npy(path):
    """The elements of an .npy file that einrun wrote, flat."""
    content = path.read_bytes()
    begin = 10 + struct.unpack("<H", content[8:10])[0]
    elements = array.array(NPY_CODES[ast.literal_eval(content[10:begin].decode("latin1"))["descr"]])
    elements.frombytes(content[begin:])
    return elements


def installed_digits():
    """Where scikit-learn keeps its digits, without importing it; None where it is not installed."""
    package = importlib.util.find_spec("sklearn")
    for folder in package.submodule_search_locations if package else []:
        file = pathlib.Path(folder) / "datasets" / "data" / "digits.csv.gz"
        if file.exists():
            return file
    return None


def read_digits(path):
    """The rows of digits.csv.gz: 64 pixels of 0 to 16, then the digit."""
    with gzip.open(path, "rt") as file:
        rows = [[int(cell) for cell in line.split(",")] for line in file if line.strip()]
    if len(rows) <= TRAIN or any(len(row) != PIXELS + 1 for row in rows):
        sys.exit(f"digits.py: {path}: expected more than {TRAIN} rows of {PIXELS + 1} numbers, found {len(rows)} rows"
                 f" of {sorted({len(row) for row in rows})}; give the digits.csv.gz of scikit-learn")
    return rows


def write_split(rows, seed, work):
    """X_*.npy, f32 [image, pixel] from 0 to 1, and y_*.npy, i32 [image]. Returns how many images each part has."""
    random.Random(seed).shuffle(rows)
    parts = {"train": rows[:TRAIN], "test": rows[TRAIN:]}
    for name, part in parts.items():
        write_npy(work / f"X_{name}.npy", "<f4", (len(part), PIXELS),
                  (pixel / 16 for row in part for pixel in row[:-1]))
        write_npy(work / f"y_{name}.npy", "<i4", (len(part),), (row[-1] for row in part))
    return {name: len(part) for name, part in parts.items()}


def tensors(images, steps, seed):
    """Data and the state at the beginning: random weights as scikit-learn draws them (Glorot's), all else 0."""
    def uniform(shape, number):
        bound = round(math.sqrt(6 / sum(shape)), 4)
        return {"shape": shape, "data": {"random": "uniform", "low": -bound, "high": bound, "seed": 2 * seed + number}}

    def zeros(shape):
        return {"shape": shape, "data": {"fill": 0}}

    shapes = {"W1": [PIXELS, HIDDEN], "b1": [HIDDEN], "W2": [HIDDEN, CLASSES], "b2": [CLASSES]}
    declared = {}
    for part, count in images.items():
        declared[f"X_{part}"] = {"shape": [count, PIXELS], "data": {"npy": f"X_{part}.npy"}}
        declared[f"y_{part}"] = {"shape": [count], "dtype": "i32", "data": {"npy": f"y_{part}.npy"}}
    declared |= {"W1": uniform(shapes["W1"], 0), "W2": uniform(shapes["W2"], 1), "b1": zeros(shapes["b1"]),
                 "b2": zeros(shapes["b2"])}
    declared |= {f"{moment}_{name}": zeros(shape) for moment in "mv" for name, shape in shapes.items()}
    return declared | {"step": {"shape": [], "dtype": "i32", "data": {"fill": 0}}, "curve": zeros([steps])}


def network(part, weights=""):
    """Nodes that give logits_PART, [n, class], of the images X_PART; weights are read by their names behind a
    prefix."""
    return [
        {"name": f"hidden_{part}_in", "einsum": "n pixel, pixel h -> n h", "inputs": [f"X_{part}", weights + "W1"]},
        {"name": f"hidden_{part}", "einsum": "n h, h -> n h", "inputs": [f"hidden_{part}_in", weights + "b1"],
         "join": "relu(x + y)"},
        {"name": f"logits_{part}_in", "einsum": "n h, h class -> n class",
         "inputs": [f"hidden_{part}", weights + "W2"]},
        {"name": f"logits_{part}", "einsum": "n class, class -> n class",
         "inputs": [f"logits_{part}_in", weights + "b2"], "join": "x + y"}]


def adam(name, labels):
    """A step of Adam for one tensor, as in Kingma and Ba, with scikit-learn's numbers: the mean m of its gradients,
    the mean v of their squares, both corrected for having begun at 0. `rate` is the corrected rate of this step."""
    elements = f"{labels}, {labels} -> {labels}"
    return [
        {"name": f"m_{name}_next", "einsum": elements, "inputs": [f"m_{name}", f"g/{name}"],
         "join": "beta1*x + (1 - beta1)*y"},
        {"name": f"v_{name}_next", "einsum": elements, "inputs": [f"v_{name}", f"g/{name}"],
         "join": "beta2*x + (1 - beta2)*y*y"},
        {"name": f"{name}_next", "einsum": f"{labels}, {labels}, {labels}, -> {labels}",
         "inputs": [name, f"m_{name}_next", f"v_{name}_next", "rate"], "join": "x0 - x3*x1/(sqrt(x2) + epsilon)"}]


def training(images, steps):
    """The loop: an iteration is a step of Adam over a batch, the next images in a ring. It writes its loss, that of the
    weights that it began with, into its place of the curve."""
    labels = {"W1": "pixel h", "b1": "h", "W2": "h class", "b2": "class"}
    body = [
        {"name": "batch", "einsum": "->n", "inputs": ["step"], "sizes": {"n": BATCH},
         "join": f"mod({BATCH}*x + [n], {images})"},
        {"name": "X_batch", "op": "gather", "inputs": ["X_train", "batch"]},
        {"name": "y_batch", "op": "gather", "inputs": ["y_train", "batch"]}]
    body += network("batch") + [
        {"name": "log_p", "op": "log_softmax", "inputs": ["logits_batch"], "axes": [1]},
        {"name": "target", "op": "one_hot", "inputs": ["y_batch"], "depth": CLASSES},
        {"name": "loss", "einsum": "n class, n class ->", "inputs": ["log_p", "target"], "join": f"-x*y/{BATCH}"},
        {"name": "g", "grad": {"of": "loss", "wrt": list(labels)}},
        {"name": "step_next", "einsum": "->", "inputs": ["step"], "join": "x + 1"},
        {"name": "rate", "einsum": "->", "inputs": ["step_next"],
         "join": "eta*sqrt(1 - pow(beta2, x))/(1 - pow(beta1, x))", "dtype": "f32"}]
    for name, own in labels.items():
        body += adam(name, own)
    body.append({"name": "curve_next", "einsum": "t,,->t", "inputs": ["curve", "step", "loss"],
                 "join": "where([t] == y, z, x)", "dtype": "f32"})
    carried = [*labels, *(f"{moment}_{name}" for moment in "mv" for name in labels), "step", "curve"]
    carry = {name: f"{name}_next" for name in carried}
    return {"name": "train", "loop": {"times": steps, "carry": carry, "body": body}}


def evaluation(part, images):
    """Nodes that give the digits that the trained network sees in the images X_PART, and the share that is right."""
    return network(part, "train/") + [
        {"name": f"predictions_{part}", "einsum": "n class -> n", "inputs": [f"logits_{part}"], "agg": "argmax"},
        {"name": f"accuracy_{part}", "einsum": "n, n ->", "inputs": [f"predictions_{part}", f"y_{part}"],
         "join": f"(x == y)/{images}",
         "dtype": "f32"}]


def graph(images, steps, seed):
    nodes = [training(images["train"], steps), {"name": "loss_curve", "einsum": "t->t", "inputs": ["train/curve"]}]
    for part, count in images.items():
        nodes += evaluation(part, count)
    return {"eingraph": 1, "name": "digits", "dtype": "f32",
            "x-about": f"Digits of 8 x 8 pixels: a layer of {HIDDEN} relu units, trained by {steps} steps of Adam "
                       f"over batches of {BATCH}",
            "params": {"eta": 0.003, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8},
            "tensors": tensors(images, steps, seed), "nodes": nodes,
            "outputs": ["loss_curve", "predictions_test", "accuracy_test", "accuracy_train"]}


def prepare(csv, work, steps, seed):
    images = write_split(read_digits(csv), seed, work)
    (work / "digits.json").write_text(json.dumps(graph(images, steps, seed), indent=1) + "\n")


def told_steps(count):
    """Steps to print: 0, 1, 2, 5, 10, 20, 50, ... and the last."""
    steps = {0, count - 1} | {digit * 10**power for power in range(len(str(count))) for digit in (1, 2, 5)}
    return sorted(step for step in steps if step < count)


def print_curve(losses):
    """A line for some steps: the step, its loss, and a bar as long as the loss's logarithm above a thousandth of the
    largest."""
    top = max(losses)
    print("    step      loss")
    for step in told_steps(len(losses)):
        decades = math.log10(max(losses[step] / top, 1e-3)) + 3 if top > 0 else 0
        print(f"{step:8}  {losses[step]:8.5f}  {'#' * round(16 * decades)}")


def accuracy(work, part):
    return read_npy(work / "results" / f"accuracy_{part}.npy")[0]


def report_results(work):
    losses = read_npy(work / "results" / "loss_curve.npy")
    table = work / "results" / "loss_curve.csv"
    table.write_text("step,loss\n" + "".join(f"{step},{loss:.7g}\n" for step, loss in enumerate(losses)))
    print_curve(losses)
    report = json.loads((work / "report.json").read_text())
    tasks = sum(kind["count"] for kind in report["tasks"].values())
    print(f"\nloss curve      {table.with_suffix('.npy')}, {table.name} beside it (the bars are logarithmic)")
    print(f"run             {report['ranks']} ranks, {report['seconds']['execute']:.3g} s, {report['bytes_sent']} "
          f"bytes moved, {tasks} tasks")
    print(f"accuracy train  {accuracy(work, 'train'):.4f}")
    print(f"accuracy test   {accuracy(work, 'test'):.4f}")


def scikit_learn_accuracy(work):
    """That of scikit-learn's network of as many hidden units, on the same images; None where it is not installed."""
    try:
        import numpy
        from sklearn.neural_network import MLPClassifier
    except ImportError:
        return None
    data = {name: numpy.load(work / f"{name}.npy") for name in ("X_train", "y_train", "X_test", "y_test")}
    theirs = MLPClassifier(hidden_layer_sizes=(HIDDEN,), random_state=0, max_iter=2000)
    return theirs.fit(data["X_train"], data["y_train"]).score(data["X_test"], data["y_test"])


def compare(work):
    theirs = scikit_learn_accuracy(work)
    if theirs is None:
        print("scikit-learn    not installed, so not compared")
        return 0
    print(f"scikit-learn    {theirs:.4f} of the same test images (MLPClassifier, {HIDDEN} hidden units)")
    ours = accuracy(work, "test")
    if theirs - ours <= WORSE_AT_MOST + 1e-6:  # f32
        return 0
    print(f"digits.py: expected an accuracy of at least {theirs - WORSE_AT_MOST:.4f}, found {ours:.4f}; "
          "take more --steps", file=sys.stderr)
    return 1


def main(command, *arguments):
    if command == "find":
        print(installed_digits() or "")
    elif command == "prepare":
        csv, work, steps, seed = arguments
        prepare(csv, pathlib.Path(work), int(steps), int(seed))
    elif command == "report":
        report_results(pathlib.Path(*arguments))
    elif command == "compare":
        return compare(pathlib.Path(*arguments))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(*(sys.argv[1:] or ["help"])))
