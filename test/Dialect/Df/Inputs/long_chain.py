"""Prints a df function of a long chain of element-wise ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    long_chain.py shapes COUNT   each op has a constant that is broadcast like the op before
    long_chain.py sizes COUNT    each op has an operand with a size of its own
"""
import sys

X = "tensor<?xf32>"
kind, count = sys.argv[1], int(sys.argv[2])
print(f'df.function @chain(%v0: {X} {{df.name = "x"}}) -> ({X} {{df.name = "y"}}) {{')
for i in range(count):
    if kind == "shapes":
        print(f"  %c{i} = df.constant dense<{i + 0.5}> : tensor<f32>")
        print(f"  %o{i} = df.broadcast %c{i} like %v{i} dimensions = [] : (tensor<f32>, {X}) -> {X}")
    else:
        print(f"  %o{i} = df.slice %v0 {{starts = array<i64: {i + 1}>, sizes = array<i64: -1>}} : ({X}) -> {X}")
    print(f"  %t{i} = df.tanh %v{i} : {X}")
    print(f"  %v{i + 1} = df.add %t{i}, %o{i} : {X}")
print(f"  df.return %v{count} : {X}\n}}")
