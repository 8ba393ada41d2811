"""Prints a df function of a long chain of element-wise ops. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    long_chain.py shapes COUNT   each op has a constant that is broadcast like the op before
    long_chain.py sizes COUNT    each op has an operand with a size of its own
    long_chain.py variables COUNT    a step of training with a variable for each op
    long_chain.py loop COUNT    the chain stands in a loop within a loop, of which the inner one uses what the outer one carries
"""
import sys

X = "tensor<?xf32>"
kind, count = sys.argv[1], int(sys.argv[2])
if kind == "variables":
    V = "tensor<f32>"
    names = [f"@w{i}" for i in range(count)]
    print("\n".join(f"df.variable {name} : {V} = #df.constant<0.5> {{trainable}}" for name in names))
    print(f'df.function @train(%v0: {X} {{df.name = "x"}}) -> ({V} {{df.name = "loss"}}) attributes {{role = #df.role<train>}} {{')
    for i in range(count):
        print(f"  %w{i} = df.read @w{i} : {V}\n  %o{i} = df.broadcast %w{i} like %v{i} dimensions = [] : ({V}, {X}) -> {X}")
        print(f"  %v{i + 1} = df.add %v{i}, %o{i} : {X}")
    print(f"  %loss = df.batch_mean %v{count} : ({X}) -> {V}")
    print(f"  %d:{count} = df.gradients %loss wrt [{', '.join(names)}] : ({V}) -> ({', '.join([V] * count)})")
    for i in range(count):
        print(f"  %n{i} = df.sub %w{i}, %d#{i} : {V}\n  df.assign @w{i}, %n{i} : {V}")
    print(f"  df.return %loss : {V}\n}}")
    sys.exit()
if kind == "loop":
    print(f"""df.function @loops(%x: {X}, %y: {X}, %rows: {X}, %more: tensor<9xf32>, %zero: tensor<f32>) -> tensor<f32> {{
  %outer = df.scan (%zero) over (%more) : (tensor<f32>, tensor<9xf32>) -> tensor<f32> {{
  ^bb0(%carried: tensor<f32>, %one: tensor<f32>):
    %inner = df.scan (%x) over (%rows) : ({X}, {X}) -> {X} {{
    ^bb0(%v0: {X}, %row: tensor<f32>):""")
    for i in range(count):
        print(f"      %v{i + 1} = df.add %v{i}, %y : {X}")
    print(f"""      %all = df.broadcast %carried like %y dimensions = [] : (tensor<f32>, {X}) -> {X}
      %last = df.mul %v{count}, %all : {X}
      df.yield %last : {X}
    }}
    %sum = df.reduce_sum %inner {{axes = array<i64: 0>}} : ({X}) -> tensor<f32>
    df.yield %sum : tensor<f32>
  }}
  df.return %outer : tensor<f32>
}}""")
    sys.exit()
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
