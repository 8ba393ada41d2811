"""A df function of as many arguments as the command line says: their sum. It is one kernel, of one buffer more."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

TYPE = "tensor<256xf32>"
count = int(sys.argv[1])
names = [f'%x{i}: {TYPE} {{df.name = "x{i}"}}' for i in range(count)]
print(f'module {{\n  df.function @main({", ".join(names)}) -> ({TYPE} {{df.name = "sum"}}) {{')
for i in range(1, count):
    print(f"    %s{i} = df.add %{'s' if i > 1 else 'x'}{i - 1}, %x{i} : ({TYPE}, {TYPE}) -> {TYPE}")
print(f"    df.return %s{count - 1} : {TYPE}\n  }}\n}}")
