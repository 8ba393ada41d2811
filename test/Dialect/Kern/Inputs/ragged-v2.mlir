module {
  func.func @ragged(%arg0: tensor<?x4xf32>, %arg1: tensor<?xi64>, %arg2: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
    %0 = kern.ragged_sum ins(%arg0, %arg1 : tensor<?x4xf32>, tensor<?xi64>) outs(%arg2 : tensor<?x4xf32>) -> tensor<?x4xf32>
    %1 = kern.ragged_repeat ins(%0, %arg1 : tensor<?x4xf32>, tensor<?xi64>) outs(%arg0 : tensor<?x4xf32>) -> tensor<?x4xf32>
    return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
  }
  func.func private @threads() attributes {kernel = #kern.grid<threads = 128, shared_bytes = 64>}
}

