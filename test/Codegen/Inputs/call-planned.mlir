func.func @main() -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc(%c1000) : memref<?xf32>
  %b = memref.alloc(%c1) : memref<?xf32>
  %out = memref.alloc() : memref<f32>
  %bytes = arith.constant 65536 : index
  %workspace = memref.alloc(%bytes) {alignment = 64 : i64} : memref<?xi8>
  memref.store %zero, %out[] : memref<f32>
  %hundred = memref.alloc(%c100) : memref<?xf32>
  call @quotient(%hundred, %b, %out, %workspace) : (memref<?xf32>, memref<?xf32>, memref<f32>, memref<?xi8>) -> ()
  call @difference(%a, %b, %out, %workspace) : (memref<?xf32>, memref<?xf32>, memref<f32>, memref<?xi8>) -> ()
  %sum = memref.load %out[] : memref<f32>
  return %sum : f32
}
}
