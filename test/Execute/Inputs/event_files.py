#!/usr/bin/env python3
"""Checks the events of a run of the census example, as events.py prints them: event_files.py TRAIN EVAL

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import sys

train, evals = ([json.loads(line) for line in open(path, encoding="utf-8")] for path in sys.argv[1:])

graphs = [event["graph"] for event in train if "graph" in event]
assert len(graphs) == 1, len(graphs)
print("graph of one session")

nodes = {node["name"]: node for node in graphs[0]}
histograms = [(event["step"], tag) for event in train for tag, value in event.get("values", {}).items()
              if isinstance(value, dict) and "limits" in value and "activation" not in tag]
trained = {tag for _, tag in histograms}
assert {"dnn/hiddenlayer_0/kernel", "dnn/logits/bias"} <= trained, trained
for name in trained:
    assert nodes[name]["op"] == "VariableV2", nodes[name]
    assert any(name in node["inputs"] for node in graphs[0]), name
assert nodes["dnn/hiddenlayer_0/kernel"]["shape"][1] == 100
print("every trained variable is a node, and something reads it")

scopes = {}
for node in graphs[0]:
    scopes.setdefault(node["name"].rpartition("/")[0], set()).add(node["op"])
assert {"matmul", "add", "relu", "VariableV2"} <= scopes["dnn/hiddenlayer_0"], scopes["dnn/hiddenlayer_0"]
assert {"matmul", "add"} <= scopes["dnn/logits"] and "relu" not in scopes["dnn/logits"], scopes["dnn/logits"]
assert scopes["input"] == {"Placeholder"}, scopes["input"]
for scope in ("optimizer", "gradients"):
    assert scope in scopes, scopes.keys()
assert "sigmoid_cross_entropy" in scopes["head"], scopes["head"]
assert "bucketize" in scopes["columns/age_bucketized"], scopes["columns/age_bucketized"]
assert "VariableV2" in scopes["dnn/input_from_feature_columns/input_layer/occupation_embedding"]
# Tables that are one variable are read where the first one stands.
assert "read_rows" in scopes["dnn/input_from_feature_columns/input_layer/education_embedding"]
print("layers stand in their scopes")

steps = sorted({step for step, _ in histograms})
print("histograms at steps", ", ".join(map(str, steps)))

curves = [event["values"]["precision_recall/pr_curves"] for event in evals if "values" in event]
assert curves
for curve, event in zip(curves, [e for e in evals if "values" in e]):
    assert curve["plugin"] == "pr_curves" and curve["thresholds"] == 200 and len(curve["rows"]) == 6
    hits, false_alarms, rejected, missed, precision, recall = curve["rows"]
    rows = hits[0] + false_alarms[0]
    for i in range(200):
        assert abs(hits[i] + false_alarms[i] + rejected[i] + missed[i] - rows) < 1e-2
        assert i == 0 or hits[i] <= hits[i - 1] and false_alarms[i] <= false_alarms[i - 1]
        found = hits[i] + false_alarms[i]
        assert abs(precision[i] - (hits[i] / found if found else 0)) < 1e-6
        assert abs(recall[i] - hits[i] / (hits[i] + missed[i])) < 1e-6
    # The area under the lines between the points is near the metric, which interpolates otherwise.
    area = sum((recall[i] - recall[i + 1]) * (precision[i] + precision[i + 1]) / 2 for i in range(199))
    assert abs(area - event["values"]["auc_precision_recall"]) < 0.02, area
    assert not any(tag.startswith("report/") for tag in event["values"])
print(f"a curve of {len(curves[0]['rows'][0])} thresholds at each evaluation")
