#!/usr/bin/env python3
"""Train a model, export it, and answer requests with it: from memory in Python, over HTTP, and without Python.

    export_and_serve.py

Shows export_saved_model, a Predictor (a model that stays in memory; a few rows take microseconds), a server of a dozen lines around one, and
the export asked by the command `mlc predict`, which gives the same bits.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import http.server
import json
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import numpy as np

import mlc
from mlc import data, estimator
from mlc import feature_column as fc

FILES = Path(__file__).resolve().parents[1] / "iris/data"
rows = np.genfromtxt(FILES / "iris_training.csv", delimiter=",", skip_header=1)
names = ["SepalLength", "SepalWidth", "PentalLength", "PentalWidth"]  # as the header of the files spells them
features, labels = {name: rows[:, i] for i, name in enumerate(names)}, rows[:, 4].astype(np.int64)
directory = Path(tempfile.mkdtemp())

model = estimator.DNNClassifier(
    [30, 10], [fc.numeric_column(name) for name in names], directory / "model", n_classes=3,
    optimizer=mlc.optimizers.Adagrad(0.05), config=estimator.RunConfig(tf_random_seed=1),
)  # fmt: skip
model.train(lambda: data.Dataset.from_arrays(features, labels).shuffle().repeat().batch(30), steps=1000)
export = model.export_saved_model(directory / "export").decode()
print("exported:", export, "with", ", ".join(sorted(path.name for path in Path(export).iterdir())))

# In this process.
flower = {"SepalLength": [5.9], "SepalWidth": [3.0], "PentalLength": [4.2], "PentalWidth": [1.5]}
predictor = model.predictor()
predictor(flower)
begin = time.perf_counter()
for _ in range(1000):
    answer = predictor(flower)
print(f"predictor: class {answer['class_ids'][0, 0]}, {(time.perf_counter() - begin) * 1000:.0f} us a call")


# Over HTTP. A predictor belongs to the thread that made it: the server makes one in its own.
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        found = self.server.predictor(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"probabilities": found["probabilities"].tolist()}).encode())

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)


def serve():
    server.predictor = model.predictor()
    server.serve_forever()


threading.Thread(target=serve, daemon=True).start()
request = urllib.request.Request(f"http://127.0.0.1:{server.server_port}", json.dumps(flower).encode())
with urllib.request.urlopen(request) as reply:
    served = json.load(reply)["probabilities"][0]
print("over HTTP:", served)
server.shutdown()

# Without this process: the export and a CSV file.
command = [sys.executable, "-m", "mlc", "predict", export, "--predict_files", FILES / "iris_test.csv", "--keys", "class_ids,probabilities"]
first = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0])
print("mlc predict:", first)
assert np.array_equal(np.float32(first["probabilities"]), np.float32(served)) and first["class_ids"] == [1]
