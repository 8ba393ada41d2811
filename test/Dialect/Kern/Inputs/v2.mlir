#map = affine_map<(d0, d1) -> (d1, d0)>
#map1 = affine_map<(d0, d1) -> (d0 floordiv 16, d1, d0 mod 16)>
module {
  func.func @bytes(%arg0: tensor<?x4xi8>, %arg1: tensor<4x8xi8>, %arg2: tensor<?x8xi32>) -> tensor<?x8xi32> {
    %0 = kern.contract ins(%arg0, %arg1 : tensor<?x4xi8>, tensor<4x8xi8>) outs(%arg2 : tensor<?x8xi32>) -> tensor<?x8xi32> {
    ^bb0(%arg3: i32):
      kern.yield %arg3 : i32
    } {extra_maps = [], tiling = #kern.tiling<panels, rows = 6, columns = 16, inner = 256, task_rows = 8, task_columns = 1>, unsigned_lhs}
    return %0 : tensor<?x8xi32>
  }
  func.func @panels(%arg0: memref<4x20xbf16>, %arg1: memref<2x4x16xf32>, %arg2: index) {
    kern.pack ins(%arg0 : memref<4x20xbf16>) outs(%arg1 : memref<2x4x16xf32>) {maps = [#map, #map1]}
    kern.launch %arg2 cost 1000 grid <threads = 256, shared_bytes = 49152> {
    ^bb0(%arg3: index, %arg4: index):
    }
    kern.launch %arg2 cost 7 {
    ^bb0(%arg3: index):
    }
    return
  }
}

