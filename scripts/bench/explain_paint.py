#!/usr/bin/env python3
"""How long a browser takes to show the page of `einplan --explain=html`, and to draw it anew when it is used.

    explain_paint.py [--bin build/bin] [--browser chromium] [--runs 5] [--shots FOLDER] [GRAPH.json ...]

Without graphs: one node, 12 nodes, and 400 and 5000 both of repeated layers and all unlike. Each page is opened in a
headless Chromium, in a fresh profile each time; medians in milliseconds since the navigation began:

    paint    first paint: the browser's own entry `first-paint`, and `first-contentful-paint`
    ready    the script has run: everything can be clicked
    all      from a click on "Unfold all" until every node is laid out and drawn (0 where nothing repeats)
    search   from a letter typed until what matches is drawn
    frame    drawing one frame of the whole graph, as while it is dragged

--shots writes pictures of every page, light and dark, also unfolded and with the critical path's middle chosen.
"""
import argparse
import http.server
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import tempfile
import threading

INPUTS = {name: {"shape": [64, 64], "data": {"random": "normal", "seed": seed}} for seed, name in enumerate("xw")}


def write(folder, name, nodes, outputs):
    path = folder / (name + ".json")
    path.write_text(json.dumps({"eingraph": 1, "name": name, "dtype": "f32", "tensors": INPUTS,
                                "nodes": nodes, "outputs": outputs}))
    return path


def layered(folder, name, count):
    """Layers of ten nodes, each like attention followed by a product and a residual."""
    nodes, last = [], "x"

    def node(suffix, einsum, *inputs, **more):
        nodes.append({"name": prefix + suffix, "einsum": einsum, "inputs": list(inputs), **more})
        return prefix + suffix
    for layer in range(count // 10):
        prefix = f"layer{layer}/"
        q = node("q", "ij,jk->ik", last, "w")
        k = node("k", "ij,jk->ik", last, "w")
        s = node("s", "ik,jk->ij", q, k)
        m = node("m", "ij->i", s, agg="max")
        e = node("e", "ij,i->ij", s, m, join="exp(x-y)")
        t = node("t", "ij->i", e)
        p = node("p", "ij,i->ij", e, t, join="x/y")
        v = node("v", "ij,jk->ik", p, last)
        o = node("o", "ij,jk->ik", v, "w")
        last = node("r", "ij,ij->ij", o, last, join="x+y")
    return write(folder, name, nodes, [last])


def unlike(folder, name, count):
    """Nodes of four kinds that read any of the twelve before them."""
    draw, nodes, names, read = random.Random(1), [], ["x", "w"], set()
    for number in range(count):
        a, b = draw.choice(names[-12:]), draw.choice(names[-12:])
        einsum, join, inputs = draw.choice([("ij,jk->ik", "x*y", [a, b]),
                                            ("ij,ij->ij", draw.choice(["x+y", "x-y", "max(x,y)"]), [a, b]),
                                            ("ij->ij", draw.choice(["tanh(x)", "exp(x)", "abs(x)", "x+1"]), [a]),
                                            ("ij->ji", "x", [a])])
        nodes.append({"name": f"n{number}", "einsum": einsum, "join": join, "inputs": inputs})
        read.update(inputs)
        names.append(f"n{number}")
    return write(folder, name, nodes, [name for name in names[2:] if name not in read])


def standard_graphs(folder):
    return [write(folder, "1 node", [{"name": "y", "einsum": "ij,jk->ik", "inputs": ["x", "w"]}], ["y"]),
            unlike(folder, "12 nodes", 12), layered(folder, "400 in layers", 400),
            unlike(folder, "400 unlike", 400), layered(folder, "5000 in layers", 5000),
            unlike(folder, "5000 unlike", 5000)]


# Runs behind the page's own script, and uses what a reader would: clicks, letters, frames.
PROBE = """<script>
(() => {
  const ready = performance.now(), frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const timed = async act => {
    const begin = performance.now();
    act();
    await frame();
    return performance.now() - begin;
  };
  const painted = () => new Promise(done => {
    const look = () => performance.getEntriesByType("paint").length < 2 ? setTimeout(look, 5) : done();
    look();
  });
  (async () => {
    await painted();
    const told = {ready};
    for (const entry of performance.getEntriesByType("paint")) told[entry.name] = entry.startTime;
    await frame();
    const unfolds = !document.getElementById("unfold").hidden;
    told.all = unfolds ? await timed(() => document.getElementById("unfold").click()) : 0;
    const field = document.getElementById("search");
    field.value = "n1";
    told.search = await timed(() => field.dispatchEvent(new Event("input")));
    field.value = "";
    field.dispatchEvent(new Event("input"));
    document.getElementById("fit").click();
    await frame();
    const begin = performance.now();
    draw();
    told.frame = performance.now() - begin;
    fetch("/told", {method: "POST", body: JSON.stringify(told)});
  })();
})();
</script>
</body>"""

SHOTS = {"": "", "chosen": "choose(path.length ? path[path.length >> 1] : 0);", "table": "showTable(true);",
         "unfolded": "unfold(true); showAll();", "search": "at('search').value = 'q'; search(); showAll();"}


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.server.page if self.path == "/page.html" else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.server.told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.done.set()

    def log_message(self, *_):
        pass


def browse(browser, profile, *options):
    return [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
            "--window-size=1440,900", f"--user-data-dir={profile}", *options]


def measure(server, browser, page):
    server.page, server.told = page.replace("</body>", PROBE).encode(), None
    server.done.clear()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        shown = subprocess.Popen(browse(browser, profile, "--remote-debugging-port=0",
                                        f"http://127.0.0.1:{server.server_port}/page.html"),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            if not server.done.wait(120):
                raise SystemExit("explain_paint.py: expected figures within 120 s, found none; try another --browser")
        finally:
            os.killpg(shown.pid, signal.SIGKILL)  # the browser and what it started
            shown.wait()
    return server.told


def shoot(browser, page, folder, name):
    for theme in ("light", "dark"):
        for what, act in SHOTS.items():
            script = f'<script>theme = "{theme}"; paint(); {act}</script></body>'
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
                file = pathlib.Path(profile) / "page.html"
                file.write_text(page.replace("</body>", script))
                stem = "-".join(filter(None, [name.replace(" ", "-"), what, theme]))
                subprocess.run(browse(browser, profile, f"--screenshot={folder / stem}.png", file.as_uri()),
                               check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    arguments.add_argument("--browser", default="chromium")
    arguments.add_argument("--ranks", default="8")
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--shots", type=pathlib.Path)
    arguments.add_argument("graphs", nargs="*", type=pathlib.Path)
    chosen = arguments.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.done = threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    columns = ["first-paint", "first-contentful-paint", "ready", "all", "search", "frame"]
    with tempfile.TemporaryDirectory() as made:
        made = pathlib.Path(made)
        print("| graph | page | first paint | with content | ready | all | search | frame |\n|---|" + "---|" * 7)
        for graph in chosen.graphs or standard_graphs(made):
            subprocess.run([chosen.bin / "einplan", graph, "-n", chosen.ranks, "--explain=html", "-q", "-o",
                            made / "page.sched"], check=True)
            page = (made / "page.html").read_text()
            if chosen.shots:
                chosen.shots.mkdir(parents=True, exist_ok=True)
                shoot(chosen.browser, page, chosen.shots.resolve(), graph.stem)
            runs = [measure(server, chosen.browser, page) for _ in range(chosen.runs)]
            figures = [f"{statistics.median(run[column] for run in runs):.0f}" for column in columns] if runs else []
            print(f"| {graph.stem} | {len(page) / 1e6:.2f} MB | " + " | ".join(figures) + " |", flush=True)


if __name__ == "__main__":
    main()
