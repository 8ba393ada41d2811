#!/usr/bin/env python3
"""Rows for the test of metrics, and their values by scikit-learn and by the formulas of tf.keras.metrics.AUC.

metrics_reference.py rows N SEED                     writes a CSV file of N random rows to stdout
metrics_reference.py check KIND CSV PREDICTIONS EVALUATION [weighted] [tf1] [batch=N] [label=COLUMN]
                                                     compares an evaluation with what the predictions give

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import csv
import json
import math
import random
import sys

TAGS = ["red", "green", "blue"]
THRESHOLDS = (0.3, 0.55)
TOLERANCE = 1e-6


def write_rows(count, seed):
    rng = random.Random(seed)
    names = "a b w real share rare class count user reals shares counts truths tags codes"
    print(names.replace(" ", ","))
    for i in range(count):
        a, b = round(rng.uniform(-2, 2), 2), round(rng.gauss(0, 1), 3)
        vector = lambda draw: "|".join(str(draw()) for _ in range(3))
        counts = lambda: max(0, round(math.exp(rng.gauss(0.5 * a, 1)) - 0.5))
        truths = [int(rng.random() < p) for p in (0.5, 0.02, 0.8)]
        codes = [k for k in range(3) if truths[k]]
        rng.shuffle(codes)
        # One row in a thousand, and each tenth more of the larger ones.
        rare = int(i % 1000 == 7 or (i % 10 == 0 and a > 1.9))
        print(",".join(map(str, [
            a, b, round(rng.uniform(0, 3), 3), round(10 * a + rng.gauss(20, 5), 3), round(rng.random(), 4), rare,
            rng.choice((0, 1, 1, 2)), counts(), "u%d" % rng.randrange(count // 8 + 1),
            vector(lambda: round(rng.gauss(a, 2), 3)), vector(lambda: round(rng.random(), 4)), vector(counts),
            "|".join(map(str, truths)), " ".join(TAGS[k] for k in codes + codes[:1]), "|".join(map(str, codes))])))


def curve(probabilities, labels, weights):
    """Weights of true and false positives at tf's 200 thresholds."""
    import numpy as np
    points = np.array([-1e-7] + [i / 199 for i in range(1, 199)] + [1 + 1e-7], np.float32)
    above = probabilities[None, :] > points[:, None]
    return above @ (weights * labels), above @ (weights * (1 - labels))


def areas(probabilities, labels, weights, tf1):
    """auc and auc_precision_recall as Keras' AUC (trapezoids, interpolation) or as tf.metrics.auc (trapezoids)."""
    import numpy as np
    tp, fp = curve(probabilities, labels, weights)
    p, n = np.sum(weights * labels), np.sum(weights * (1 - labels))
    trapezoid = lambda x, y: float(np.sum((x[:-1] - x[1:]) * (y[:-1] + y[1:]) / 2))
    if tf1:
        e = 1e-6
        recall = (tp + e) / (p + e)
        return trapezoid(fp / (n + e), recall), trapezoid(recall, (tp + e) / (tp + fp + e))
    area = 0.0
    for i in range(len(tp) - 1):
        before, after = tp[i] + fp[i], tp[i + 1] + fp[i + 1]
        step = tp[i] - tp[i + 1]
        slope = step / (before - after) if before > after else 0.0
        intercept = tp[i + 1] - slope * after
        ratio = before / after if before > 0 and after > 0 else 1.0
        area += slope * (step + intercept * math.log(ratio)) / p
    return trapezoid(fp / n, tp / p), area


def check(kind, rows_file, predictions_file, evaluation_file, *options):
    import numpy as np
    from sklearn import metrics as sk
    rows = list(csv.DictReader(open(rows_file)))
    predictions = [json.loads(line) for line in open(predictions_file)]
    found = json.loads(open(evaluation_file).read().splitlines()[-1])
    settings = dict(o.split("=") for o in options if "=" in o)
    tf1, batch = "tf1" in options, int(settings.get("batch", 50))
    of = lambda key: np.array([p[key] for p in predictions], np.float64)
    label = settings["label"]
    cells = [r[label] for r in rows]
    weights = np.array([float(r["w"]) for r in rows] if "weighted" in options else [1.0] * len(rows), np.float32)
    weights = weights.astype(np.float64)
    expected = {}
    sigmoid_loss = lambda z, y: np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z)))

    def thresholded(probabilities, y, w):
        for t in THRESHOLDS:
            # Compared as f32, in which the probabilities are; the accuracy of tf1 counts equal ones too.
            above = probabilities.astype(np.float32) > np.float32(t)
            suffix = "/positive_threshold_%g" % t
            at = probabilities.astype(np.float32) >= np.float32(t) if tf1 else above
            expected["accuracy" + suffix] = sk.accuracy_score(y, at, sample_weight=w)
            expected["precision" + suffix] = sk.precision_score(y, above, sample_weight=w, zero_division=0)
            expected["recall" + suffix] = sk.recall_score(y, above, sample_weight=w)

    def add_areas(probabilities, y, w, suffix=""):
        roc, pr = areas(probabilities.astype(np.float32), y, w, tf1)
        expected["auc" + suffix], expected["auc_precision_recall" + suffix] = roc, pr

    def add_baseline(y):
        """Of predicting the shares of the classes, and the most frequent one, for every row."""
        shares = np.bincount(y.astype(int), weights=weights) / weights.sum()
        expected["baseline/accuracy"] = shares.max()
        expected["baseline/average_loss"] = -sum(s * math.log(s) for s in shares if s > 0)
        expected["rate/confident_errors"] = np.average(losses > math.log(1000), weights=weights)

    if kind == "binary":
        y, z, p = np.array([float(c) for c in cells]), of("logits")[:, 0], of("logistic")[:, 0]
        ids = of("class_ids")[:, 0]
        losses = sigmoid_loss(z, y)
        expected["logloss"] = sk.log_loss(y, 1 / (1 + np.exp(-z)), sample_weight=weights)
        expected["accuracy"] = sk.accuracy_score(y, ids, sample_weight=weights)
        expected["precision"] = sk.precision_score(y, ids, sample_weight=weights, zero_division=0)
        expected["recall"] = sk.recall_score(y, ids, sample_weight=weights)
        expected["label/mean"] = np.average(y, weights=weights)
        expected["accuracy_baseline"] = max(expected["label/mean"], 1 - expected["label/mean"])
        expected["prediction/mean"] = np.average(p, weights=weights)
        expected["auc_exact"] = sk.roc_auc_score(y, z, sample_weight=weights)
        assert abs(found["auc_exact"] - expected["auc_exact"]) < 1e-9, (found["auc_exact"], expected["auc_exact"])
        add_baseline(y)
        add_areas(p, y, weights)
        thresholded(p, y, weights)
        if "gauc" in found:
            groups = {}
            for i, row in enumerate(rows):
                groups.setdefault(row["user"], []).append(i)
            total = count = 0
            for at in groups.values():
                if np.sum(weights[at] * y[at]) > 0 and np.sum(weights[at] * (1 - y[at])) > 0:
                    size = np.sum(weights[at])
                    total += size * sk.roc_auc_score(y[at], z[at], sample_weight=weights[at])
                    count += size
            expected["gauc"] = total / count
    elif kind == "multi_class":
        y, z = np.array([int(c) for c in cells]), of("logits")
        p = np.exp(z - z.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        losses = -np.log(p[np.arange(len(y)), y])
        expected["accuracy"] = sk.accuracy_score(y, of("class_ids")[:, 0], sample_weight=weights)
        expected["macro_f1"] = sk.f1_score(y, of("class_ids")[:, 0], sample_weight=weights, average="macro")
        add_baseline(y)
        average = sk.log_loss(y, p, sample_weight=weights, labels=[0, 1, 2])
        assert abs(found["average_loss"] - average) < TOLERANCE
    elif kind == "multi_label":
        if label == "truths":
            y = np.array([[float(v) for v in c.split("|")] for c in cells])
        elif label == "tags":
            y = np.array([[float(t in c.split()) for t in TAGS] for c in cells])
        else:
            y = np.array([[float(str(k) in c.split("|")) for k in range(3)] for c in cells])
        z, p = of("logits"), of("probabilities")
        losses = sigmoid_loss(z, y).mean(axis=1)
        flat = np.repeat(weights, 3)
        add_areas(p.reshape(-1), y.reshape(-1), flat)
        thresholded(p.reshape(-1), y.reshape(-1), flat)
        for k in (2, 1):
            suffix = "/" + (TAGS[k] if label == "tags" else "class%d" % k)
            if "probability_mean" + suffix in found:
                expected["probability_mean" + suffix] = np.average(p[:, k], weights=weights)
                add_areas(p[:, k], y[:, k], weights, suffix)
    else:
        y = np.array([[float(v) for v in c.split("|")] for c in cells], np.float32).astype(np.float64)
        p = of("predictions")
        if kind == "regression":
            losses = ((p - y)**2).mean(axis=1)
            assert abs(found["average_loss"] - sk.mean_squared_error(y, p, sample_weight=weights)) < \
                TOLERANCE * found["average_loss"]
        elif kind == "logistic":
            losses = sigmoid_loss(of("logits"), y).mean(axis=1)
        elif kind == "poisson":
            z = of("logits")
            safe = np.maximum(y, 1)
            stirling = safe * np.log(safe) - safe + 0.5 * np.log(2 * np.pi * safe)
            losses = (np.exp(z) - y * z + np.where(y > 1, stirling, 0)).mean(axis=1)
        else:
            sys.exit("unknown kind " + kind)
        expected["rmse"] = math.sqrt(sk.mean_squared_error(y, p, sample_weight=weights))
        expected["mae"] = sk.mean_absolute_error(y, p, sample_weight=weights)
        expected["label/mean"] = np.average(y.mean(axis=1), weights=weights)
        expected["prediction/mean"] = np.average(p.mean(axis=1), weights=weights)
        squared = ((y - expected["label/mean"])**2).mean(axis=1)
        expected["baseline/rmse"] = math.sqrt(np.average(squared, weights=weights))
    expected["average_loss"] = np.average(losses, weights=weights)
    per_batch = [np.sum(weights[i:i + batch] * losses[i:i + batch]) for i in range(0, len(rows), batch)]
    width = y.shape[1] if kind in ("regression", "logistic", "poisson") else 1
    if tf1:
        expected["loss"] = np.mean([s * width for s in per_batch])
    else:
        expected["loss"] = np.mean([s / len(rows[i * batch:(i + 1) * batch]) for i, s in enumerate(per_batch)])

    names = set(found) - {"global_step"}
    failed = names != set(expected)
    if failed:
        print("names differ: found", sorted(names - set(expected)), "expected", sorted(set(expected) - names))
    for name in sorted(names & set(expected)):
        bound = TOLERANCE * max(1, abs(expected[name]))
        ok = abs(found[name] - expected[name]) <= bound
        failed |= not ok
        print(f"{name} = {found[name]}, expected {expected[name]}: {'ok' if ok else 'FAILED'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    if sys.argv[1] == "rows":
        write_rows(int(sys.argv[2]), int(sys.argv[3]))
    else:
        check(*sys.argv[2:])
