#!/usr/bin/env python3
"""Whole models as df programs, with their training step: a transformer of n layers with Adam, and ResNet-50 with momentum.

    benchmarks/compile/models.py --write transformer --layers 12 > transformer.mlir
    benchmarks/compile/models.py [--mlc build/bin/mlc] [--against OLD/bin/mlc] [--models transformer,resnet50] [--rounds 3]

Without --write, prints seconds of CPU and of time, peak memory and the largest phases of `mlc compile --emit=so`; --against compiles by turns with another
compiler and prints ratios. growth.py has programs of any size whose ops all differ; here layers repeat, as they do in models.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import statistics

from growth import measured


class Program:
    """Text of a module: variables with slots, and one train function."""

    def __init__(self):
        self.variables, self.trained, self.lines, self.count = [], [], [], 0

    def value(self):
        self.count += 1
        return f"%v{self.count}"

    def add(self, line):
        self.lines.append("    " + line)

    def op(self, text, result):
        """A value of type `result` by an op whose text ends before the result's type."""
        name = self.value()
        self.add(f"{name} = {text} -> {result}")
        return name

    def same(self, op, *operands, kind):
        """A value by an element-wise op on values of type `kind`."""
        name = self.value()
        self.add(f"{name} = {op} {', '.join(operands)} : {kind}")
        return name

    def variable(self, name, shape, initial, slots):
        """Declares a trained variable with its slots, and reads it."""
        kind = tensor(shape)
        self.variables.append(f"  df.variable @{name} : {kind} = {initial} {{trainable}}")
        for slot in slots:
            self.variables.append(f"  df.variable @{name}_{slot} : {kind} = #df.constant<0.0> {{slot_of = @{name}, slot = \"{slot}\"}}")
        self.trained.append((name, kind))
        return self.same("df.read", f"@{name}", kind=kind)

    def spread(self, value, shape, like, of, dimensions):
        """`value` of type `shape` repeated to the shape of `like`, which has type `of`."""
        return self.op(f"df.broadcast {value} like {like} dimensions = [{dimensions}] : ({shape}, {of})", of)

    def scalar(self, number):
        return self.same("df.constant", f"dense<{number}>", kind="tensor<f32>")

    def fill(self, value, kind):
        return self.op(f"df.broadcast {value} dimensions = [] : (tensor<f32>)", kind)

    def gradients(self, loss):
        names = [self.value() for _ in self.trained]
        symbols = ", ".join("@" + name for name, _ in self.trained)
        kinds = ", ".join(kind for _, kind in self.trained)
        self.add(f"{', '.join(names)} = df.gradients {loss} wrt [{symbols}] : (tensor<f32>) -> ({kinds})")
        return names

    def momentum(self, loss):
        rate = self.op('df.setting "learning_rate" = 1.0e-01 : f64 {doc = "of momentum"}', "tensor<f32>")
        keep = self.scalar(0.9)
        for (name, kind), gradient in zip(self.trained, self.gradients(loss)):
            kept = self.same("df.mul", self.fill(keep, kind), self.same("df.read", f"@{name}_momentum", kind=kind), kind=kind)
            new = self.same("df.add", kept, gradient, kind=kind)
            self.add(f"df.assign @{name}_momentum, {new} : {kind}")
            step = self.same("df.mul", self.fill(rate, kind), new, kind=kind)
            self.add(f"df.assign_sub @{name}, {step} : {kind}")

    def adam(self, loss):
        f32 = "tensor<f32>"
        self.variables.append("  df.variable @steps : tensor<f32> = #df.constant<0.0>")
        rate = self.op('df.setting "learning_rate" = 1.0e-03 : f64 {doc = "of Adam"}', f32)
        one = self.scalar(1.0)
        self.add(f"df.assign_add @steps, {one} : tensor<f32>")
        steps = self.same("df.read", "@steps", kind=f32)
        beta1, rest1, beta2, rest2, epsilon = map(self.scalar, (0.9, 0.1, 0.999, 0.001, "1.0e-8"))
        bias1, bias2 = (self.same("df.sub", one, self.same("df.pow", beta, steps, kind=f32), kind=f32) for beta in (beta1, beta2))
        corrected = self.same("df.mul", rate, self.same("df.div", self.same("df.sqrt", bias2, kind=f32), bias1, kind=f32), kind=f32)
        for (name, kind), gradient in zip(self.trained, self.gradients(loss)):
            moments = []
            for slot, beta, rest, new in (("m", beta1, rest1, gradient), ("v", beta2, rest2, self.same("df.square", gradient, kind=kind))):
                kept = self.same("df.mul", self.fill(beta, kind), self.same("df.read", f"@{name}_{slot}", kind=kind), kind=kind)
                moments.append(self.same("df.add", kept, self.same("df.mul", self.fill(rest, kind), new, kind=kind), kind=kind))
                self.add(f"df.assign @{name}_{slot}, {moments[-1]} : {kind}")
            below = self.same("df.add", self.same("df.sqrt", moments[1], kind=kind), self.fill(epsilon, kind), kind=kind)
            step = self.same("df.mul", self.fill(corrected, kind), self.same("df.div", moments[0], below, kind=kind), kind=kind)
            self.add(f"df.assign_sub @{name}, {step} : {kind}")

    def text(self, name, arguments, loss):
        return "\n".join([f'module attributes {{mlc.name = "{name}"}} {{'] + self.variables +
                         [f'  df.function @train({arguments}) -> (tensor<f32> {{df.name = "loss"}}) attributes {{role = #df.role<train>}} {{'] +
                         self.lines + [f"    df.return {loss} : tensor<f32>", "  }", "}"])


def tensor(shape, element="f32"):
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


def transformer(layers, length=128, width=512, heads=8, vocabulary=8192):
    """A causal language model as GPT-2 is built: norms ahead of attention and of the two dense layers, learned positions, Adam."""
    p, slots = Program(), ("m", "v")
    x_shape, part = ["?", length, width], width // heads
    kind = tensor(x_shape)

    def normal(shape):
        return f"#df.normal<0.0, {0.02}>" if len(shape) > 1 else "#df.constant<0.0>"

    def norm(name, x):
        scale = p.variable(f"{name}_scale", [width], "#df.constant<1.0>", slots)
        offset = p.variable(f"{name}_offset", [width], "#df.constant<0.0>", slots)
        return p.op(f"df.layer_norm {x} scale {scale} offset {offset} {{axes = array<i64: 2>}} : ({kind}, {tensor([width])}, {tensor([width])})", kind)

    def dense(name, x, inside, outside):
        w = p.variable(f"{name}_kernel", [inside, outside], normal([inside, outside]), slots)
        b = p.variable(f"{name}_bias", [outside], normal([outside]), slots)
        out = tensor(["?", length, outside])
        y = p.op(f"df.batch_matmul {x}, {w} : ({tensor(['?', length, inside])}, {tensor([inside, outside])})", out)
        return p.same("df.add", y, p.spread(b, tensor([outside]), y, out, "2"), kind=out), out

    def split(x, start):
        y = p.op(f"df.slice {x} {{starts = array<i64: 0, 0, {start}>, sizes = array<i64: -1, {length}, {width}>}} : ({tensor(['?', length, 3 * width])})", kind)
        y = p.op(f"df.reshape {y} : ({kind})", tensor(["?", length, heads, part]))
        return p.op(f"df.transpose {y} {{permutation = array<i64: 0, 2, 1, 3>}} : ({tensor(['?', length, heads, part])})", tensor(["?", heads, length, part]))

    table = p.variable("tokens", [vocabulary, width], normal([0, 0]), slots)
    positions = p.variable("positions", [length, width], normal([0, 0]), slots)
    x = p.op(f"df.gather {table}, %ids {{axes = array<i64: 0>}} : ({tensor([vocabulary, width])}, {tensor(['?', length], 'i64')})", kind)
    x = p.same("df.add", x, p.spread(positions, tensor([length, width]), x, kind, "1, 2"), kind=kind)
    for i in range(layers):
        all_three, _ = dense(f"layer{i}_qkv", norm(f"layer{i}_norm1", x), width, 3 * width)
        q, k, v = (split(all_three, start) for start in (0, width, 2 * width))
        head = tensor(["?", heads, length, part])
        a = p.op(f"df.attention {q}, {k}, {v} {{causal}} : ({head}, {head}, {head})", head)
        a = p.op(f"df.transpose {a} {{permutation = array<i64: 0, 2, 1, 3>}} : ({head})", tensor(["?", length, heads, part]))
        a = p.op(f"df.reshape {a} : ({tensor(['?', length, heads, part])})", kind)
        a, _ = dense(f"layer{i}_project", a, width, width)
        x = p.same("df.add", x, a, kind=kind)
        h, inner = dense(f"layer{i}_up", norm(f"layer{i}_norm2", x), width, 4 * width)
        h, _ = dense(f"layer{i}_down", p.same("df.gelu", h, kind=inner), 4 * width, width)
        x = p.same("df.add", x, h, kind=kind)
    x = norm("norm", x)
    head = p.variable("output", [width, vocabulary], normal([0, 0]), slots)
    classes = tensor(["?", length, vocabulary])
    logits = p.op(f"df.batch_matmul {x}, {head} : ({kind}, {tensor([width, vocabulary])})", classes)
    each = p.op(f"df.softmax_cross_entropy {logits}, %next : ({classes}, {tensor(['?', length], 'i64')})", tensor(["?", length]))
    row = p.op(f"df.reduce_mean {each} {{axes = array<i64: 1>}} : ({tensor(['?', length])})", "tensor<?xf32>")
    loss = p.op(f"df.batch_mean {row} : (tensor<?xf32>)", "tensor<f32>")
    p.adam(loss)
    ids = tensor(["?", length], "i64")
    return p.text("transformer", f'%ids: {ids} {{df.name = "ids"}}, %next: {ids} {{df.name = "next"}}', loss)


def resnet50(size=224, classes=1000, blocks=(3, 4, 6, 3)):
    """ResNet-50 (He et al. 2015) with batch norm, whose moving averages it keeps, and momentum."""
    p, slots = Program(), ("momentum",)

    def conv(name, x, side, inside, outside, window, stride):
        to = side // stride
        low = max(window - stride, 0) // 2
        high = max(window - stride, 0) - low
        w = p.variable(f"{name}_kernel", [window, window, inside, outside], f"#df.truncated_normal<0.0, {(2 / (window * window * inside)) ** 0.5:.6f}>", slots)
        attributes = f"{{padding = array<i64: {low}, {high}, {low}, {high}>, strides = array<i64: {stride}, {stride}>}}"
        y = p.op(f"df.conv {x}, {w} {attributes} : ({tensor(['?', side, side, inside])}, {tensor([window, window, inside, outside])})", tensor(["?", to, to, outside]))
        return norm(name, y, to, outside), to

    def norm(name, x, side, channels):
        kind, stats = tensor(["?", side, side, channels]), tensor([channels])
        scale = p.variable(f"{name}_scale", [channels], "#df.constant<1.0>", slots)
        offset = p.variable(f"{name}_offset", [channels], "#df.constant<0.0>", slots)
        y, *moments = (p.value() for _ in range(3))
        p.add(f"{y}, {moments[0]}, {moments[1]} = df.batch_norm_training {x} scale {scale} offset {offset} {{axes = array<i64: 0, 1, 2>}} : "
              f"({kind}, {stats}, {stats}) -> ({kind}, {stats}, {stats})")
        for which, moment, initial in zip(("mean", "variance"), moments, (0.0, 1.0)):
            # The statistics of each shard by its rows, added and divided by all rows.
            p.variables.append(f"  df.variable @{name}_{which} : {stats} = #df.constant<{initial}>")
            moving = p.same("df.read", f"@{name}_{which}", kind=stats)
            weighted = p.same("df.mul", moment, p.fill(rows, stats), kind=stats)
            sums = p.op(f'df.all_reduce {weighted} {{name = "{name}_{which}_sum"}} : ({stats})', stats)
            far = p.same("df.sub", p.same("df.div", sums, p.fill(total, stats), kind=stats), moving, kind=stats)
            p.add(f"df.assign_add @{name}_{which}, {p.same('df.mul', p.fill(p.scalar(0.1), stats), far, kind=stats)} : {stats}")
        return y

    def relu(x, side, channels):
        return p.same("df.relu", x, kind=tensor(["?", side, side, channels]))

    count = p.op(f"df.size %image {{dimensions = array<i64: 0>}} : ({tensor(['?', size, size, 3])})", "tensor<i64>")
    rows = p.op(f"df.cast {count} : (tensor<i64>)", "tensor<f32>")
    total = p.op('df.all_reduce ' + rows + ' {name = "rows"} : (tensor<f32>)', "tensor<f32>")
    total = p.same("df.maximum", total, p.scalar(1.0), kind="tensor<f32>")
    x, side = conv("stem", "%image", size, 3, 64, 7, 2)
    x = relu(x, side, 64)
    attributes = "{window = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 0, 1, 0, 1>}"
    x = p.op(f"df.max_pool {x} {attributes} : ({tensor(['?', side, side, 64])})", tensor(["?", side // 2, side // 2, 64]))
    side, channels = side // 2, 64
    for stage, count in enumerate(blocks):
        width = 64 << stage
        for block in range(count):
            name, stride = f"stage{stage}_block{block}", 2 if stage and not block else 1
            y, _ = conv(f"{name}_reduce", x, side, channels, width, 1, 1)
            y, to = conv(f"{name}_middle", relu(y, side, width), side, width, width, 3, stride)
            y, _ = conv(f"{name}_expand", relu(y, to, width), to, width, 4 * width, 1, 1)
            if not block:
                x, _ = conv(f"{name}_shortcut", x, side, channels, 4 * width, 1, stride)
            side, channels = to, 4 * width
            x = relu(p.same("df.add", y, x, kind=tensor(["?", side, side, channels])), side, channels)
    x = p.op(f"df.reduce_mean {x} {{axes = array<i64: 1, 2>}} : ({tensor(['?', side, side, channels])})", tensor(["?", channels]))
    w = p.variable("dense_kernel", [channels, classes], "#df.normal<0.0, 0.01>", slots)
    b = p.variable("dense_bias", [classes], "#df.constant<0.0>", slots)
    out = tensor(["?", classes])
    y = p.op(f"df.matmul {x}, {w} : ({tensor(['?', channels])}, {tensor([channels, classes])})", out)
    logits = p.same("df.add", y, p.spread(b, tensor([classes]), y, out, "1"), kind=out)
    each = p.op(f"df.softmax_cross_entropy {logits}, %label : ({out}, tensor<?xi64>)", "tensor<?xf32>")
    loss = p.op(f"df.batch_mean {each} : (tensor<?xf32>)", "tensor<f32>")
    p.momentum(loss)
    return p.text("resnet50", f'%image: {tensor(["?", size, size, 3])} {{df.name = "image"}}, %label: tensor<?xi64> {{df.name = "label"}}', loss)


MODELS = {"transformer": lambda arguments: transformer(arguments.layers), "resnet50": lambda arguments: resnet50()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--mlc", default="build/bin/mlc")
    parser.add_argument("--against", help="another compiler, by turns")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--layers", type=int, default=12, help="of the transformer")
    parser.add_argument("--emit", default="so")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--write", choices=MODELS, help="writes a program to stdout")
    arguments = parser.parse_args()
    if arguments.write:
        print(MODELS[arguments.write](arguments))
        return
    compilers = [arguments.mlc] + ([arguments.against] if arguments.against else [])
    for model in arguments.models.split(","):
        if model not in MODELS:
            parser.error(f"no model '{model}'; expected one of {', '.join(MODELS)}")
        text, runs = MODELS[model](arguments), {compiler: [] for compiler in compilers}
        for _ in range(arguments.rounds):
            for compiler in compilers:
                runs[compiler].append(measured(compiler, text, arguments.emit, arguments.timeout))
        for compiler in compilers:
            if any(phases is None for _, _, phases in runs[compiler]):
                print(f"{model} by {compiler}: does not end in {arguments.timeout:g} s")
                continue
            seconds, memory, phases = (list(column) for column in zip(*runs[compiler]))
            total = statistics.median(p["total"] for p in phases)
            largest = sorted(((n, s) for n, s in phases[-1].items() if n != "total"), key=lambda p: -p[1])[:5]
            print(f"{model} by {compiler}: {statistics.median(seconds):.2f} s of CPU, {total:.2f} s, {max(memory):.0f} MiB; " +
                  ", ".join(f"{n} {s:.2f}" for n, s in largest), flush=True)
        if arguments.against:
            ratios = [a[0] / b[0] for a, b in zip(runs[arguments.mlc], runs[arguments.against])]
            print(f"  CPU beside the other, median of ratios: {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
