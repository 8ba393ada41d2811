#!/usr/bin/env python3
# Kernels on a GPU, beside PyTorch's. Compiled where the compiler is, run where the GPU is.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   benchmarks/gpu/kernels.py compile MLC DIRECTORY [PRECISION]   a trainer whose step has one kernel for each case
#   benchmarks/gpu/kernels.py run DIRECTORY [PRECISION]           the table: milliseconds, the part of the peer's speed
#
# PRECISION: f32 (default), or tf32, bf16_mixed or f16_mixed, of which only products are measured. Peers of tf32 are
# allowed TF32; those of bf16_mixed and f16_mixed have factors of bfloat16 and float16 that are there, and a result of
# that type, where ours are rounded by kernels of their own.
import json
import os
import subprocess
import sys
import tempfile

STEPS, ROUNDS = 30, 3
PRECISIONS = ("f32", "tf32", "bf16_mixed", "f16_mixed")


class Case:
    """One op: its operands are variables that hold random numbers, its result is assigned to another one."""

    def __init__(self, name, op, operands, result, attributes="", work=0.0):
        self.name, self.op, self.operands, self.result = name, op, operands, result
        self.attributes = attributes
        self.work = work  # floating-point operations; 0: what counts are bytes

    def bytes(self):
        total = 0
        for shape in [*self.operands, self.result]:
            size = 4
            for dimension in shape:
                size *= dimension
            total += size
        return total

    def peer(self, torch, values):
        if self.op == "matmul":
            return lambda: torch.mm(values[0], values[1])
        if self.op == "dot_general":  # the first dimension of both
            return lambda: torch.mm(values[0].t(), values[1])
        if self.op == "add":
            return lambda: torch.add(values[0], values[1])
        axis = int(self.attributes[self.attributes.index(":") + 1 : self.attributes.index(">")])
        return lambda: torch.sum(values[0], axis)


def products():
    for m, k, n in [(1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096), (128, 1024, 1024), (512, 1024, 1024), (4096, 256, 64), (1024, 784, 128)]:
        yield Case(f"matmul {m} x {k} x {n}", "matmul", [(m, k), (k, n)], (m, n), work=2.0 * m * k * n)
    for m, k, n in [(1024, 512, 1024), (784, 1024, 128)]:
        attributes = "lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 0>"
        yield Case(f"weights {m} x {k} x {n}", "dot_general", [(k, m), (k, n)], (m, n), attributes, work=2.0 * m * k * n)


def memory_bound():
    yield Case("add of 32 Mi", "add", [(8192, 4096), (8192, 4096)], (8192, 4096))
    yield Case("sum of rows 8192 x 4096", "reduce_sum", [(8192, 4096)], (8192,), "axes = array<i64: 1>")
    yield Case("sum of columns 8192 x 4096", "reduce_sum", [(8192, 4096)], (4096,), "axes = array<i64: 0>")


def cases_of(precision):
    return [*products(), *(memory_bound() if precision == "f32" else [])]


def module(precision):
    def type_of(shape):
        return "tensor<" + "x".join([*map(str, shape), "f32"]) + ">"

    variables, body = [], []
    for c, case in enumerate(cases_of(precision)):
        names = []
        for o, shape in enumerate(case.operands):
            variables.append(f"  df.variable @x{c}_{o} : {type_of(shape)} = #df.uniform<-1.0, 1.0>")
            body.append(f"    %x{c}_{o} = df.read @x{c}_{o} : {type_of(shape)}")
            names.append(f"%x{c}_{o}")
        variables.append(f"  df.variable @y{c} : {type_of(case.result)} = #df.constant<0.0>")
        attributes = f" {{{case.attributes}}}" if case.attributes else ""
        types = ", ".join(map(type_of, case.operands))
        typed = f": {types}" if case.op == "add" else f": ({types}) -> {type_of(case.result)}"
        if case.op == "add":
            typed = f": {type_of(case.result)}"
        body.append(f"    %y{c} = df.{case.op} {', '.join(names)}{attributes} {typed}")
        body.append(f"    df.assign @y{c}, %y{c} : {type_of(case.result)}")
    return "\n".join(
        [f"module attributes {{df.precision = #df.precision<{precision}>, mlc.name = \"kernels\", mlc.settings = {{train.batch_size = 1 : i64}}}} {{", *variables]
        + ["  df.function @train(%i: tensor<?xf32> {df.name = \"i\"}) -> (tensor<f32> {df.name = \"loss\"}) attributes {role = #df.role<train>} {", *body]
        + ["    %loss = df.reduce_mean %i {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>", "    df.return %loss : tensor<f32>", "  }", "}", ""])


def compile_cases(mlc, directory, precision):
    os.makedirs(directory, exist_ok=True)
    source = os.path.join(directory, "kernels.mlir")
    with open(source, "w") as file:
        file.write(module(precision))
    command = [mlc, "compile", source, "--target=cuda", "--quiet"]
    subprocess.run([*command, "--chip", "sm_80", "--chip", "sm_90a", "-o", os.path.join(directory, "kernels")], check=True)
    # Which kernels use tensor cores: others round the factors.
    text = subprocess.run([*command, "--emit=ptx", "-o", "-"], check=True, stdout=subprocess.PIPE, text=True).stdout
    entries = [entry.split("(", 1) for entry in text.split(".visible .entry ")[1:]]
    with open(os.path.join(directory, "matrices.json"), "w") as file:
        json.dump([name for name, body in entries if "mma.sync" in body], file)


def measured(directory, cases):
    """Milliseconds of the shortest launch of each case, in their order: of the kernels that use tensor cores, or if none
    does, of the longest ones. What fills and copies results, and the loss, is far shorter."""
    with open(os.path.join(directory, "matrices.json")) as file:
        matrices = json.load(file)
    with tempfile.TemporaryDirectory() as scratch:
        rows, times = os.path.join(scratch, "rows.csv"), os.path.join(scratch, "times.json")
        with open(rows, "w") as file:
            file.write("i\n1\n2\n")
        subprocess.run([os.path.join(directory, "kernels"), "train", "--device", "gpu", "--quiet", "--train_files", rows, "--max_steps", str(STEPS), "--model_dir", os.path.join(scratch, "m")],
                       check=True, env={**os.environ, "MLC_GPU_TIMES": times})
        with open(times) as file:
            kernels = [kernel for kernel in json.load(file)["kernels"] if kernel["launches"] >= STEPS and (not matrices or kernel["kernel"] in matrices)]
    if len(kernels) < len(cases):
        raise SystemExit(f"kernels.py: {len(kernels)} kernels are launched in each step; expected {len(cases)} at least")
    times = sorted((kernel["least"] for kernel in kernels), reverse=True)
    chosen, others = times[: len(cases)], times[len(cases) :]
    if others and 2 * others[0] > chosen[-1]:
        raise SystemExit(f"kernels.py: no telling which kernels are the cases': the shortest one takes {chosen[-1]} ms, another one {others[0]} ms")
    return [kernel["least"] for kernel in kernels if kernel["least"] >= chosen[-1]]


def of_peer(torch, case, dtype):
    values = [(torch.rand(shape, device="cuda") * 2 - 1).to(dtype) for shape in case.operands]
    run = case.peer(torch, values)
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    least = float("inf")
    for _ in range(STEPS):
        begin.record()
        run()
        end.record()
        end.synchronize()
        least = min(least, begin.elapsed_time(end))
    return least


def run_cases(directory, precision):
    cases = cases_of(precision)
    try:
        import torch
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        types = {"f32": "float32 without TF32", "tf32": "float32 with TF32", "bf16_mixed": "bfloat16", "f16_mixed": "float16"}
        print(f"peer: PyTorch {torch.__version__} on {torch.cuda.get_device_name()}, {types[precision]}")
    except Exception as error:  # whatever of it is missing
        torch = None
        print(f"no peer: {error}")
    ours, peers = [[] for _ in cases], [[] for _ in cases]
    for _ in range(ROUNDS):
        for times, least in zip(ours, measured(directory, cases)):
            times.append(least)
        for times, case in zip(peers, cases):
            if torch:
                times.append(of_peer(torch, case, {"bf16_mixed": torch.bfloat16, "f16_mixed": torch.float16}.get(precision, torch.float32)))
    print(f"{'kernel':30} {'ms':>9} {'TFLOP/s':>9} {'GB/s':>7} {'peer ms':>9} {'ratio':>6}")
    for case, mine, other in zip(cases, ours, peers):
        middle = sorted(mine)[len(mine) // 2]
        work = f"{case.work / middle / 1e9:9.2f}" if case.work else " " * 9
        line = f"{case.name:30} {middle:9.4f} {work} {case.bytes() / middle / 1e6:7.0f}"
        if other:
            peer = sorted(other)[len(other) // 2]
            line += f" {peer:9.4f} {peer / middle:6.2f}"
        print(line)


def main():
    arguments = sys.argv[1:]
    needed = {"compile": 3, "run": 2}.get(arguments[0] if arguments else "")
    precision = arguments[needed] if needed and len(arguments) > needed else "f32"
    if not needed or len(arguments) not in (needed, needed + 1) or precision not in PRECISIONS:
        raise SystemExit("usage: kernels.py compile MLC DIRECTORY [PRECISION] | run DIRECTORY [PRECISION]; PRECISION: f32, tf32, bf16_mixed or f16_mixed")
    if arguments[0] == "compile":
        compile_cases(arguments[1], arguments[2], precision)
    else:
        run_cases(arguments[1], precision)


main()
