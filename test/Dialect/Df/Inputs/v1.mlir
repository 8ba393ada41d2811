module attributes {df.settings = {}} {
  df.variable @w : tensor<4x2xf32> = #df.truncated_normal<0.000000e+00, 5.000000e-01> {trainable}
  df.variable @w_m : tensor<4x2xf32> = #df.constant<1.000000e-01> {slot = "momentum", slot_of = @w}
  df.vocabulary @gender ["Female", "Male"] {num_oov = 1 : i64}
  df.queue random_shuffle @q capacity 64 : [tensor<4xf32>, tensor<i64>] {min_after_dequeue = 16 : i64, seed = 7 : i64}
  df.dimension  sum [1, 2] as 3
  df.function @train(%arg0: tensor<?x4xf32> {df.name = "x"}, %arg1: tensor<?x!df.string> {df.name = "gender"}, %arg2: tensor<?xi64> {df.name = "label"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
    %0 = df.read @w : tensor<4x2xf32>
    %1 = df.matmul %arg0, %0 : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
    %2 = df.lookup @gender, %arg1 : (tensor<?x!df.string>) -> tensor<?xi64>
    %3 = df.one_hot %2 : (tensor<?xi64>) -> tensor<?x2xf32>
    %4 = df.remat : () -> tensor<?x2xf32> {
      %9 = df.tanh %1 : tensor<?x2xf32>
      %10 = df.optimization_barrier %9, %3 : tensor<?x2xf32>, tensor<?x2xf32>
      df.yield %10 : tensor<?x2xf32>
    }
    %5 = df.add %4, %3 : tensor<?x2xf32>
    %6 = df.softmax_cross_entropy %5, %arg2 : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<?xf32>
    %7 = df.batch_mean %6 {reduction = #df.batch_reduction<mean>} : (tensor<?xf32>) -> tensor<f32>
    %8 = df.gradients %7 wrt [@w] : (tensor<f32>) -> tensor<4x2xf32>
    df.assign_sub @w, %8 : tensor<4x2xf32>
    df.return %7 : tensor<f32>
  }
  df.function @rows(%arg0: !df.rows<tensor<9x2xf32>>, %arg1: tensor<i64>, %arg2: tensor<?x2xf32>) -> (tensor<i64>, tensor<2xf32>) attributes {role = #df.role<other>} {
    %0 = df.constant dense<1> : tensor<i64>
    %1 = df.constant dense<0.000000e+00> : tensor<2xf32>
    %ids, %rows, %count = df.unpack_rows %arg0 : (!df.rows<tensor<9x2xf32>>) -> (tensor<?xi64>, tensor<?x2xf32>, tensor<i64>)
    %2 = df.while(%0) {max_iterations = 10 : i64} : (tensor<i64>) -> tensor<i64> {
    ^bb0(%arg3: tensor<i64>):
      %5 = df.compare  lt, %arg3, %arg1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      df.condition %5 : tensor<i1>
    } do {
    ^bb0(%arg3: tensor<i64>):
      %5 = df.add %arg3, %0 : tensor<i64>
      df.yield %5 : tensor<i64>
    }
    %3 = df.compare  lt, %2, %arg1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4:2 = df.scan(%1) over(%arg2) parallel_iterations 2 {reverse} : (tensor<2xf32>, tensor<?x2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>) {
    ^bb0(%arg3: tensor<2xf32>, %arg4: tensor<2xf32>):
      %5 = df.if %3 : (tensor<i1>) -> tensor<2xf32> {
        %6 = df.random  uniform "noise" each_step : () -> tensor<2xf32>
        df.yield %6 : tensor<2xf32>
      } else {
        %6 = df.add %arg3, %arg4 : tensor<2xf32>
        df.yield %6 : tensor<2xf32>
      }
      df.yield %5, %5 : tensor<2xf32>, tensor<2xf32>
    }
    df.return %2, %4#0 : tensor<i64>, tensor<2xf32>
  }
}

