"""A segment of eight launches that store a key at an offset, each its own, and one more whose loop is longer. With --inside constants stand in
the launches, as they are lowered.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

inside = sys.argv[1:] == ["--inside"]
launches = [(offset, 1000 + offset, 4) for offset in range(8, 72, 8)] + [(80, 1080, 5)]
print("""func.func @alike(%x: memref<?xi64>, %n: index) attributes {df.role = #df.role<predict>, df.type = () -> ()} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index""".replace(", %n: index", ""))
print("  %n = arith.constant 3 : index")
for offset, key, count in launches:
    key = (f"%s{offset} = arith.constant {key} : i64\n  %k{offset} = vector.broadcast %s{offset} : i64 to vector<8xi64>" if inside else
           f"%k{offset} = arith.constant dense<{key}> : vector<8xi64>")
    constants = f"  %o{offset} = arith.constant {offset} : index\n  {key}\n  %c{offset} = arith.constant {count} : index\n"
    print(f"""{"" if inside else constants}  kern.launch %n cost 10 {{
  ^bb0(%task: index):
{constants if inside else ""}    scf.for %j = %zero to %c{offset} step %one {{
      %at = arith.addi %j, %o{offset} : index
      %old = vector.load %x[%at] : memref<?xi64>, vector<8xi64>
      %new = arith.xori %old, %k{offset} : vector<8xi64>
      vector.store %new, %x[%at] : memref<?xi64>, vector<8xi64>
    }}
    kern.yield
  }}""")
print("  return\n}")
