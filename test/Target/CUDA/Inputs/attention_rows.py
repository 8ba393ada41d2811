# Writes a df program that trains attention over the rows of a batch, of which no one knows the number, or, causal, over some positions of each row: attention_rows.py PRECISION NUMBERS_OF_A_KEY:NUMBERS_OF_A_VALUE[:POSITIONS]...
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

precision, *sizes = sys.argv[1:]
features, variables, body, losses, trained = [], [], [], [], []
for i, size in enumerate(sizes):
    depth, width, *positions = size.split(":")

    def of(numbers):
        return f"tensor<{'x'.join(['?', *positions, str(numbers)])}xf32>"

    features.append(f'%x{i}: {of(16)} {{df.name = "x{i}"}}')
    for name, numbers in (("q", depth), ("k", depth), ("v", width)):
        variable = f"tensor<16x{numbers}xf32>"
        variables.append(f"df.variable @{name}{i} : {variable} = #df.normal<0.0, 0.5> {{trainable}}")
        body.append(f"%w{name}{i} = df.read @{name}{i} : {variable}")
        op = "df.batch_matmul" if positions else "df.matmul"
        body.append(f"%{name}{i} = {op} %x{i}, %w{name}{i} : ({of(16)}, {variable}) -> {of(numbers)}")
        trained.append((f"@{name}{i}", variable))
    mask = "{causal}" if positions else ""
    body.append(f"%y{i} = df.attention %q{i}, %k{i}, %v{i} {mask} : ({of(depth)}, {of(depth)}, {of(width)}) -> {of(width)}")
    body.append(f"%s{i} = df.square %y{i} : {of(width)}")
    axes = "1, 2" if positions else "1"
    body.append(f"%e{i} = df.reduce_mean %s{i} {{axes = array<i64: {axes}>}} : ({of(width)}) -> tensor<?xf32>")
    body.append(f"%l{i} = df.batch_mean %e{i} : (tensor<?xf32>) -> tensor<f32>")
    losses.append(f"%l{i}")
loss = losses[0]
for i, other in enumerate(losses[1:], 1):
    body.append(f"%t{i} = df.add {loss}, {other} : tensor<f32>")
    loss = f"%t{i}"
names, types = (", ".join(column) for column in zip(*trained))
body.append(f"%g:{len(trained)} = df.gradients {loss} wrt [{names}] : (tensor<f32>) -> ({types})")
for i, (name, variable) in enumerate(trained):
    body.append(f"df.assign_sub {name}, %g#{i} : {variable}")
body.append(f"df.return {loss} : tensor<f32>")
role = '(tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>}'
print(f'module attributes {{df.precision = #df.precision<{precision}>, mlc.name = "rows"}} {{')
print("\n".join([*variables, f"df.function @train({', '.join(features)}) -> {role} {{", *body, "}", "}"]))
