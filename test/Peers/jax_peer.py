"""Random df programs and their gradients, by mlc's interpreter and compiled by mlc, against the same computed by JAX.

Each program is made twice from one sequence of choices: as the text of a df.function that returns a loss and its gradients for all float arguments, and as a function of JAX arrays that jax.value_and_grad differentiates.
All floats are f64, so that what differs by more than the order of additions is a mistake of one of the two.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)

TOLERANCE = 1e-8
PROGRAMS_OF_MODULE = 20


def type_of(shape, kind="f64"):
    return "tensor<" + "".join(f"{n}x" for n in shape) + kind + ">"


def array(numbers):
    return "array<i64" + (": " if numbers else "") + ", ".join(map(str, numbers)) + ">"


class Value:
    """A value of a program: its name in df, its shape, and how JAX computes it from the arguments."""

    def __init__(self, name, shape, compute, kind="f64"):
        self.name, self.shape, self.compute, self.kind = name, tuple(shape), compute, kind

    @property
    def type(self):
        return type_of(self.shape, self.kind)


class Program:
    def __init__(self, seed, name):
        self.random = np.random.default_rng(seed)
        self.name = name
        self.lines, self.pool, self.arguments, self.values = [], [], [], []
        self.next = 0
        for shape in [(4, 6), (6, 6), (6,), (3, 4), (1, 6), (4, 1), (2, 5, 3), ()]:
            self.argument(self.random.uniform(-1, 1, shape))
        self.counts = [self.argument(np.array(self.pick([0, 1, 3, 4]), dtype=np.int64)) for _ in range(2)]
        self.ids = self.argument(self.random.integers(0, 4, (5,)))
        makers = [self.unary, self.binary, self.matmul, self.transpose, self.slice, self.strided_slice, self.pad, self.reduce, self.broadcast, self.concat,
                  self.softmax, self.take, self.scan, self.conv, self.cumsum, self.reshape, self.segment, self.choice, self.diag, self.loss_of_labels]
        for _ in range(int(self.random.integers(4, 14))):
            self.pick(makers)()
        self.finish()

    # -- making values -------------------------------------------------------

    def pick(self, list_):
        return list_[int(self.random.integers(len(list_)))]

    def fresh(self):
        self.next += 1
        return f"%v{self.next}"

    def argument(self, value):
        place = len(self.arguments)
        kind = "f64" if value.dtype == np.float64 else "i64"
        made = Value(f"%x{place}", value.shape, lambda env, place=place: env[place], kind)
        self.arguments.append(made)
        self.values.append(value)
        if kind == "f64":
            self.pool.append(made)
        return made

    def add(self, shape, op, operands, attributes, compute, kind="f64"):
        """df's text of `op`, and what JAX makes of the operands' values."""
        memo = {}

        def value(env):
            key = id(env)
            if memo.get("key") != key:
                memo["key"], memo["value"] = key, compute(*[o.compute(env) for o in operands])
            return memo["value"]

        made = Value(self.fresh(), shape, value, kind)
        names = ", ".join(o.name for o in operands)
        types = ", ".join(o.type for o in operands)
        written = f"df.{op} {names}" if " " in op else f'"df.{op}"({names})'  # what names a case has a form of its own
        self.lines.append(f"{made.name} = {written} {{{attributes}}} : ({types}) -> {made.type}")
        if kind == "f64":
            self.pool.append(made)
        return made

    def any(self, fits=lambda v: True):
        found = [v for v in self.pool if fits(v)]
        return self.pick(found[-6:] if len(found) > 6 and self.random.integers(2) else found) if found else None

    # -- ops ------------------------------------------------------------------

    def unary(self):
        x = self.any()
        name, function = self.pick([("tanh", jnp.tanh), ("sigmoid", jax.nn.sigmoid), ("sin", jnp.sin), ("cos", jnp.cos), ("softplus", jax.nn.softplus), ("square", jnp.square),
                                    ("abs", jnp.abs), ("relu", jax.nn.relu), ("neg", jnp.negative), ("erf", lax.erf), ("elu", jax.nn.elu), ("selu", jax.nn.selu), ("atan", jnp.arctan),
                                    ("asinh", jnp.arcsinh), ("expm1", jnp.expm1), ("cbrt", jnp.cbrt)])
        attributes = {"elu": "alpha = 1.0 : f64", "selu": "alpha = 1.6732632423543772 : f64, gamma = 1.0507009873554805 : f64"}.get(name, "")
        if name in ("expm1", "square"):
            x = self.add(x.shape, "tanh", [x], "", jnp.tanh)
        self.add(x.shape, name, [x], attributes, function)

    def binary(self):
        x = self.any()
        y = self.any(lambda v: v.shape == x.shape)
        name, function = self.pick([("add", jnp.add), ("sub", jnp.subtract), ("mul", jnp.multiply), ("atan2", jnp.arctan2), ("squared_difference", lambda a, b: jnp.square(a - b))])
        self.add(x.shape, name, [x, y], "", function)

    def matmul(self):
        a = self.any(lambda v: len(v.shape) == 2)
        turn_a, turn_b = bool(self.random.integers(2)), bool(self.random.integers(2))
        inner = a.shape[0] if turn_a else a.shape[1]
        b = self.any(lambda v: len(v.shape) == 2 and v.shape[1 if turn_b else 0] == inner)
        if b is None:
            return
        shape = (a.shape[1] if turn_a else a.shape[0], b.shape[0] if turn_b else b.shape[1])
        flags = ", ".join(["transpose_a"] * turn_a + ["transpose_b"] * turn_b)
        self.add(shape, "matmul", [a, b], flags, lambda x, y: (x.T if turn_a else x) @ (y.T if turn_b else y))

    def transpose(self):
        x = self.any(lambda v: len(v.shape) >= 2)
        order = [int(d) for d in self.random.permutation(len(x.shape))]
        self.add([x.shape[d] for d in order], "transpose", [x], f"permutation = {array(order)}", lambda v: jnp.transpose(v, order))

    def axis(self, x):
        return int(self.random.integers(len(x.shape)))

    def slice(self):
        x = self.any(lambda v: v.shape)
        axis = self.axis(x)
        start = int(self.random.integers(x.shape[axis] + 1))
        size = int(self.random.integers(x.shape[axis] - start + 1))
        shape = list(x.shape)
        shape[axis] = size
        starts, sizes = [0] * len(shape), shape
        starts[axis] = start
        self.add(shape, "slice", [x], f"starts = {array(starts)}, sizes = {array(sizes)}", lambda v: lax.slice_in_dim(v, start, start + size, axis=axis))

    def strided_slice(self):
        x = self.any(lambda v: v.shape and 0 not in v.shape)
        starts = [int(self.random.integers(n)) for n in x.shape]
        strides = [int(self.random.integers(1, 4)) for _ in x.shape]
        sizes = [(n - start + stride - 1) // stride for n, start, stride in zip(x.shape, starts, strides)]
        self.add(sizes, "slice", [x], f"starts = {array(starts)}, sizes = {array(sizes)}, strides = {array(strides)}",
                 lambda v: v[tuple(slice(s, None, t) for s, t in zip(starts, strides))])

    def pad(self):
        x = self.any(lambda v: v.shape)
        value = self.any(lambda v: v.shape == ())
        low, high, interior = ([int(self.random.integers(3)) for _ in x.shape] for _ in range(3))
        shape = [a + n + max(n - 1, 0) * i + b for n, a, b, i in zip(x.shape, low, high, interior)]
        if np.prod(shape) > 2000:
            return
        self.add(shape, "pad", [x, value], f"low = {array(low)}, high = {array(high)}, interior = {array(interior)}", lambda v, c: lax.pad(v, c, list(zip(low, high, interior))))

    def reduce(self):
        x = self.any(lambda v: v.shape)
        axes = sorted({self.axis(x) for _ in range(2)})
        name, function = self.pick([("reduce_sum", jnp.sum), ("reduce_prod", jnp.prod), ("reduce_mean", jnp.mean), ("reduce_logsumexp", jax.scipy.special.logsumexp)])
        if name in ("reduce_mean", "reduce_logsumexp") and 0 in x.shape:
            return
        self.add([n for d, n in enumerate(x.shape) if d not in axes], name, [x], f"axes = {array(axes)}", lambda v: function(v, axis=tuple(axes)))

    def broadcast(self):
        x = self.any()
        rank = len(x.shape) + int(self.random.integers(2))
        if rank > 4:
            return
        dimensions = sorted(int(d) for d in self.random.choice(rank, len(x.shape), replace=False))
        shape = [int(self.random.integers(1, 4)) for _ in range(rank)]
        for d, n in zip(dimensions, x.shape):
            shape[d] = n
        if np.prod(shape) > 2000:
            return
        self.add(shape, "broadcast", [x], f"dimensions = {array(dimensions)}", lambda v: lax.broadcast_in_dim(v, shape, dimensions))

    def concat(self):
        x = self.any(lambda v: v.shape)
        axis = self.axis(x)
        y = self.any(lambda v: len(v.shape) == len(x.shape) and all(n == m or d == axis for d, (n, m) in enumerate(zip(v.shape, x.shape))))
        shape = list(x.shape)
        shape[axis] += y.shape[axis]
        self.add(shape, "concat", [x, y], f"axis = {axis} : i64", lambda a, b: jnp.concatenate([a, b], axis))

    def softmax(self):
        x = self.any(lambda v: v.shape and 0 not in v.shape)
        axis = self.axis(x)
        name, function = self.pick([("softmax", jax.nn.softmax), ("log_softmax", jax.nn.log_softmax)])
        self.add(x.shape, name, [x], f"axis = {axis} : i64", lambda v: function(v, axis=axis))

    def take(self):
        x = self.any(lambda v: v.shape and v.shape[0] >= 4)
        if x is not None:
            self.add((5,) + x.shape[1:], "take", [x, self.ids], "axis = 0 : i64, batch_dims = 0 : i64", lambda v, i: jnp.take(v, i, axis=0))

    def segment(self):
        x = self.any(lambda v: v.shape and v.shape[0] == 5)
        if x is not None:
            self.add((4,) + x.shape[1:], "segment_reduce sum", [x, self.ids], "", lambda v, i: jax.ops.segment_sum(v, i, 4))

    def cumsum(self):
        x = self.any(lambda v: v.shape)
        axis = self.axis(x)
        reverse = bool(self.random.integers(2))
        self.add(x.shape, "cumsum", [x], f"axis = {axis} : i64" + (", reverse" if reverse else ""), lambda v: lax.cumsum(v, axis, reverse))

    def reshape(self):
        x = self.any(lambda v: v.shape)
        self.add((int(np.prod(x.shape)),), "reshape", [x], "", lambda v: v.reshape(-1))

    def choice(self):
        x = self.any()
        y = self.any(lambda v: v.shape == x.shape)
        mask = self.add(x.shape, "compare lt,", [x, y], "", lambda a, b: a < b, kind="i1")
        self.add(x.shape, "select", [mask, x, y], "", jnp.where)

    def diag(self):
        x = self.any(lambda v: len(v.shape) in (1, 2) and 0 < v.shape[-1] < 8)
        n = x.shape[-1]
        self.add(x.shape + (n,), "diag", [x], "", lambda v: jnp.where(jnp.eye(n, dtype=bool), v[..., None], 0.0))

    def loss_of_labels(self):
        x = self.any(lambda v: len(v.shape) == 2 and v.shape[0] == 5 and v.shape[1] >= 4)
        if x is not None:
            self.add((5,), "softmax_cross_entropy", [x, self.ids], "", lambda v, i: -jnp.take_along_axis(jax.nn.log_softmax(v), i[:, None], 1)[:, 0])

    def conv(self):
        x = self.any(lambda v: len(v.shape) == 3 and 0 not in v.shape)
        channels = x.shape[2]
        w = self.any(lambda v: len(v.shape) == 3 and v.shape[1] == channels and 0 not in v.shape)
        if w is None:
            return
        stride, dilation, low, high = (int(self.random.integers(*r)) for r in ((1, 4), (1, 3), (0, 3), (0, 3)))
        room = x.shape[1] + low + high - ((w.shape[0] - 1) * dilation + 1)
        if room < 0:
            return
        self.add((x.shape[0], room // stride + 1, w.shape[2]), "conv", [x, w], f"strides = {array([stride])}, padding = {array([low, high])}, dilations = {array([dilation])}",
                 lambda v, f: lax.conv_general_dilated(v, f, [stride], [(low, high)], rhs_dilation=[dilation], dimension_numbers=("NWC", "WIO", "NWC")))

    def scan(self):
        """h' = tanh(h + row * h), the rows from the count on not read; the results are the last h and all of them."""
        x = self.any(lambda v: len(v.shape) >= 1 and v.shape[0] >= 4)
        h = self.any(lambda v: x is not None and v.shape == x.shape[1:])
        if h is None:
            return
        count, reverse = self.pick(self.counts), bool(self.random.integers(2))
        row, carried = type_of(x.shape[1:]), h.type
        last, all_ = Value(self.fresh(), h.shape, None), Value(self.fresh(), x.shape, None)
        self.lines.append(f"{last.name}, {all_.name} = df.scan ({h.name}) over ({x.name}) count {count.name} {'{reverse} ' if reverse else ''}: ({carried}, {x.type}, tensor<i64>) -> ({carried}, {x.type}) {{\n"
                          f"^bb0(%h: {carried}, %r: {row}):\n%p = df.mul %r, %h : {row}\n%q = df.add %h, %p : {row}\n%t = df.tanh %q : {row}\ndf.yield %t, %p : {row}, {row}\n}}")

        def run(env):
            start, rows, n = h.compute(env), x.compute(env), int(count.compute(env))
            products = [jnp.zeros(rows.shape[1:])] * rows.shape[0]
            for i in (reversed(range(n)) if reverse else range(n)):
                products[i] = rows[i] * start
                start = jnp.tanh(start + products[i])
            return start, jnp.stack(products)

        last.compute, all_.compute = (lambda env: run(env)[0]), (lambda env: run(env)[1])
        self.pool += [last, all_]

    # -- the whole ---------------------------------------------------------------

    def finish(self):
        parts = []
        # Of all arguments, so that none is left out of the entry.
        integers = [self.add(a.shape, "cast", [a], "", lambda v: v.astype(jnp.float64)) for a in self.arguments if a.kind == "i64"]
        for value in self.pool[-5 - len(integers):] + [a for a in self.arguments if a.kind == "f64"]:
            bounded = self.add(value.shape, "tanh", [value], "", jnp.tanh)
            parts.append(self.add((), "reduce_sum", [bounded], f"axes = {array(list(range(len(value.shape))))}", jnp.sum) if value.shape else bounded)
        loss = parts[0]
        for part in parts[1:]:
            loss = self.add((), "add", [loss, part], "", jnp.add)
        self.loss = loss
        self.floats = [i for i, a in enumerate(self.arguments) if a.kind == "f64"]

    def text(self):
        """The df.function; its arguments say their values, which the interpreter takes."""
        arguments = ", ".join(f'{a.name}: {a.type} {{df.name = "{self.name}_x{i}", df.value = dense<"0x{v.tobytes().hex()}"> : {a.type}}}'
                              for i, (a, v) in enumerate(zip(self.arguments, self.values)))
        types = [self.arguments[i].type for i in self.floats]
        results = ", ".join(['tensor<f64> {df.name = "loss"}'] + [f'{t} {{df.name = "g{i}"}}' for i, t in zip(self.floats, types)])
        gradients = ", ".join(f"%g{i}" for i in self.floats)
        operands = ", ".join(self.arguments[i].name for i in self.floats)
        return (f"df.function @{self.name}({arguments}) -> ({results}) {{\n" + "\n".join(self.lines) +
                f"\n{gradients} = df.gradients {self.loss.name} wrt [] {operands} : (tensor<f64>, {', '.join(types)}) -> ({', '.join(types)})\n"
                f"df.return {self.loss.name}, {gradients} : tensor<f64>, {', '.join(types)}\n}}\n")

    def expected(self):
        def loss(floats):
            env = list(self.values)
            for i, value in zip(self.floats, floats):
                env[i] = value
            return self.loss.compute(env)

        value, gradients = jax.value_and_grad(loss)([jnp.asarray(self.values[i]) for i in self.floats])
        return {"loss": np.asarray(value), **{f"g{i}": np.asarray(g) for i, g in zip(self.floats, gradients)}}


def difference(expected, found):
    for name, value in expected.items():
        if found[name].shape != value.shape:
            return f"{name} is of shape {found[name].shape}, expected {value.shape}"
        bound = TOLERANCE * max(1.0, float(np.max(np.abs(value), initial=0.0, where=np.isfinite(value))))
        near = np.isclose(found[name], value, rtol=0, atol=bound, equal_nan=True)
        if not near.all():
            at = tuple(int(k[0]) for k in np.nonzero(~near)) if value.ndim else ()
            return f"{name}{list(at)} is {found[name][at]!r}, expected {value[at]!r}"
    return ""


def interpret(source):
    """The results of each function by the reference interpreter, by its name."""
    ran = subprocess.run([os.environ["MLC_OPT"], source, "--df-decompose=keep-differentiable", "--df-expand-gradients", "--df-interpret", "-o", os.devnull],
                         capture_output=True, text=True)
    if ran.returncode != 0:
        return ran.stderr.strip()[:2000]
    results = {}
    for line in ran.stdout.splitlines():
        if line.startswith("@"):
            values = results.setdefault(line[1:], [])
        elif line.startswith("  "):
            shape, text = re.match(r"\s+\d+: tensor<((?:\d+x)*)\w+> (.*)", line).groups()
            numbers = text.replace("-nan", "nan").replace("nan", "NaN").replace("inf", "Infinity")
            values.append(np.array(json.loads(numbers), dtype=np.float64).reshape([int(n) for n in shape.split("x")[:-1]]))
    return results


def run_module(mlc, seeds, directory):
    """Yields (seed, what differs) of programs that do."""
    programs = {seed: Program(seed, f"f{seed}") for seed in seeds}
    source, library = directory / "programs.mlir", directory / "programs.so"
    source.write_text("".join(p.text() for p in programs.values()))
    compiled = subprocess.run([mlc, "compile", source, "--emit=so", "-o", library, "--quiet"], capture_output=True, text=True)
    if compiled.returncode != 0:
        if len(seeds) == 1:
            yield seeds[0], "it does not compile: " + compiled.stderr.strip()[:2000]
            return
        for seed in seeds:
            yield from run_module(mlc, [seed], directory)
        return
    interpreted = interpret(source)
    if isinstance(interpreted, str):
        if len(seeds) == 1:
            yield seeds[0], "the interpreter refuses it: " + interpreted
            return
        for seed in seeds:
            yield from run_module(mlc, [seed], directory)
        return
    for seed, program in programs.items():
        expected = program.expected()
        if text := difference(expected, dict(zip(expected, interpreted[program.name]))):
            yield seed, "interpreter: " + text
            continue
        command = [mlc, "run", library, "--entry", program.name, "-o", directory / "out", "--json", "--quiet"]
        for i, value in enumerate(program.values):
            np.save(directory / f"x{i}.npy", value)
            command += ["--input", f"{program.name}_x{i}={directory / f'x{i}.npy'}"]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            yield seed, "it does not run: " + ran.stderr.strip()[:2000]
            continue
        found = {name: np.load(path) for name, path in json.loads(ran.stdout.splitlines()[-1]).items()}
        if text := difference(expected, found):
            yield seed, "compiled: " + text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--print", type=int, help="write the program of this seed and end")
    options = parser.parse_args()
    if options.print is not None:
        print(Program(options.print, f"f{options.print}").text())
        return 0
    mlc, failures = os.environ["MLC"], 0
    seeds = list(range(options.first, options.first + options.count))
    with tempfile.TemporaryDirectory() as directory:
        for begin in range(0, len(seeds), PROGRAMS_OF_MODULE):
            for seed, what in run_module(mlc, seeds[begin:begin + PROGRAMS_OF_MODULE], pathlib.Path(directory)):
                failures += 1
                print(f"seed {seed}: {what}", flush=True)
            print(f"{min(begin + PROGRAMS_OF_MODULE, len(seeds))} of {len(seeds)} programs, {failures} differ", file=sys.stderr, flush=True)
    print(f"{len(seeds)} programs, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
