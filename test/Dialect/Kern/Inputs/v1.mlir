#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2 + d3, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
module {
  func.func @published(%arg0: index) {
    %0 = tensor.empty(%arg0) : tensor<?xf32>
    %cst = arith.constant 1.000000e+00 : f32
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
    kern.publish %1 as 2 : tensor<?xf32>
    return
  }
  func.func @columns(%arg0: memref<?x7xf32>, %arg1: index) {
    %0 = bufferization.to_tensor %arg0 restrict : memref<?x7xf32> to tensor<?x7xf32>
    %extracted_slice = tensor.extract_slice %0[0, 2] [%arg1, 3] [1, 1] : tensor<?x7xf32> to tensor<?x3xf32>
    kern.publish %extracted_slice as 0 : tensor<?x3xf32>
    return
  }
  func.func @written(%arg0: memref<?x2xi64>, %arg1: index) -> i64 {
    %c0 = arith.constant 0 : index
    %0 = bufferization.to_tensor %arg0 restrict : memref<?x2xi64> to tensor<?x2xi64>
    %1 = tensor.empty(%arg1) : tensor<?xi64>
    %2 = kern.fingerprint_strings in(%0 : tensor<?x2xi64>) outs(%1 : tensor<?xi64>) -> tensor<?xi64>
    %extracted = tensor.extract %2[%c0] : tensor<?xi64>
    return %extracted : i64
  }
  func.func @updated(%arg0: memref<256xf64>, %arg1: memref<?xf32>, %arg2: memref<?xf64>) -> f64 {
    %c0 = arith.constant 0 : index
    %0 = bufferization.to_tensor %arg0 restrict : memref<256xf64> to tensor<256xf64>
    %1 = bufferization.to_tensor %arg1 restrict : memref<?xf32> to tensor<?xf32>
    %2 = bufferization.to_tensor %arg2 restrict : memref<?xf64> to tensor<?xf64>
    %3 = kern.add_to_bins keys(%1 : tensor<?xf32>) weights(%2 : tensor<?xf64>) bits = 8 outs(%0 : tensor<256xf64>) -> tensor<256xf64>
    %extracted = tensor.extract %3[%c0] : tensor<256xf64>
    %extracted_0 = tensor.extract %0[%c0] : tensor<256xf64>
    %4 = arith.addf %extracted, %extracted_0 : f64
    return %4 : f64
  }
  func.func @unread(%arg0: tensor<?xi64>, %arg1: tensor<i64>) {
    %0 = kern.fingerprint_ints in(%arg0 : tensor<?xi64>) outs(%arg0 : tensor<?xi64>) -> tensor<?xi64>
    %1 = kern.check_indices bounds(%arg0 : tensor<?xi64>) skip_negative = 0 what = "an op" must_run outs(%arg0 : tensor<?xi64>) -> tensor<?xi64>
    %2 = kern.check_indices bounds(%arg0 : tensor<?xi64>) skip_negative = 0 what = "an op" outs(%arg0 : tensor<?xi64>) -> tensor<?xi64>
    kern.check_ids ids(%arg0 : tensor<?xi64>) low = 0 high = 5 dtype = 8 table = -1 what = "label"
    %3 = kern.queue_size queue = 0 outs(%arg1 : tensor<i64>) -> tensor<i64>
    return
  }
  func.func @window(%arg0: tensor<?x9x3xf32>, %arg1: tensor<2x3x4xf32>, %arg2: tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
    %0 = kern.contract ins(%arg0, %arg1 : tensor<?x9x3xf32>, tensor<2x3x4xf32>) outs(%arg2 : tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
    ^bb0(%arg3: f32):
      kern.yield %arg3 : f32
    } {extra_maps = [], maps = [#map, #map1, #map2]}
    return %0 : tensor<?x4x4xf32>
  }
}

