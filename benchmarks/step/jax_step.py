"""The training steps of the workloads in JAX, run and timed as told on stdin: the peer of mlc_step_benchmark.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    jax_step.py VARIANT BATCHES VARIABLES

starts from the variables that mlc_step_benchmark wrote, says it is ready in one line of JSON, and answers each line of
stdin with one line: `losses N` the losses of N steps, `time N` nanoseconds per step over N steps.

Every step is one jitted call with its state donated; batches lie on the device. Sparse variants differ in how they sum
the gradients of equal ids, which Adagrad needs, and in how the tables lie:
  dense         26 tables; the gradient of a table is dense and so is its update: what jax.grad gives
  unique        one stacked table each for embeddings, wide weights and their accumulators; jnp.unique, segment_sum
  unique_each   as unique, but jnp.unique runs for each feature apart
  packed        embedding row, wide weight and both accumulators are one row of 34; jnp.unique, segment_sum
  equal         as packed; gradients of equal ids are summed by a product with the 0/1 matrix ids == ids'
  equal_apart   as unique; sums as equal
  given         as packed; unique ids and inverses were made before the clock starts (mlc's `ahead`)
A variant with `+scan` runs 64 batches in one call, a lax.scan.
"""
import functools
import json
import os
import sys
import time
import warnings

import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import load_file

from workloads import BUCKETS, DENSE, DIMENSION, EPSILON, LEARNING_RATE, SPARSE

SCANNED = 64  # steps of one call of a variant with +scan
ROWS = SPARSE * BUCKETS


def adagrad(w, a, g):
    a = a + g * g
    return w - LEARNING_RATE * g / (jnp.sqrt(a) + EPSILON), a


def update_all(weights, slots, gradients):
    leaves, tree = jax.tree.flatten(weights)
    pairs = map(adagrad, leaves, jax.tree.leaves(slots), jax.tree.leaves(gradients))
    return tuple(jax.tree.unflatten(tree, part) for part in zip(*pairs))


def dnn_variables(variables):
    names = [f"dnn/hiddenlayer_{i}" for i in range(3)] + ["dnn/logits"]
    keys = [f"{name}/{part}" for name in names for part in ("kernel", "bias")]
    return [variables[k] for k in keys], [variables[k + "/Adagrad"] for k in keys]


def dnn(layers, x):
    for i in range(0, len(layers) - 2, 2):
        x = jax.nn.relu(x @ layers[i] + layers[i + 1])
    return x @ layers[-2] + layers[-1]


# -- mlp


def mlp_state(variables):
    return dnn_variables(variables)


def mlp_step(state, batch):
    weights, slots = state

    def loss(weights):
        logits = dnn(weights, batch["image"])
        picked = jnp.take_along_axis(logits, batch["label"][:, None], 1)[:, 0]
        return jnp.mean(jax.nn.logsumexp(logits, 1) - picked)

    value, gradients = jax.value_and_grad(loss)(weights)
    return update_all(weights, slots, gradients), value


def mlp_batches(tensors):
    return {"image": tensors["image"], "label": tensors["label"].astype(np.int32)}


# -- wide & deep


# The columns of an input layer stand in the order of their names: C10_embedding before C1_embedding.
SPARSE_NAMES = sorted((f"C{i}" for i in range(1, SPARSE + 1)), key=lambda name: name + "_embedding")
DENSE_NAMES = sorted(f"I{i}" for i in range(1, DENSE + 1))


def tables(variables, slot=""):
    layer = "dnn/input_from_feature_columns/input_layer"
    deep = [variables[f"{layer}/{name}_embedding/embedding_weights{slot}"] for name in SPARSE_NAMES]
    wide = [variables[f"linear/linear_model/{name}/weights{slot}"] for name in SPARSE_NAMES]
    return deep, wide


def small_variables(variables):
    layers, slots = dnn_variables(variables)

    def linear(slot):
        weights = [variables[f"linear/linear_model/{name}/weights{slot}"] for name in DENSE_NAMES]
        return np.concatenate(weights), variables["linear/linear_model/bias_weights" + slot]

    return (layers, *linear("")), (slots, *linear("/Adagrad"))


def sigmoid_loss(small, deep, wide, batch):
    """deep: [B, 26 * 16], wide: [B], the sum of the wide weights of the ids."""
    layers, weights, bias = small
    logits = dnn(layers, jnp.concatenate([deep, batch["dense"]], 1)) + batch["dense"] @ weights + bias
    logits, labels = logits[:, 0] + wide, batch["label"]
    return jnp.mean(jnp.maximum(logits, 0) - logits * labels + jnp.log1p(jnp.exp(-jnp.abs(logits))))


def dense_state(variables):
    small, slots = small_variables(variables)
    return (small, *tables(variables)), (slots, *tables(variables, "/Adagrad"))


def dense_step(state, batch):
    weights, slots = state

    def loss(weights):
        small, deep, wide = weights
        rows = [jnp.take(table, batch["ids"][i], 0) for i, table in enumerate(deep)]
        total = sum(jnp.take(table, batch["ids"][i], 0)[:, 0] for i, table in enumerate(wide))
        return sigmoid_loss(small, jnp.concatenate(rows, 1), total, batch)

    value, gradients = jax.value_and_grad(loss)(weights)
    return update_all(weights, slots, gradients), value


def gradients_of_rows(small, deep, wide, batch):
    """deep: [26, B, 16], wide: [26, B], the rows of each feature. Returns the loss and its gradients of the three."""

    def loss(small, deep, wide):
        return sigmoid_loss(small, deep.transpose(1, 0, 2).reshape(deep.shape[1], -1), wide.sum(0), batch)

    return jax.value_and_grad(loss, (0, 1, 2))(small, deep, wide)


def unique(batch):
    """Unique rows of all tables, those after the last one ROWS (dropped by a scatter), and each id's place there."""
    ids = batch["rows"].reshape(-1)
    return jnp.unique(ids, size=ids.size, fill_value=ROWS, return_inverse=True)


def unique_each(batch):
    """As unique, for each feature apart; the places count through."""
    size = batch["rows"].shape[1]
    one = lambda ids: jnp.unique(ids, size=size, fill_value=ROWS, return_inverse=True)
    rows, places = jax.vmap(one)(batch["rows"])
    return rows.reshape(-1), (places + size * jnp.arange(SPARSE)[:, None]).reshape(-1)


def sum_by_place(find, batch, gradients):
    rows, places = find(batch)
    flat = gradients.reshape(rows.size, -1)
    return rows, jax.ops.segment_sum(flat, places.reshape(-1), rows.size)


def sum_by_equality(batch, gradients):
    """Sums at every id, equal ones at equal ids: a scatter then writes the same row more than once."""
    ids = batch["rows"]
    equal = (ids[:, :, None] == ids[:, None, :]).astype(jnp.float32)
    return ids.reshape(-1), jnp.einsum("fij,fjd->fid", equal, gradients).reshape(ids.size, -1)


def apart_state(variables):
    small, slots = small_variables(variables)
    stack = lambda lists: tuple(np.concatenate(tables) for tables in lists)
    return (small, *stack(tables(variables))), (slots, *stack(tables(variables, "/Adagrad")))


def apart_step(summed, distinct, state, batch):
    (small, deep, wide), (slots, deep_slots, wide_slots) = state
    ids = batch["rows"]
    value, (small_gradients, *gradients) = gradients_of_rows(small, deep[ids], wide[ids][:, :, 0], batch)
    rows, sums = summed(batch, jnp.concatenate([gradients[0], gradients[1][:, :, None]], 2))
    small, slots = update_all(small, slots, small_gradients)

    def update(table, slot, g):
        w, a = adagrad(table.at[rows].get(mode="clip"), slot.at[rows].get(mode="clip"), g)
        put = functools.partial(dict, mode="drop", unique_indices=distinct)
        return table.at[rows].set(w, **put()), slot.at[rows].set(a, **put())

    deep, deep_slots = update(deep, deep_slots, sums[:, :DIMENSION])
    wide, wide_slots = update(wide, wide_slots, sums[:, DIMENSION:])
    return ((small, deep, wide), (slots, deep_slots, wide_slots)), value


def packed_state(variables):
    small, slots = small_variables(variables)
    parts = [np.concatenate(t) for t in (*tables(variables), *tables(variables, "/Adagrad"))]
    return small, slots, np.concatenate(parts, 1)


def packed_step(summed, distinct, state, batch):
    small, slots, table = state
    width = DIMENSION + 1
    old = table[batch["rows"]]
    value, (small_gradients, *gradients) = gradients_of_rows(small, old[:, :, :DIMENSION], old[:, :, DIMENSION], batch)
    rows, sums = summed(batch, jnp.concatenate([gradients[0], gradients[1][:, :, None]], 2))
    old = table.at[rows].get(mode="clip")
    new = jnp.concatenate(adagrad(old[:, :width], old[:, width:], sums), 1)
    small, slots = update_all(small, slots, small_gradients)
    return (small, slots, table.at[rows].set(new, mode="drop", unique_indices=distinct)), value


def wide_deep_batches(tensors, given=False):
    ids = np.stack([tensors[name] for name in SPARSE_NAMES], 1).astype(np.int32)  # [ring, 26, B]
    batches = {"ids": ids, "rows": ids + (BUCKETS * np.arange(SPARSE, dtype=np.int32))[:, None],
               "dense": np.stack([tensors[name] for name in DENSE_NAMES], 2),
               "label": tensors["label"].astype(np.float32)}
    if given:
        found = [np.unique(rows, return_inverse=True) for rows in batches["rows"]]
        pad = lambda u: np.pad(u, (0, ids[0].size - u.size), constant_values=ROWS)
        batches["unique"] = np.stack([pad(u) for u, _ in found])
        batches["places"] = np.stack([p.reshape(-1).astype(np.int32) for _, p in found])
    return batches


def variant_of(name):
    """State, step and batches of a variant."""
    by_unique = functools.partial(sum_by_place, unique)
    by_each = functools.partial(sum_by_place, unique_each)
    by_given = functools.partial(sum_by_place, lambda batch: (batch["unique"], batch["places"]))
    step = lambda make, summed, distinct: functools.partial(make, summed, distinct)
    return {
        "mlp": (mlp_state, mlp_step, mlp_batches),
        "dense": (dense_state, dense_step, wide_deep_batches),
        "unique": (apart_state, step(apart_step, by_unique, True), wide_deep_batches),
        "unique_each": (apart_state, step(apart_step, by_each, True), wide_deep_batches),
        "packed": (packed_state, step(packed_step, by_unique, True), wide_deep_batches),
        "equal": (packed_state, step(packed_step, sum_by_equality, False), wide_deep_batches),
        "equal_apart": (apart_state, step(apart_step, sum_by_equality, False), wide_deep_batches),
        "given": (packed_state, step(packed_step, by_given, True), functools.partial(wide_deep_batches, given=True)),
    }[name]


class Peer:
    """State that steps through the ring."""

    def __init__(self, variant, batches_path, variables_path):
        name, _, scan = variant.partition("+")
        make_state, step, make_batches = variant_of(name)
        self.state = jax.tree.map(jnp.array, make_state(load_file(variables_path)))
        batches = make_batches(load_file(batches_path))
        self.at = 0
        self.scan = bool(scan)
        if scan:
            self.run = jax.jit(lambda state, batches: jax.lax.scan(step, state, batches), donate_argnums=0)
            pick = lambda i: slice(SCANNED * i, SCANNED * (i + 1))
        else:
            self.run = jax.jit(step, donate_argnums=0)
            pick = lambda i: i
        parts = jax.tree.leaves(batches)[0].shape[0] // (SCANNED if scan else 1)
        self.ring = [jax.tree.map(lambda x: jnp.array(x[pick(i)]), batches) for i in range(parts)]

    def next(self):
        self.state, losses = self.run(self.state, self.ring[self.at % len(self.ring)])
        self.at += 1
        return losses

    def losses(self, count):
        if not self.scan:
            return [float(self.next()) for _ in range(count)]
        return [float(x) for _ in range(-(-count // SCANNED)) for x in self.next()][:count]

    def time(self, count):
        calls, steps = (-(-count // SCANNED), SCANNED) if self.scan else (count, 1)
        jax.block_until_ready(self.state)
        start = time.perf_counter_ns()
        for _ in range(calls):
            self.next()
        jax.block_until_ready(self.state)
        return (time.perf_counter_ns() - start) / (calls * steps)


def threads_named(part):
    tasks = os.listdir("/proc/self/task")
    return sum(part in open(f"/proc/self/task/{task}/comm").read() for task in tasks)


def main():
    # A copy of the state in each step would be no fair peer.
    warnings.filterwarnings("error", message="Some donated buffers were not usable")
    peer = Peer(*sys.argv[1:4])
    versions = f"jax {jax.__version__} jaxlib {jax.lib.__version__}"
    print(json.dumps({"ready": versions, "eigen_threads": threads_named("XLAEigen")}), flush=True)
    for line in sys.stdin:
        command, count = line.split()
        if command == "losses":
            answer = {"losses": peer.losses(int(count))}
        elif command == "time":
            answer = {"ns": peer.time(int(count))}
        else:
            sys.exit(f"jax_step.py: no command '{command}'")
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
