# Writes a group of so many launches that differ in a buffer: launches_of_one_code.py COUNT
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

count = int(sys.argv[1])
buffers = ", ".join(f"%x{i}: memref<?xf32, 1>" for i in range(count))
print(f"func.func @f({buffers}) {{\n  %c2 = arith.constant 2 : index\n  %f = arith.constant 1.0 : f32\n  kern.group {{")
for i in range(count):
    print(f"""    kern.launch %c2 cost 10 grid <threads = 256, shared_bytes = 0> {{
    ^bb0(%block: index, %thread: index):
      memref.store %f, %x{i}[%block] : memref<?xf32, 1>
      kern.yield
    }}""")
print("  }\n  return\n}")
