module {
  module @windows {
    df.function @windows(%arg0: tensor<?x28x28x3xf32>, %arg1: tensor<3x3x3x8xf32>) -> (tensor<?x28x28x3xf32>, tensor<3x3x3x8xf32>, tensor<?x7x7x8xf32>, tensor<?x14x14x8xf32>, tensor<?x14x14x8xf32>, tensor<?x13x13x8xf32>) attributes {role = #df.role<other>} {
      %0 = df.conv %arg0, %arg1 {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x28x28x3xf32>, tensor<3x3x3x8xf32>) -> tensor<?x14x14x8xf32>
      %1 = df.conv_transpose %0, %arg1 {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x14x14x8xf32>, tensor<3x3x3x8xf32>) -> tensor<?x28x28x3xf32>
      %2 = df.conv_filter_gradient %arg0, %0 {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<?x28x28x3xf32>, tensor<?x14x14x8xf32>) -> tensor<3x3x3x8xf32>
      %3 = df.max_pool %0 {strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<?x14x14x8xf32>) -> tensor<?x7x7x8xf32>
      %4 = df.max_pool_positions %0 {strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<?x14x14x8xf32>) -> tensor<?x7x7x8xi32>
      %5 = df.pool_select %0, %4 {strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<?x14x14x8xf32>, tensor<?x7x7x8xi32>) -> tensor<?x7x7x8xf32>
      %6 = df.pool_scatter %5, %4 {strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<?x7x7x8xf32>, tensor<?x7x7x8xi32>) -> tensor<?x14x14x8xf32>
      %7 = df.avg_pool %6 {count_include_pad, padding = array<i64: 1, 1, 1, 1>, window = array<i64: 3, 3>} : (tensor<?x14x14x8xf32>) -> tensor<?x14x14x8xf32>
      %8 = df.lp_pool %7 {p = 2.000000e+00 : f64, window = array<i64: 2, 2>} : (tensor<?x14x14x8xf32>) -> tensor<?x13x13x8xf32>
      df.return %1, %2, %3, %6, %7, %8 : tensor<?x28x28x3xf32>, tensor<3x3x3x8xf32>, tensor<?x7x7x8xf32>, tensor<?x14x14x8xf32>, tensor<?x14x14x8xf32>, tensor<?x13x13x8xf32>
    }
    df.function @channels_first(%arg0: tensor<?x3x8x8xf32>, %arg1: tensor<2x2x3x4xf32>) -> tensor<?x4x3x3xf32> attributes {role = #df.role<other>} {
      %0 = df.conv %arg0, %arg1 {channels_first} : (tensor<?x3x8x8xf32>, tensor<2x2x3x4xf32>) -> tensor<?x4x7x7xf32>
      %1 = df.max_pool %0 {channels_first, strides = array<i64: 2, 2>, window = array<i64: 2, 2>} : (tensor<?x4x7x7xf32>) -> tensor<?x4x3x3xf32>
      df.return %1 : tensor<?x4x3x3xf32>
    }
    df.function @segment_reduce(%arg0: tensor<?x8xf32>, %arg1: tensor<?xi64>) -> tensor<10x8xf32> attributes {role = #df.role<other>} {
      %0 = df.segment_reduce  sum %arg0, %arg1 : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<10x8xf32>
      df.return %0 : tensor<10x8xf32>
    }
  }
  module @ragged {
    df.function @pairs(%arg0: tensor<?xi64>, %arg1: tensor<?xi64>, %arg2: tensor<i64>, %arg3: tensor<?x!df.string>) attributes {role = #df.role<other>} {
      %lhs_positions, %rhs_positions, %ends = df.ragged_product lhs_ends(%arg0) rhs_ends(%arg1) {symbol = 3 : i64} : (tensor<?xi64>, tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
      %lhs_positions_0, %rhs_positions_1, %ends_2 = df.ragged_product rhs_ends(%arg1) count(%arg2) {lhs_per_row = 2 : i64, symbol = 4 : i64} : (tensor<?xi64>, tensor<i64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
      %0 = df.check_ids %arg0, %arg3 ends(%arg1) {high = 2 : i64, low = 0 : i64, what = "id"} : (tensor<?xi64>, tensor<?x!df.string>, tensor<?xi64>) -> tensor<?xi64>
      %1 = df.reshape %arg0 : (tensor<?xi64>) -> tensor<?x2xi64>
      %2 = df.check_ids %1 {columns = [#df.id_column<"u", 2>, #df.id_column<"v", 5>], high = 5 : i64, low = 0 : i64, what = "column"} : (tensor<?x2xi64>) -> tensor<?x2xi64>
      df.return
    }
    df.function @reductions(%arg0: tensor<?x8xf32>, %arg1: tensor<?xi64>) -> (tensor<?x8xf32>, tensor<?x8xf32>) attributes {role = #df.role<other>} {
      %0 = df.ragged_reduce  sum %arg0, %arg1 : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
      %1 = df.ragged_reduce  max %arg0, %arg1 : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>
      %2 = df.ragged_repeat %0, %arg1 like %arg0 : (tensor<?x8xf32>, tensor<?xi64>, tensor<?x8xf32>) -> tensor<?x8xf32>
      df.return %2, %1 : tensor<?x8xf32>, tensor<?x8xf32>
    }
  }
}

