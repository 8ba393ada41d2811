#!/usr/bin/env python3
"""How compile time and memory of `mlc compile` grow with the size of a program: element-wise chains, their gradients, layers,
variables with their updates, independent launches, columns of a spec, and hidden layers of one.

    benchmarks/compile/growth.py [--mlc build/bin/mlc] [--kinds chain,numeric] [--sizes 200,800,3200] [--emit so]

Prints, for each kind and size, seconds of CPU, the largest phases, peak memory, and the exponent of the growth of CPU time from the
size before, with the time of the smallest program subtracted as start-up. Every op of a program differs from the others, so that equal kernels do not hide
what each costs.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import time

X = "tensor<?x16xf32>"


def elementwise(size, name="%x"):
    """A chain of `size` ops, of which a third are expansions of functions; every constant differs."""
    lines, last = [], name
    for i in range(size):
        value = f"%v{i}"
        if i % 3 == 0:
            lines.append(f"  {value} = df.tanh {last} : {X}")
        else:
            op = ("df.add", "df.mul")[i % 3 - 1]
            lines.append(f"  %c{i} = df.constant dense<{1 + 1 / (i + 2):.9f}> : tensor<f32>")
            lines.append(f"  %b{i} = df.broadcast %c{i} like {last} dimensions = [] : (tensor<f32>, {X}) -> {X}")
            lines.append(f"  {value} = {op} {last}, %b{i} : {X}")
        last = value
    return lines, last


def chain(size):
    lines, last = elementwise(size)
    return "\n".join([f'df.function @f(%x: {X} {{df.name = "x"}}) -> ({X} {{df.name = "y"}}) {{'] + lines +
                     [f"  df.return {last} : {X}", "}"])


def train(size):
    """The gradient of a chain for a variable that it starts from."""
    lines, last = elementwise(size, "%start")
    return "\n".join(
        ["df.variable @w : tensor<16xf32> = #df.constant<0.5> {trainable}",
         f'df.function @f(%x: {X} {{df.name = "x"}}) -> (tensor<16xf32> {{df.name = "y"}}) {{',
         "  %w = df.read @w : tensor<16xf32>",
         f"  %r = df.broadcast %w like %x dimensions = [1] : (tensor<16xf32>, {X}) -> {X}",
         f"  %start = df.mul %x, %r : {X}"] + lines +
        [f"  %loss = df.reduce_sum {last} {{axes = array<i64: 0, 1>}} : ({X}) -> tensor<f32>",
         "  %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> tensor<16xf32>",
         "  df.return %dw : tensor<16xf32>", "}"])


def layers(size):
    """Products one after another, each with a variable of its own: `size` launches in a row."""
    variables = [f"df.variable @w{i} : tensor<16x16xf32> = #df.constant<0.1>" for i in range(size)]
    lines, last = [], "%x"
    for i in range(size):
        lines += [f"  %w{i} = df.read @w{i} : tensor<16x16xf32>",
                  f"  %p{i} = df.matmul {last}, %w{i} : ({X}, tensor<16x16xf32>) -> {X}", f"  %v{i} = df.tanh %p{i} : {X}"]
        last = f"%v{i}"
    return "\n".join(variables + [f'df.function @f(%x: {X} {{df.name = "x"}}) -> ({X} {{df.name = "y"}}) {{'] + lines +
                     [f"  df.return {last} : {X}", "}"])


def variables(size):
    """A training step of `size` variables with momentum, each of which scales what comes from the one before."""
    declared, lines, last = [], [], "%x"
    for i in range(size):
        declared += [f"df.variable @w{i} : tensor<16xf32> = #df.constant<{1 + 1 / (i + 2):.9f}> {{trainable}}",
                     f'df.variable @m{i} : tensor<16xf32> = #df.constant<0.0> {{slot_of = @w{i}, slot = "momentum"}}']
        lines += [f"  %w{i} = df.read @w{i} : tensor<16xf32>",
                  f"  %b{i} = df.broadcast %w{i} like {last} dimensions = [1] : (tensor<16xf32>, {X}) -> {X}",
                  f"  %p{i} = df.mul {last}, %b{i} : {X}", f"  %v{i} = df.tanh %p{i} : {X}"]
        last = f"%v{i}"
    lines += [f"  %each = df.reduce_mean {last} {{axes = array<i64: 1>}} : ({X}) -> tensor<?xf32>",
              "  %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>",
              f"  {', '.join(f'%d{i}' for i in range(size))} = df.gradients %loss wrt [{', '.join(f'@w{i}' for i in range(size))}] : "
              f"(tensor<f32>) -> ({', '.join(['tensor<16xf32>'] * size)})",
              "  %keep = df.constant dense<0.9> : tensor<16xf32>", "  %rate = df.constant dense<0.1> : tensor<16xf32>"]
    for i in range(size):
        lines += [f"  %m{i} = df.read @m{i} : tensor<16xf32>", f"  %k{i} = df.mul %keep, %m{i} : tensor<16xf32>",
                  f"  %n{i} = df.add %k{i}, %d{i} : tensor<16xf32>", f"  df.assign @m{i}, %n{i} : tensor<16xf32>",
                  f"  %s{i} = df.mul %rate, %n{i} : tensor<16xf32>", f"  df.assign_sub @w{i}, %s{i} : tensor<16xf32>"]
    return "\n".join(['module attributes {mlc.name = "variables"} {'] + declared +
                     [f'df.function @f(%x: {X} {{df.name = "x"}}) -> (tensor<f32> {{df.name = "loss"}}) attributes {{role = #df.role<train>}} {{'] + lines +
                     ["  df.return %loss : tensor<f32>", "}", "}"])


def launches(size):
    """Sums that do not depend on each other, added up: `size` launches side by side."""
    lines, last = [], None
    for i in range(size):
        lines += [f"  %c{i} = df.constant dense<{1 + 1 / (i + 2):.9f}> : tensor<f32>",
                  f"  %b{i} = df.broadcast %c{i} like %x dimensions = [] : (tensor<f32>, {X}) -> {X}", f"  %m{i} = df.mul %x, %b{i} : {X}",
                  f"  %s{i} = df.reduce_max %m{i} {{axes = array<i64: 0>}} : ({X}) -> tensor<16xf32>"]
        if last:
            lines.append(f"  %t{i} = df.add {last}, %s{i} : tensor<16xf32>")
        last = f"%t{i}" if last else f"%s{i}"
    return "\n".join([f'df.function @f(%x: {X} {{df.name = "x"}}) -> (tensor<16xf32> {{df.name = "y"}}) {{'] + lines +
                     [f"  df.return {last} : tensor<16xf32>", "}"])


SPEC = """name: "wide"
input {{ csv {{ header: true }} {inputs} column {{ name: "label" dtype: INT64 }} }}
{columns}
model {{ dnn_linear_combined {{
  linear {{ feature_columns: [{linear}] optimizer {{ ftrl {{ learning_rate: 0.05 }} }} }}
  dnn {{ feature_columns: [{deep}] hidden_units: [64, 32] optimizer {{ adagrad {{ learning_rate: 0.05 }} }} }}
}} }}
head {{ label: "label" binary_class {{}} }}
train {{ batch_size: 128 }}"""


def numeric(size):
    """A linear model with FTRL and a DNN of `size` numeric columns, each with a mean of its own."""
    columns = [f'feature_column {{ numeric {{ key: "I{i}" z_score {{ mean: {i % 7 + 0.5} stddev: 2 }} }} }}' for i in range(size)]
    return SPEC.format(inputs=f'column {{ name: "I[0-{size - 1}]" dtype: FLOAT32 }}', columns="\n".join(columns),
                       linear=f'"I[0-{size - 1}]"', deep=f'"I[0-{size - 1}]"')


def categorical(size):
    """Wide & deep: `size` columns of 1,000 ids, each with weights and an embedding of 8 numbers."""
    return SPEC.format(inputs=f'column {{ name: "C[0-{size - 1}]" dtype: INT64 }}',
                       columns=f'feature_column {{ categorical_with_identity {{ key: "C[0-{size - 1}]" num_buckets: 1000 }} }}\n'
                       f'feature_column {{ embedding {{ categorical_column: "C[0-{size - 1}]" dimension: 8 }} }}',
                       linear=f'"C[0-{size - 1}]"', deep='"*_embedding"')


def mixed(size):
    """Wide & deep: a third each of numeric columns, of buckets of others, and of ids with weights and an embedding of 8 numbers."""
    third = max(size // 3, 1)
    columns = [f'feature_column {{ numeric {{ key: "I{i}" z_score {{ mean: {i % 7 + 0.5} stddev: 2 }} }} }}' for i in range(third)]
    columns += [f'feature_column {{ name: "b{i}" bucketized {{ source_column: "N{i}" boundaries: [{i % 5}, {i % 5 + 1.5}, {i % 5 + 4}] }} }}\n'
                f'feature_column {{ numeric {{ key: "N{i}" }} }}' for i in range(third)]
    columns += [f'feature_column {{ categorical_with_identity {{ key: "C[0-{third - 1}]" num_buckets: 1000 }} }}',
                f'feature_column {{ embedding {{ categorical_column: "C[0-{third - 1}]" dimension: 8 }} }}']
    return SPEC.format(inputs=f'column {{ name: "I[0-{third - 1}]" dtype: FLOAT32 }} column {{ name: "N[0-{third - 1}]" dtype: FLOAT32 }} '
                       f'column {{ name: "C[0-{third - 1}]" dtype: INT64 }}',
                       columns="\n".join(columns), linear=f'"I[0-{third - 1}]", "b[0-{third - 1}]", "C[0-{third - 1}]"',
                       deep=f'"I[0-{third - 1}]", "*_embedding"')


def deep(size):
    """A DNN of `size` hidden layers of widths that differ, with Adagrad."""
    spec = SPEC.format(inputs='column { name: "x" dtype: FLOAT32 }', columns='feature_column { numeric { key: "x" } }', linear='"x"', deep='"x"')
    return spec.replace("hidden_units: [64, 32]", f"hidden_units: [{', '.join(str(32 + i % 7) for i in range(size))}]")


KINDS = {"chain": chain, "train": train, "layers": layers, "variables": variables, "launches": launches, "numeric": numeric,
         "categorical": categorical, "mixed": mixed, "deep": deep}


def measured(mlc, text, emit, timeout):
    """(seconds of CPU, peak MiB, phases) of one compilation; None for the phases if it does not end."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "program.pbtxt" if text.startswith("name:") else "program.mlir")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text + "\n")
        command = [mlc, "compile", path, f"--emit={emit}", "-o", os.path.join(directory, "out"), "--timing"]
        with open(os.path.join(directory, "log"), "w+", encoding="utf-8") as log:
            child = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
            end, ended = time.monotonic() + timeout, True
            while True:
                pid, status, usage = os.wait4(child.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() > end and ended:
                    ended = False
                    child.kill()
                time.sleep(0.01)
            log.seek(0)
            output = log.read()
        if ended and status:
            sys.exit(f"{' '.join(command)}:\n{output}")
    phases = {name: float(seconds) for seconds, name in re.findall(r"^\s+([\d.]+) s\s+(\S.*)$", output, re.M)}
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, phases if ended else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--mlc", default="build/bin/mlc")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--sizes", default="100,200,400,800,1600")
    parser.add_argument("--emit", default="so")
    parser.add_argument("--timeout", type=float, default=300)
    arguments = parser.parse_args()
    for kind in arguments.kinds.split(","):
        if kind not in KINDS:
            parser.error(f"no kind '{kind}'; expected one of {', '.join(KINDS)}")
        start, _, _ = measured(arguments.mlc, KINDS[kind](1), arguments.emit, arguments.timeout)
        print(f"{kind}: start-up {start:.2f} s\n  {'size':>6} {'CPU s':>8} {'MiB':>6} {'exponent':>8}  largest phases")
        before = None
        for size in map(int, arguments.sizes.split(",")):
            seconds, memory, phases = measured(arguments.mlc, KINDS[kind](size), arguments.emit, arguments.timeout)
            if phases is None:
                print(f"  {size:>6}   does not end in {arguments.timeout:g} s")
                break
            own = max(seconds - start, 1e-3)
            exponent = f"{math.log(own / before[1]) / math.log(size / before[0]):8.2f}" if before else " " * 8
            phases.pop("total", None)
            largest = sorted(phases.items(), key=lambda p: -p[1])[:4]
            print(f"  {size:>6} {seconds:8.2f} {memory:6.0f} {exponent}  " + ", ".join(f"{n} {s:.2f}" for n, s in largest), flush=True)
            before = (size, own)


if __name__ == "__main__":
    main()
