"""Prints a function of launches that write a buffer each. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    launches.py LAUNCHES
"""
import sys

count = int(sys.argv[1])
arguments = ", ".join(f"%m{i}: memref<8xf32>" for i in range(count))
print(f"func.func @launches({arguments}, %n: index, %v: f32) {{")
for i in range(count):
    print(f"""  kern.launch %n cost 10 {{
  ^bb0(%t: index):
    memref.store %v, %m{i}[%t] : memref<8xf32>
    kern.yield
  }}""")
print("  return\n}")
