#!/usr/bin/env python3
"""Kernels on a GPU, beside PyTorch's. Compiled where the compiler is, run where the GPU is.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    benchmarks/gpu/kernels.py compile MLC DIRECTORY [--precision P] [--only PREFIX] [--scale N]
    benchmarks/gpu/kernels.py run DIRECTORY [--precision P] [--only PREFIX] [--scale N] [--rounds N]

`compile` makes trainers whose step has a kernel for each case: one for all products, one for each other case, as launches
of those would be joined. `run` prints milliseconds of the shortest of 30 launches, the median of rounds by turns with the
peer's, and the peer's time divided by ours (and, of what moves bytes, the part of the bandwidth that a copy of 256 MiB
has); of the 64 shapes of training steps the geometric mean and the worst. --scale divides all sizes, to try the script.

Precisions: f32; tf32, bf16_mixed and f16_mixed, of which products alone are measured. Peers of tf32 are allowed TF32;
those of bf16_mixed and f16_mixed have factors of bfloat16 and float16 that are there, and a result of that type, where
ours are rounded by kernels of their own.
"""
import argparse
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

STEPS = 30
PRECISIONS = ("f32", "tf32", "bf16_mixed", "f16_mixed")


class Case:
    """An op on variables that hold random numbers, whose result is assigned to another one. `peer(torch, functional)`
    of the operands; `work`: floating-point operations, 0 where what counts are bytes; `group`: trainer it is in."""

    def __init__(self, group, name, op, operands, result, peer, attributes="", work=0.0):
        self.group, self.name, self.op, self.operands, self.result = group, name, op, operands, result
        self.peer, self.attributes, self.work = peer, attributes, work

    def bytes(self):
        return sum(4 * math.prod(shape) for shape in [*self.operands, self.result])


def slug(name):
    return "".join(c if c.isalnum() else "_" for c in name)


def product(group, m, k, n):
    return Case(group, f"matmul {m} x {k} x {n}", "matmul", [(m, k), (k, n)], (m, n), lambda t, f: t.mm, work=2.0 * m * k * n)


def products(s):
    for m, k, n in [(1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192)]:
        yield product("products", max(m // s, 16), max(k // s, 16), max(n // s, 16))
    for m, k, n in [(1024, 512, 1024), (784, 1024, 128)]:
        m, k, n = max(m // s, 16), max(k // s, 16), max(n // s, 16)
        attributes = "{lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>}"
        yield Case("products", f"weights {m} x {k} x {n}", "dot_general", [(k, m), (k, n)], (m, n), lambda t, f: lambda a, b: t.mm(a.t(), b), attributes, 2.0 * m * k * n)


def training_shapes(s):
    """Products of 64 layers: rows of a batch, inputs, outputs."""
    for m, k, n in itertools.product((32, 128, 512, 4096), (64, 256, 1024, 4096), (64, 256, 1024, 4096)):
        yield product("shapes", max(m // s, 16), max(k // s, 16), max(n // s, 16))


def convolutions(s):
    """Those of ResNet-50 with windows of 1 and 3, batch 32: side, inputs, outputs, window."""
    for side, inside, outside, window in [(56, 64, 64, 1), (56, 64, 64, 3), (56, 64, 256, 1), (28, 128, 128, 3), (14, 256, 256, 3), (14, 1024, 256, 1), (7, 512, 512, 3)]:
        rows, side, inside, outside = max(32 // s, 1), max(side // s, 7), max(inside // s, 16), max(outside // s, 16)
        half = window // 2
        work = 2.0 * rows * side * side * inside * outside * window * window
        attributes = f"{{padding = array<i64: {half}, {half}, {half}, {half}>}}"

        def peer(t, f, half=half):
            # Channels last, in both.
            def run(x, w):
                return f.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1), padding=half)
            return run

        yield Case("convolutions", f"conv {rows} x {side} x {side} x {inside} -> {outside}, {window}", "conv", [(rows, side, side, inside), (window, window, inside, outside)],
                   (rows, side, side, outside), peer, attributes, work)


def attention(s):
    rows, heads, length, part = max(8 // s, 1), max(12 // s, 1), 512 // s, 64
    shape = (rows, heads, length, part)
    yield Case("attention", f"attention {rows} x {heads} x {length} x {part}", "attention", [shape] * 3, shape, lambda t, f: lambda q, k, v: f.scaled_dot_product_attention(q, k, v, is_causal=True),
               "{causal}", 2.0 * 2 * rows * heads * length * length * part / 2)


def memory_bound(s):
    rows, width = 8192 // s, 4096 // s
    whole = (rows, width)

    def case(name, op, operands, result, peer, attributes=""):
        return Case(slug(name), f"{name} {rows} x {width}", op, operands, result, peer, attributes)

    yield case("add of", "add", [whole, whole], whole, lambda t, f: t.add)
    yield case("gelu of", "gelu", [whole], whole, lambda t, f: f.gelu)
    yield case("softmax of", "softmax", [whole], whole, lambda t, f: lambda x: t.softmax(x, 1), "{axis = 1 : i64}")
    yield case("layer norm of", "layer_norm", [whole], whole, lambda t, f: lambda x: f.layer_norm(x, (x.shape[1],)), "{axes = array<i64: 1>}")
    yield case("sum of rows", "reduce_sum", [whole], (rows,), lambda t, f: lambda x: t.sum(x, 1), "{axes = array<i64: 1>}")
    yield case("sum of columns", "reduce_sum", [whole], (width,), lambda t, f: lambda x: t.sum(x, 0), "{axes = array<i64: 0>}")


def groups_of(arguments):
    """Cases by the trainer that they are in."""
    s = arguments.scale
    cases = [*products(s), *training_shapes(s), *convolutions(s), *attention(s)]
    if arguments.precision == "f32":
        cases += memory_bound(s)
    groups, known = {}, set()
    for case in cases:
        # Sizes that are scaled to the same are one case.
        if case.group.startswith(arguments.only) and (case.group, case.name) not in known:
            known.add((case.group, case.name))
            groups.setdefault(case.group, []).append(case)
    if not groups:
        sys.exit(f"kernels.py: no group of cases begins with '{arguments.only}'; there are {', '.join(dict.fromkeys(case.group for case in cases))}")
    return groups


def module(cases, precision):
    """A module whose step runs the cases, and the line of each one's op. Operands of one shape are one variable."""
    def type_of(shape):
        return "tensor<" + "x".join([*map(str, shape), "f32"]) + ">"

    def name_of(shape, o):
        return f"x{o}_" + "_".join(map(str, shape))

    operands = dict.fromkeys((shape, o) for case in cases for o, shape in enumerate(case.operands))
    lines = [f"module attributes {{df.precision = #df.precision<{precision}>, mlc.name = \"kernels\", mlc.settings = {{train.batch_size = 1 : i64}}}} {{"]
    lines += [f"  df.variable @{name_of(shape, o)} : {type_of(shape)} = #df.uniform<-1.0, 1.0>" for shape, o in operands]
    lines += [f"  df.variable @y{c} : {type_of(case.result)} = #df.constant<0.0>" for c, case in enumerate(cases)]
    lines += ["  df.function @train(%i: tensor<?xf32> {df.name = \"i\"}) -> (tensor<f32> {df.name = \"loss\"}) attributes {role = #df.role<train>} {"]
    lines += [f"    %{name_of(shape, o)} = df.read @{name_of(shape, o)} : {type_of(shape)}" for shape, o in operands]
    places = []
    for c, case in enumerate(cases):
        types = ", ".join(map(type_of, case.operands))
        typed = type_of(case.result) if case.op in ("add", "gelu") else f"({types}) -> {type_of(case.result)}"
        names = ", ".join(f"%{name_of(shape, o)}" for o, shape in enumerate(case.operands))
        lines.append(f"    %y{c} = df.{case.op} {names} {case.attributes} : {typed}")
        places.append(len(lines))
        lines.append(f"    df.assign @y{c}, %y{c} : {type_of(case.result)}")
    lines += ["    %loss = df.reduce_mean %i {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>", "    df.return %loss : tensor<f32>", "  }", "}", ""]
    return "\n".join(lines), places


def compile_cases(arguments):
    for group, cases in groups_of(arguments).items():
        directory = os.path.join(arguments.directory, group)
        os.makedirs(directory, exist_ok=True)
        source = os.path.join(directory, "kernels.mlir")
        text, places = module(cases, arguments.precision)
        with open(source, "w") as file:
            file.write(text)
        command = [arguments.mlc, "compile", source, "--target=cuda", "--quiet", "--chip", "sm_80", "--chip", "sm_90a"]
        subprocess.run([*command, "-o", os.path.join(directory, "kernels")], check=True)
        # Kernels are named after the file and the line that they are of. Where some of a line use tensor cores, others
        # round the factors.
        entries = {}
        for chip in "sm_80", "sm_90a":
            ptx = subprocess.run([*command[:-4], "--chip", chip, "--emit=ptx", "-o", "-"], check=True, stdout=subprocess.PIPE, text=True).stdout
            for entry in ptx.split(".visible .entry ")[1:]:
                name, body = entry.split("(", 1)
                entries[name] = entries.get(name, False) or "mma.sync" in body or "wgmma.mma_async" in body
        of_case = []
        for place, case in zip(places, cases):
            named = [name for name in entries if name.endswith(f"_kernels_{place}")]
            chosen = [name for name in named if entries[name]] or named
            if not chosen:
                sys.exit(f"kernels.py: no kernel is named after line {place} of {source}, {case.name}; there are {', '.join(entries)}")
            of_case.append(chosen)
        with open(os.path.join(directory, "kernels.json"), "w") as file:
            json.dump(of_case, file)


def measured(directory, cases):
    """Milliseconds of each case: the sum over its kernels of their shortest launches."""
    with open(os.path.join(directory, "kernels.json")) as file:
        of_case = json.load(file)
    if len(of_case) != len(cases):
        sys.exit(f"kernels.py: {directory} has {len(of_case)} cases, expected {len(cases)}: compiled with other arguments")
    with tempfile.TemporaryDirectory() as scratch:
        rows, times = os.path.join(scratch, "rows.csv"), os.path.join(scratch, "times.json")
        with open(rows, "w") as file:
            file.write("i\n1\n2\n")
        subprocess.run([os.path.join(directory, "kernels"), "train", "--device", "gpu", "--quiet", "--train_files", rows, "--max_steps", str(STEPS), "--model_dir", os.path.join(scratch, "m")],
                       check=True, env={**os.environ, "MLC_GPU_TIMES": times})
        with open(times) as file:
            least = {kernel["kernel"]: kernel["least"] for kernel in json.load(file)["kernels"]}
    missing = [case.name for case, names in zip(cases, of_case) if not any(name in least for name in names)]
    if missing:
        sys.exit(f"kernels.py: no kernel of {', '.join(missing)} was launched; launched were {', '.join(least)}")
    return [sum(least.get(name, 0) for name in names) for names in of_case]


class Peer:
    """PyTorch, if it and a GPU are there."""

    def __init__(self, precision):
        try:
            import torch
            self.torch, self.name = torch, torch.cuda.get_device_name()
        except Exception as error:  # whatever of it is missing
            self.torch, self.name = None, str(error)
            print(f"no peer: {error}")
            return
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
        torch.backends.cudnn.benchmark = True
        self.dtype = {"bf16_mixed": torch.bfloat16, "f16_mixed": torch.float16}.get(precision, torch.float32)
        factors = {"f32": "float32 without TF32", "tf32": "float32 with TF32", "bf16_mixed": "bfloat16", "f16_mixed": "float16"}
        print(f"peer: PyTorch {torch.__version__} on {self.name}, {factors[precision]}")

    def least(self, run):
        """Milliseconds of the shortest of STEPS calls, after three."""
        torch = self.torch
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        times = []
        for _ in range(STEPS + 3):
            begin.record()
            run()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
        return min(times[3:])

    def measure(self, case):
        values = [(self.torch.rand(shape, device="cuda") * 2 - 1).to(self.dtype) for shape in case.operands]
        op = case.peer(self.torch, self.torch.nn.functional)
        return self.least(lambda: op(*values))

    def copy_speed(self):
        """Bytes read and written in a millisecond by a copy of 256 MiB."""
        source = self.torch.rand(64 << 20, device="cuda")
        target = self.torch.empty_like(source)
        return 2 * source.nbytes / self.least(lambda: target.copy_(source))


def run_cases(arguments):
    groups = groups_of(arguments)
    peer = Peer(arguments.precision)
    copy = peer.copy_speed() if peer.torch and arguments.precision == "f32" else None
    if copy:
        print(f"a copy of 256 MiB moves {copy / 1e6:.0f} GB/s")
    print(f"{'kernel':44} {'ms':>9} {'TFLOP/s':>9} {'GB/s':>7} {'peer ms':>9} {'ratio':>6} {'copy':>5}")
    for group, cases in groups.items():
        ours, peers = [[] for _ in cases], [[] for _ in cases]
        for _ in range(arguments.rounds):
            for times, least in zip(ours, measured(os.path.join(arguments.directory, group), cases)):
                times.append(least)
            for times, case in zip(peers, cases):
                if peer.torch:
                    times.append(peer.measure(case))
        ratios = []
        for case, mine, other in zip(cases, ours, peers):
            middle = statistics.median(mine)
            work = f"{case.work / middle / 1e9:9.2f}" if case.work else " " * 9
            line = f"{case.name:44} {middle:9.4f} {work} {case.bytes() / middle / 1e6:7.0f}"
            if other:
                ratios.append(statistics.median(other) / middle)
                line += f" {statistics.median(other):9.4f} {ratios[-1]:6.2f}"
            if copy and not case.work:
                line += f" {case.bytes() / middle / copy:5.2f}"
            print(line)
        if len(ratios) > 1:
            print(f"{group}: geometric mean {statistics.geometric_mean(ratios):.2f}, worst {min(ratios):.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    making, running = verbs.add_parser("compile"), verbs.add_parser("run")
    making.add_argument("mlc")
    running.add_argument("--rounds", type=int, default=3)
    for verb in making, running:
        verb.add_argument("directory")
        verb.add_argument("--precision", choices=PRECISIONS, default="f32")
        verb.add_argument("--only", default="", metavar="PREFIX", help="groups of cases whose names begin so: products, shapes, ...")
        verb.add_argument("--scale", type=int, default=1, help="divides all sizes")
    arguments = parser.parse_args()
    (compile_cases if arguments.verb == "compile" else run_cases)(arguments)


if __name__ == "__main__":
    main()
