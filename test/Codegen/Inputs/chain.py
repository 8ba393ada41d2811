"""Prints a function of a chain of element-wise linalg.generic ops on tensors. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    chain.py OPS
"""
import sys

print("#map = affine_map<(d0) -> (d0)>\nfunc.func @chain(%v0: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {")
count = int(sys.argv[1])
for i in range(count):
    print(f"""  %v{i + 1} = linalg.generic {{indexing_maps = [#map, #map], iterator_types = ["parallel"]}}
      ins(%v{i} : tensor<?xf32>) outs(%e : tensor<?xf32>) {{
  ^bb0(%in: f32, %out: f32):
    %c = arith.constant {1 + i}.0 : f32
    %s = arith.addf %in, %c : f32
    linalg.yield %s : f32
  }} -> tensor<?xf32>""")
print(f"  return %v{count} : tensor<?xf32>\n}}")
