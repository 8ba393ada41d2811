module {
  module @contraction {
    df.function @products(%arg0: tensor<?x5x4xf32>, %arg1: tensor<?x7x4xf32>, %arg2: tensor<?x7x2xf32>, %arg3: tensor<3xi32>, %arg4: tensor<2xi32>, %arg5: tensor<5x7xi1>) -> (tensor<?x5x7xf32>, tensor<3x2xi32>, tensor<?x5x7xf32>, tensor<?x5x7xf32>, tensor<?x5x2xf32>) attributes {role = #df.role<other>} {
      %0 = df.dot_general %arg0, %arg1 {lhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_batch = array<i64: 0>, rhs_contracting = array<i64: 2>} : (tensor<?x5x4xf32>, tensor<?x7x4xf32>) -> tensor<?x5x7xf32>
      %1 = df.dot_general %arg3, %arg4 : (tensor<3xi32>, tensor<2xi32>) -> tensor<3x2xi32>
      %2 = df.batch_matmul %arg0, %arg1 {transpose_b} : (tensor<?x5x4xf32>, tensor<?x7x4xf32>) -> tensor<?x5x7xf32>
      %3 = df.einsum %arg0, %arg1 {equation = "...ij,...kj->...ik"} : (tensor<?x5x4xf32>, tensor<?x7x4xf32>) -> tensor<?x5x7xf32>
      %4 = df.attention %arg0, %arg1, %arg2, %arg5 {causal, scale = 5.000000e-01 : f64} : (tensor<?x5x4xf32>, tensor<?x7x4xf32>, tensor<?x7x2xf32>, tensor<5x7xi1>) -> tensor<?x5x2xf32>
      df.return %0, %1, %2, %3, %4 : tensor<?x5x7xf32>, tensor<3x2xi32>, tensor<?x5x7xf32>, tensor<?x5x7xf32>, tensor<?x5x2xf32>
    }
    df.function @matrices(%arg0: tensor<4x?xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<?x4xf64>, %arg3: tensor<4x3xf64>, %arg4: tensor<2x2xi64>) -> (tensor<?x3xf32>, tensor<?x3xf64>, tensor<2x2xi64>) attributes {role = #df.role<other>} {
      %0 = df.dot_general %arg0, %arg1 {lhs_contracting = array<i64: 0>, rhs_contracting = array<i64: 1>} : (tensor<4x?xf32>, tensor<3x4xf32>) -> tensor<?x3xf32>
      %1 = df.dot_general %arg2, %arg3 {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<?x4xf64>, tensor<4x3xf64>) -> tensor<?x3xf64>
      %2 = df.dot_general %arg4, %arg4 {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi64>
      df.return %0, %1, %2 : tensor<?x3xf32>, tensor<?x3xf64>, tensor<2x2xi64>
    }
    df.function @wider(%arg0: tensor<?x4xbf16>, %arg1: tensor<4x3xbf16>) -> tensor<?x3xf32> attributes {role = #df.role<other>} {
      %0 = df.dot_general %arg0, %arg1 {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<?x4xbf16>, tensor<4x3xbf16>) -> tensor<?x3xf32>
      df.return %0 : tensor<?x3xf32>
    }
    df.function @cells(%arg0: tensor<?x3xf32>, %arg1: tensor<?x2xf32>, %arg2: tensor<?x2xf32>, %arg3: tensor<3x2xf32>, %arg4: tensor<2x2xf32>, %arg5: tensor<2xf32>, %arg6: tensor<3x8xf32>, %arg7: tensor<2x8xf32>, %arg8: tensor<8xf32>, %arg9: tensor<3x6xf32>, %arg10: tensor<2x6xf32>, %arg11: tensor<6xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) attributes {role = #df.role<other>} {
      %0 = df.rnn_cell %arg0, %arg1, %arg3, %arg4, %arg5 : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
      %next_h, %next_c = df.lstm_cell %arg0, %0, %arg2, %arg6, %arg7, %arg8 {forget_bias = 1.000000e+00 : f64} : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<3x8xf32>, tensor<2x8xf32>, tensor<8xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>)
      %1 = df.gru_cell %arg0, %next_h, %arg9, %arg10, %arg11, %arg11 : (tensor<?x3xf32>, tensor<?x2xf32>, tensor<3x6xf32>, tensor<2x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<?x2xf32>
      df.return %next_h, %next_c, %1 : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
    }
  }
  module @elementwise {
    df.function @functions(%arg0: tensor<?x4xf16>) attributes {role = #df.role<other>} {
      %0 = df.ceil %arg0 : tensor<?x4xf16>
      %1 = df.round %arg0 : tensor<?x4xf16>
      %2 = df.trunc %arg0 : tensor<?x4xf16>
      %3 = df.reciprocal %arg0 : tensor<?x4xf16>
      %4 = df.rsqrt %arg0 : tensor<?x4xf16>
      %5 = df.cbrt %arg0 : tensor<?x4xf16>
      %6 = df.expm1 %arg0 : tensor<?x4xf16>
      %7 = df.exp2 %arg0 : tensor<?x4xf16>
      %8 = df.log2 %arg0 : tensor<?x4xf16>
      %9 = df.erf %arg0 : tensor<?x4xf16>
      %10 = df.erfc %arg0 : tensor<?x4xf16>
      %11 = df.erf_inv %arg0 : tensor<?x4xf16>
      %12 = df.stop_gradient %arg0 : tensor<?x4xf16>
      %13 = df.lgamma %arg0 : tensor<?x4xf16>
      %14 = df.digamma %arg0 : tensor<?x4xf16>
      %15 = df.tan %arg0 : tensor<?x4xf16>
      %16 = df.asin %arg0 : tensor<?x4xf16>
      %17 = df.acos %arg0 : tensor<?x4xf16>
      %18 = df.atan %arg0 : tensor<?x4xf16>
      %19 = df.sinh %arg0 : tensor<?x4xf16>
      %20 = df.cosh %arg0 : tensor<?x4xf16>
      %21 = df.asinh %arg0 : tensor<?x4xf16>
      %22 = df.acosh %arg0 : tensor<?x4xf16>
      %23 = df.atanh %arg0 : tensor<?x4xf16>
      df.return
    }
    df.function @pairs(%arg0: tensor<?xf64>, %arg1: tensor<?xf64>) attributes {role = #df.role<other>} {
      %0 = df.atan2 %arg0, %arg1 : tensor<?xf64>
      %1 = df.rem %arg0, %arg1 : tensor<?xf64>
      %2 = df.floor_mod %arg0, %arg1 : tensor<?xf64>
      %3 = df.floor_div %arg0, %arg1 : tensor<?xf64>
      %4 = df.div_no_nan %arg0, %arg1 : tensor<?xf64>
      %5 = df.xlogy %arg0, %arg1 : tensor<?xf64>
      %6 = df.igamma %arg0, %arg1 : tensor<?xf64>
      %7 = df.igammac %arg0, %arg1 : tensor<?xf64>
      %8 = df.igamma_grad_a %arg0, %arg1 : tensor<?xf64>
      %9 = df.prelu %arg0, %arg1 : tensor<?xf64>
      %10 = df.clamp %arg0, %arg1, %arg0 : tensor<?xf64>
      df.return
    }
    df.function @tests(%arg0: tensor<?xbf16>) attributes {role = #df.role<other>} {
      %0 = df.is_nan %arg0 : (tensor<?xbf16>) -> tensor<?xi1>
      %1 = df.is_inf %arg0 : (tensor<?xbf16>) -> tensor<?xi1>
      %2 = df.is_finite %arg0 : (tensor<?xbf16>) -> tensor<?xi1>
      df.return
    }
    df.function @integers(%arg0: tensor<?xui8>, %arg1: tensor<?xui8>) attributes {role = #df.role<other>} {
      %0 = df.div %arg0, %arg1 : tensor<?xui8>
      %1 = df.rem %arg0, %arg1 : tensor<?xui8>
      %2 = df.floor_mod %arg0, %arg1 : tensor<?xui8>
      %3 = df.floor_div %arg0, %arg1 : tensor<?xui8>
      %4 = df.maximum %arg0, %arg1 : tensor<?xui8>
      %5 = df.bitwise_and %arg0, %arg1 : tensor<?xui8>
      %6 = df.bitwise_or %arg0, %arg1 : tensor<?xui8>
      %7 = df.bitwise_xor %arg0, %arg1 : tensor<?xui8>
      %8 = df.shift_left %arg0, %arg1 : tensor<?xui8>
      %9 = df.shift_right_logical %arg0, %arg1 : tensor<?xui8>
      %10 = df.shift_right_arithmetic %arg0, %arg1 : tensor<?xui8>
      %11 = df.bitwise_not %arg0 : tensor<?xui8>
      %12 = df.population_count %arg0 : tensor<?xui8>
      %13 = df.count_leading_zeros %arg0 : tensor<?xui8>
      %14 = df.sign %arg0 : tensor<?xui8>
      %15 = df.clamp %arg0, %arg1, %arg0 : tensor<?xui8>
      df.return
    }
    df.function @others(%arg0: tensor<?xf32>, %arg1: tensor<?xi1>) attributes {role = #df.role<other>} {
      %0 = df.bitcast %arg0 : (tensor<?xf32>) -> tensor<?xui32>
      %1 = df.logical_xor %arg1, %arg1 : tensor<?xi1>
      %2 = df.cast %arg0 : (tensor<?xf32>) -> tensor<?xui64>
      %3 = df.cast %arg1 : (tensor<?xi1>) -> tensor<?xbf16>
      df.return
    }
    df.function @activations(%arg0: tensor<2x3xf32>) attributes {role = #df.role<other>} {
      %0 = df.gelu %arg0 : tensor<2x3xf32>
      %1 = df.elu %arg0 : tensor<2x3xf32>
      %2 = df.selu %arg0 : tensor<2x3xf32>
      %3 = df.celu %arg0 : tensor<2x3xf32>
      %4 = df.hard_sigmoid %arg0 : tensor<2x3xf32>
      %5 = df.hard_swish %arg0 : tensor<2x3xf32>
      %6 = df.silu %arg0 : tensor<2x3xf32>
      %7 = df.mish %arg0 : tensor<2x3xf32>
      %8 = df.softsign %arg0 : tensor<2x3xf32>
      %9 = df.log_sigmoid %arg0 : tensor<2x3xf32>
      %10 = df.relu6 %arg0 : tensor<2x3xf32>
      %11 = df.thresholded_relu %arg0 : tensor<2x3xf32>
      df.return
    }
    df.function @numbers(%arg0: tensor<2x3xf32>) attributes {role = #df.role<other>} {
      %0 = df.gelu %arg0 {approximate} : tensor<2x3xf32>
      %1 = df.elu %arg0 {alpha = 5.000000e-01 : f64} : tensor<2x3xf32>
      %2 = df.selu %arg0 {alpha = 1.500000e+00 : f64, gamma = 2.000000e+00 : f64} : tensor<2x3xf32>
      %3 = df.celu %arg0 {alpha = 2.000000e+00 : f64} : tensor<2x3xf32>
      %4 = df.leaky_relu %arg0 {alpha = 1.000000e-02 : f64} : tensor<2x3xf32>
      %5 = df.hard_sigmoid %arg0 {alpha = 1.000000e-01 : f64, beta = 4.000000e-01 : f64} : tensor<2x3xf32>
      %6 = df.silu %arg0 {beta = 1.702000e+00 : f64} : tensor<2x3xf32>
      %7 = df.thresholded_relu %arg0 {alpha = -1.000000e+00 : f64} : tensor<2x3xf32>
      df.return
    }
    df.function @constants() attributes {role = #df.role<other>} {
      %cst = df.constant dense<[0, 255]> : tensor<2xui8>
      %c18446744073709551615 = df.constant dense<18446744073709551615> : tensor<ui64>
      %cst_0 = df.constant dense<1.500000e+00> : tensor<2xbf16>
      df.return
    }
  }
  module @indexing {
    df.function @gather(%arg0: tensor<5x?xf32>, %arg1: tensor<3xi64>) -> tensor<3x?xf32> attributes {role = #df.role<other>} {
      %0 = df.gather %arg0, %arg1 {axes = array<i64: 0>} : (tensor<5x?xf32>, tensor<3xi64>) -> tensor<3x?xf32>
      df.return %0 : tensor<3x?xf32>
    }
    df.function @scatter(%arg0: tensor<5x?xf32>, %arg1: tensor<3xi64>, %arg2: tensor<3x?xf32>) -> tensor<5x?xf32> attributes {role = #df.role<other>} {
      %0 = df.scatter  add %arg0, %arg1, %arg2 {axes = array<i64: 0>} : (tensor<5x?xf32>, tensor<3xi64>, tensor<3x?xf32>) -> tensor<5x?xf32>
      df.return %0 : tensor<5x?xf32>
    }
    df.function @nonzero(%arg0: tensor<?x4xi1>) -> tensor<?x2xi64> attributes {role = #df.role<other>} {
      %0 = df.nonzero %arg0 : (tensor<?x4xi1>) -> tensor<?x2xi64>
      df.return %0 : tensor<?x2xi64>
    }
    df.function @unique_values(%arg0: tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) attributes {role = #df.role<other>} {
      %values, %inverse, %counts = df.unique %arg0 : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)
      df.return %values, %inverse, %counts : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
    }
    df.function @require_same_size(%arg0: tensor<?xf32>, %arg1: tensor<2x?xf32>) attributes {role = #df.role<other>} {
      df.require_same_size %arg0[0], %arg1[1] for "df.add", "operands must have one shape" : tensor<?xf32>, tensor<2x?xf32>
      df.return
    }
    df.function @require(%arg0: tensor<i1>) attributes {role = #df.role<other>} {
      df.require %arg0, "the batch must not be empty" : tensor<i1>
      df.return
    }
    df.function @take(%arg0: tensor<2x5xf32>, %arg1: tensor<3xi64>) -> tensor<2x3xf32> attributes {role = #df.role<other>} {
      %0 = df.gather %arg0, %arg1 {axes = array<i64: 1>} : (tensor<2x5xf32>, tensor<3xi64>) -> tensor<2x3xf32>
      df.return %0 : tensor<2x3xf32>
    }
    df.function @take_along_axis(%arg0: tensor<?x5xf32>, %arg1: tensor<?x2xi64>) -> tensor<?x2xf32> attributes {role = #df.role<other>} {
      %0 = df.take_along_axis %arg0, %arg1 {axis = 1 : i64} : (tensor<?x5xf32>, tensor<?x2xi64>) -> tensor<?x2xf32>
      df.return %0 : tensor<?x2xf32>
    }
    df.function @scatter_along_axis(%arg0: tensor<?x5xf32>, %arg1: tensor<?x2xi64>, %arg2: tensor<?x2xf32>) -> tensor<?x5xf32> attributes {role = #df.role<other>} {
      %0 = df.scatter_along_axis  add %arg0, %arg1, %arg2 {axis = 1 : i64} : (tensor<?x5xf32>, tensor<?x2xi64>, tensor<?x2xf32>) -> tensor<?x5xf32>
      df.return %0 : tensor<?x5xf32>
    }
    df.function @boolean_mask(%arg0: tensor<?x4xf32>, %arg1: tensor<?xi1>) -> tensor<?x4xf32> attributes {role = #df.role<other>} {
      %0 = df.boolean_mask %arg0, %arg1 : (tensor<?x4xf32>, tensor<?xi1>) -> tensor<?x4xf32>
      df.return %0 : tensor<?x4xf32>
    }
    df.function @dynamic_partition(%arg0: tensor<?x4xf32>, %arg1: tensor<?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>) attributes {role = #df.role<other>} {
      %0:2 = df.dynamic_partition %arg0, %arg1 : (tensor<?x4xf32>, tensor<?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
      df.return %0#0, %0#1 : tensor<?x4xf32>, tensor<?x4xf32>
    }
    df.function @reverse_sequence(%arg0: tensor<?x5xf32>, %arg1: tensor<?xi64>) -> tensor<?x5xf32> attributes {role = #df.role<other>} {
      %0 = df.reverse_sequence %arg0, %arg1 {batch_axis = 0 : i64, seq_axis = 1 : i64} : (tensor<?x5xf32>, tensor<?xi64>) -> tensor<?x5xf32>
      df.return %0 : tensor<?x5xf32>
    }
    df.function @dynamic_stitch(%arg0: tensor<?xi64>, %arg1: tensor<3xi64>, %arg2: tensor<?x4xf32>, %arg3: tensor<3x4xf32>) -> tensor<?x4xf32> attributes {role = #df.role<other>} {
      %0 = df.dynamic_stitch %arg0, %arg1 data %arg2, %arg3 : (tensor<?xi64>, tensor<3xi64>, tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
      df.return %0 : tensor<?x4xf32>
    }
  }
  module @layout {
    df.function @slice(%arg0: tensor<?x5xf32>) -> tensor<?x2xf32> attributes {role = #df.role<other>} {
      %0 = df.slice %arg0 {sizes = array<i64: -1, 2>, starts = array<i64: 0, 1>, strides = array<i64: 1, 2>} : (tensor<?x5xf32>) -> tensor<?x2xf32>
      df.return %0 : tensor<?x2xf32>
    }
    df.function @update_slice(%arg0: tensor<?x5xf32>, %arg1: tensor<?x2xf32>) -> tensor<?x5xf32> attributes {role = #df.role<other>} {
      %0 = df.update_slice %arg0, %arg1 {starts = array<i64: 0, 1>, strides = array<i64: 1, 2>} : (tensor<?x5xf32>, tensor<?x2xf32>) -> tensor<?x5xf32>
      df.return %0 : tensor<?x5xf32>
    }
    df.function @dynamic_slice(%arg0: tensor<?x5xf32>, %arg1: tensor<2xi64>) -> tensor<1x2xf32> attributes {role = #df.role<other>} {
      %0 = df.dynamic_slice %arg0, %arg1 : (tensor<?x5xf32>, tensor<2xi64>) -> tensor<1x2xf32>
      df.return %0 : tensor<1x2xf32>
    }
    df.function @dynamic_update_slice(%arg0: tensor<?x5xf32>, %arg1: tensor<1x2xf32>, %arg2: tensor<2xi64>) -> tensor<?x5xf32> attributes {role = #df.role<other>} {
      %0 = df.dynamic_update_slice %arg0, %arg1, %arg2 : (tensor<?x5xf32>, tensor<1x2xf32>, tensor<2xi64>) -> tensor<?x5xf32>
      df.return %0 : tensor<?x5xf32>
    }
    df.function @pad(%arg0: tensor<?x5xf32>, %arg1: tensor<f32>) -> tensor<?x8xf32> attributes {role = #df.role<other>} {
      %0 = df.pad %arg0, %arg1 {high = array<i64: 0, 2>, low = array<i64: 0, 1>} : (tensor<?x5xf32>, tensor<f32>) -> tensor<?x8xf32>
      df.return %0 : tensor<?x8xf32>
    }
    df.function @reverse(%arg0: tensor<?x4xf32>) -> tensor<?x4xf32> attributes {role = #df.role<other>} {
      %0 = df.reverse %arg0 {axes = array<i64: 0>} : tensor<?x4xf32>
      df.return %0 : tensor<?x4xf32>
    }
    df.function @iota() -> tensor<2x5xi64> attributes {role = #df.role<other>} {
      %0 = df.iota  {axis = 1 : i64} : () -> tensor<2x5xi64>
      df.return %0 : tensor<2x5xi64>
    }
    df.function @shape(%arg0: tensor<?x4xf32>) -> tensor<2xi64> attributes {role = #df.role<other>} {
      %0 = df.shape %arg0 : (tensor<?x4xf32>) -> tensor<2xi64>
      df.return %0 : tensor<2xi64>
    }
    df.function @dynamic_broadcast(%arg0: tensor<4xf32>, %arg1: tensor<2xi64>) -> tensor<?x4xf32> attributes {role = #df.role<other>} {
      %0 = df.dynamic_broadcast %arg0, %arg1 {dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
      df.return %0 : tensor<?x4xf32>
    }
    df.function @dynamic_reshape(%arg0: tensor<?x4xf32>, %arg1: tensor<2xi64>) -> tensor<?x?xf32> attributes {role = #df.role<other>} {
      %0 = df.dynamic_reshape %arg0, %arg1 : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
      df.return %0 : tensor<?x?xf32>
    }
    df.function @split(%arg0: tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>) attributes {role = #df.role<other>} {
      %0:2 = df.split %arg0 {axis = 1 : i64} : (tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>)
      df.return %0#0, %0#1 : tensor<?x2xf32>, tensor<?x3xf32>
    }
    df.function @stack(%arg0: tensor<?x4xf32>, %arg1: tensor<?x4xf32>) -> tensor<?x2x4xf32> attributes {role = #df.role<other>} {
      %0 = df.stack %arg0, %arg1 {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x2x4xf32>
      df.return %0 : tensor<?x2x4xf32>
    }
    df.function @tile(%arg0: tensor<?x3xf32>) -> tensor<?x6xf32> attributes {role = #df.role<other>} {
      %0 = df.tile %arg0 {multiples = array<i64: 1, 2>} : (tensor<?x3xf32>) -> tensor<?x6xf32>
      df.return %0 : tensor<?x6xf32>
    }
    df.function @roll(%arg0: tensor<?x5xf32>) -> tensor<?x5xf32> attributes {role = #df.role<other>} {
      %0 = df.roll %arg0 {axis = 1 : i64, shift = 2 : i64} : tensor<?x5xf32>
      df.return %0 : tensor<?x5xf32>
    }
    df.function @mirror_pad(%arg0: tensor<?x5xf32>) -> tensor<?x8xf32> attributes {role = #df.role<other>} {
      %0 = df.mirror_pad  reflect %arg0 {axis = 1 : i64, high = 1 : i64, low = 2 : i64} : (tensor<?x5xf32>) -> tensor<?x8xf32>
      df.return %0 : tensor<?x8xf32>
    }
    df.function @eye() -> tensor<3x4xf32> attributes {role = #df.role<other>} {
      %0 = df.eye  : () -> tensor<3x4xf32>
      df.return %0 : tensor<3x4xf32>
    }
    df.function @band_part(%arg0: tensor<?x4x4xf32>) -> tensor<?x4x4xf32> attributes {role = #df.role<other>} {
      %0 = df.band_part %arg0 {lower = -1 : i64, upper = 0 : i64} : tensor<?x4x4xf32>
      df.return %0 : tensor<?x4x4xf32>
    }
    df.function @diag(%arg0: tensor<?x4xf32>) -> tensor<?x4x4xf32> attributes {role = #df.role<other>} {
      %0 = df.diag %arg0 : (tensor<?x4xf32>) -> tensor<?x4x4xf32>
      df.return %0 : tensor<?x4x4xf32>
    }
    df.function @space_to_depth(%arg0: tensor<?x4x6x3xf32>) -> tensor<?x2x3x12xf32> attributes {role = #df.role<other>} {
      %0 = df.space_to_depth %arg0 {block = 2 : i64} : (tensor<?x4x6x3xf32>) -> tensor<?x2x3x12xf32>
      df.return %0 : tensor<?x2x3x12xf32>
    }
    df.function @depth_to_space(%arg0: tensor<?x2x3x12xf32>) -> tensor<?x4x6x3xf32> attributes {role = #df.role<other>} {
      %0 = df.depth_to_space %arg0 {block = 2 : i64} : (tensor<?x2x3x12xf32>) -> tensor<?x4x6x3xf32>
      df.return %0 : tensor<?x4x6x3xf32>
    }
    df.function @resize(%arg0: tensor<?x4x4x3xf32>) -> tensor<?x8x8x3xf32> attributes {role = #df.role<other>} {
      %0 = df.resize  linear %arg0 {half_pixel} : (tensor<?x4x4x3xf32>) -> tensor<?x8x8x3xf32>
      df.return %0 : tensor<?x8x8x3xf32>
    }
    df.function @sequence_mask(%arg0: tensor<?xi64>) -> tensor<?x5xi1> attributes {role = #df.role<other>} {
      %0 = df.sequence_mask %arg0 : (tensor<?xi64>) -> tensor<?x5xi1>
      df.return %0 : tensor<?x5xi1>
    }
    df.function @meshgrid(%arg0: tensor<4xf32>, %arg1: tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) attributes {role = #df.role<other>} {
      %0:2 = df.meshgrid  xy %arg0, %arg1 : (tensor<4xf32>, tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
      df.return %0#0, %0#1 : tensor<?x4xf32>, tensor<?x4xf32>
    }
    df.function @unstack(%arg0: tensor<?x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) attributes {role = #df.role<other>} {
      %0:2 = df.unstack %arg0 {axis = 1 : i64} : (tensor<?x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)
      df.return %0#0, %0#1 : tensor<?x4xf32>, tensor<?x4xf32>
    }
    df.function @diag_part(%arg0: tensor<?x4x4xf32>) -> tensor<?x4xf32> attributes {role = #df.role<other>} {
      %0 = df.diag_part %arg0 : (tensor<?x4x4xf32>) -> tensor<?x4xf32>
      df.return %0 : tensor<?x4xf32>
    }
    df.function @linspace(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<5xf32> attributes {role = #df.role<other>} {
      %0 = df.linspace %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<5xf32>
      df.return %0 : tensor<5xf32>
    }
    df.function @range(%arg0: tensor<i64>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<?xi64> attributes {role = #df.role<other>} {
      %0 = df.range %arg0, %arg1, %arg2 : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>
      df.return %0 : tensor<?xi64>
    }
  }
  module @linear_algebra {
    df.function @linear_algebra(%arg0: tensor<?x3x3xf32>, %arg1: tensor<?x3x2xf32>, %arg2: tensor<4x4xbf16>) attributes {role = #df.role<other>} {
      %0 = df.cholesky %arg0 : (tensor<?x3x3xf32>) -> tensor<?x3x3xf32>
      %1 = df.triangular_solve %0, %arg1 : (tensor<?x3x3xf32>, tensor<?x3x2xf32>) -> tensor<?x3x2xf32>
      %2 = df.triangular_solve %arg2, %arg2 {transpose, unit_diagonal, upper} : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
      df.return
    }
    df.function @determinants(%arg0: tensor<?x3x3xf32>, %arg1: tensor<4x4xbf16>) attributes {role = #df.role<other>} {
      %0 = df.determinant %arg0 : (tensor<?x3x3xf32>) -> tensor<?xf32>
      %sign, %logarithm = df.slogdet %arg1 : (tensor<4x4xbf16>) -> (tensor<bf16>, tensor<bf16>)
      df.return
    }
  }
  module @loss {
    df.function @loss(%arg0: tensor<?x4xf32>, %arg1: tensor<?x4xf32>) attributes {role = #df.role<other>} {
      %0 = df.absolute_difference %arg0, %arg1 : tensor<?x4xf32>
      %1 = df.log_cosh_error %arg0, %arg1 : tensor<?x4xf32>
      %2 = df.hinge_loss %arg0, %arg1 : tensor<?x4xf32>
      %3 = df.huber_loss %arg0, %arg1 : tensor<?x4xf32>
      %4 = df.huber_loss %arg0, %arg1 {delta = 2.500000e-01 : f64} : tensor<?x4xf32>
      %5 = df.poisson_loss %arg0, %arg1 {log_input} : tensor<?x4xf32>
      %6 = df.kl_divergence %arg0, %arg1 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
      %7 = df.cosine_distance %arg0, %arg1 {axis = 0 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<4xf32>
      %8 = df.soft_label_cross_entropy %arg0, %arg1 {label_smoothing = 1.000000e-01 : f64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>
      %9 = df.reduce_loss %arg0 {reduction = #df.loss_reduction<none>} : (tensor<?x4xf32>) -> tensor<?x4xf32>
      %10 = df.reduce_loss %arg0, %arg1 {reduction = #df.loss_reduction<sum_over_nonzero_weights>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<f32>
      df.return
    }
    df.function @ctc_loss(%arg0: tensor<?x9x5xf32>, %arg1: tensor<?x4xi64>, %arg2: tensor<?xi64>, %arg3: tensor<?xi64>) attributes {role = #df.role<other>} {
      %0 = df.ctc_loss %arg0, %arg1, %arg2, %arg3 {blank = 4 : i64} : (tensor<?x9x5xf32>, tensor<?x4xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf32>
      df.return
    }
  }
  module @normalization {
    df.function @normalization(%arg0: tensor<?x?x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<?x4xf16>) attributes {role = #df.role<other>} {
      %mean, %variance = df.moments %arg0 {axes = array<i64: 0, 1>} : (tensor<?x?x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %0 = df.batch_norm_inference %arg0, %arg1, %arg1 {axes = array<i64: 0, 1>} : (tensor<?x?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
      %1 = df.batch_norm_inference %arg0, %arg1, %arg1 scale %arg1 offset %arg1 {axes = array<i64: 0, 1>, epsilon = 1.000000e-01 : f64} : (tensor<?x?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
      %result, %mean_0, %variance_1 = df.batch_norm_training %arg0 offset %arg1 {axes = array<i64: 0, 1>} : (tensor<?x?x4xf32>, tensor<4xf32>) -> (tensor<?x?x4xf32>, tensor<4xf32>, tensor<4xf32>)
      %2 = df.layer_norm %arg0 scale %arg1 {axes = array<i64: 2>} : (tensor<?x?x4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
      %3 = df.rms_norm %arg2 {axes = array<i64: 1>} : (tensor<?x4xf16>) -> tensor<?x4xf16>
      %4 = df.rms_norm %arg0 scale %arg1 {axes = array<i64: 2>} : (tensor<?x?x4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
      %5 = df.group_norm %arg0 scale %arg1 offset %arg1 {groups = 2 : i64} : (tensor<?x?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x?x4xf32>
      %6 = df.instance_norm %arg0 {axis = 1 : i64} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
      %7 = df.l2_normalize %arg0 {axes = array<i64: 1, 2>} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
      %8 = df.local_response_norm %arg0 {alpha = 1.000000e-04 : f64, beta = 7.500000e-01 : f64, bias = 1.000000e+00 : f64, high = 1 : i64, low = 2 : i64} : (tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
      df.return
    }
  }
  module @ops {
    df.variable @w : tensor<4x2xf32> = #df.truncated_normal<0.000000e+00, 5.000000e-01> {trainable}
    df.variable @table : tensor<100x8xf32> = #df.uniform<-1.000000e-01, 1.000000e-01> {trainable}
    df.variable @table_acc : tensor<100x8xf32> = #df.constant<1.000000e-01> {slot = "accumulator", slot_of = @table}
    df.variable @total : tensor<f32> = #df.constant<0.000000e+00> {lifetime = #df.lifetime<eval>}
    df.variable @shared : tensor<f32> = #df.constant<0.000000e+00> {racy}
    df.vocabulary @gender ["Female", "Male"]
    df.function @train(%x: tensor<?x4xf32> {df.name = "x"}, %s: tensor<?x!df.string> {df.name = "s"}, %y: tensor<?xi64> {df.name = "y"}) -> (tensor<f32> {df.name = "loss"}) attributes {role = #df.role<train>} {
      %w = df.read @w : tensor<4x2xf32>
      %0 = df.fingerprint %s : (tensor<?x!df.string>) -> tensor<?xi64>
      %1 = df.hash_bucket %0 {buckets = 100 : i64} : tensor<?xi64>
      %2 = df.read_rows @table[%1] : (tensor<?xi64>) -> tensor<?x8xf32>
      %3 = df.lookup @gender, %s : (tensor<?x!df.string>) -> tensor<?xi64>
      %4 = df.one_hot %3 : (tensor<?xi64>) -> tensor<?x2xf32>
      %5 = df.matmul %x, %w : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
      %6 = df.add %5, %4 : tensor<?x2xf32>
      %7 = df.random  uniform "dropout" like %6 : (tensor<?x2xf32>) -> tensor<?x2xf32>
      %8 = df.softmax_cross_entropy %6, %y : (tensor<?x2xf32>, tensor<?xi64>) -> tensor<?xf32>
      %9 = df.batch_mean %8 : (tensor<?xf32>) -> tensor<f32>
      %10:2 = df.gradients %9 wrt [@w, @table] : (tensor<f32>) -> (tensor<4x2xf32>, !df.rows<tensor<100x8xf32>>)
      %11 = df.setting "model.dnn.optimizer.adagrad.learning_rate" = 5.000000e-02 : f64 -> tensor<f32>
      %12 = df.broadcast %11 dimensions = [] : (tensor<f32>) -> tensor<4x2xf32>
      %13 = df.mul %10#0, %12 : tensor<4x2xf32>
      df.assign_sub @w, %13 : tensor<4x2xf32>
      df.apply_rows [@table, @table_acc], %10#1 : !df.rows<tensor<100x8xf32>> {
      ^bb0(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>):
        %14 = df.square %arg2 : tensor<8xf32>
        %15 = df.add %arg1, %14 : tensor<8xf32>
        %16 = df.sub %arg0, %arg2 : tensor<8xf32>
        df.yield %16, %15 : tensor<8xf32>, tensor<8xf32>
      }
      df.apply_rows every_row [@table_acc], %10#1 : !df.rows<tensor<100x8xf32>> {
      ^bb0(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>):
        %14 = df.add %arg0, %arg1 : tensor<8xf32>
        df.yield %14 : tensor<8xf32>
      }
      df.return %9 : tensor<f32>
    }
    df.function @control(%arg0: tensor<i1>, %arg1: tensor<i64>) -> tensor<i64> attributes {role = #df.role<other>} {
      %c1 = df.constant dense<1> : tensor<i64>
      %0 = df.while(%arg1) {max_iterations = 10 : i64} : (tensor<i64>) -> tensor<i64> {
      ^bb0(%arg2: tensor<i64>):
        %2 = df.compare  lt, %arg2, %arg1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        df.condition %2 : tensor<i1>
      } do {
      ^bb0(%arg2: tensor<i64>):
        %2 = df.add %arg2, %c1 : tensor<i64>
        df.yield %2 : tensor<i64>
      }
      %1 = df.if %arg0 : (tensor<i1>) -> tensor<i64> {
        df.yield %0 : tensor<i64>
      } else {
        df.yield %c1 : tensor<i64>
      }
      df.return %1 : tensor<i64>
    }
    df.dimension  product [1, 2] as 3
    df.dimension  sum [1, 0, 2] as 4
    df.function @statistics(%arg0: tensor<?xf64>, %arg1: tensor<?xi64>) attributes {role = #df.role<other>} {
      %0 = df.bincount %arg1 : (tensor<?xi64>) -> tensor<10xi64>
      %1 = df.bincount %arg1, %arg0 : (tensor<?xi64>, tensor<?xf64>) -> tensor<10xf64>
      df.return
    }
    df.function @statistics_of_tensors(%arg0: tensor<?x4xf32>, %arg1: tensor<f32>, %arg2: tensor<?x5xi32>, %arg3: tensor<?x6xi32>, %arg4: tensor<?xi64>) attributes {role = #df.role<other>} {
      %0 = df.histogram %arg0, %arg1, %arg1 : (tensor<?x4xf32>, tensor<f32>, tensor<f32>) -> tensor<10xi64>
      %1 = df.edit_distance %arg2, %arg3, %arg4, %arg4 {normalize} : (tensor<?x5xi32>, tensor<?x6xi32>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf32>
      df.return
    }
  }
  module @order {
    df.function @order(%arg0: tensor<?x4xf32>, %arg1: tensor<?x?xbf16>, %arg2: tensor<?x4xi8>, %arg3: tensor<?x4x!df.string>, %arg4: tensor<i64>, %arg5: tensor<3xi8>) attributes {role = #df.role<other>} {
      %0 = df.cumsum %arg0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
      %1 = df.cumsum %arg2 {axis = 0 : i64, exclusive, reverse} : (tensor<?x4xi8>) -> tensor<?x4xi8>
      %2 = df.cumprod %arg0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
      %3 = df.cumprod %arg2 {axis = 0 : i64, exclusive, reverse} : (tensor<?x4xi8>) -> tensor<?x4xi8>
      %4 = df.cummax %arg0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
      %5 = df.cummax %arg2 {axis = 0 : i64, exclusive, reverse} : (tensor<?x4xi8>) -> tensor<?x4xi8>
      %6 = df.cummin %arg0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
      %7 = df.cummin %arg2 {axis = 0 : i64, exclusive, reverse} : (tensor<?x4xi8>) -> tensor<?x4xi8>
      %8 = df.cumlogsumexp %arg0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
      %9 = df.cumlogsumexp %arg1 {axis = 0 : i64, exclusive, reverse} : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
      %10 = df.searchsorted %arg0, %arg0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xi64>
      %11 = df.searchsorted %arg5, %arg2 {right} : (tensor<3xi8>, tensor<?x4xi8>) -> tensor<?x4xi64>
      %12 = df.linear_scan %arg1, %arg1 {axis = 0 : i64, reverse} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
      %13 = df.sort %arg0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
      %14:3 = df.sort %arg2, %arg3, %arg0 {axis = 0 : i64, descending} : (tensor<?x4xi8>, tensor<?x4x!df.string>, tensor<?x4xf32>) -> (tensor<?x4xi8>, tensor<?x4x!df.string>, tensor<?x4xf32>)
      %15 = df.argsort %arg1 {descending} : (tensor<?x?xbf16>) -> tensor<?x?xi64>
      %values, %positions = df.top_k %arg0 {axis = 0 : i64, k = 3 : i64, smallest} : (tensor<?x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
      %values_0, %positions_1 = df.top_k %arg1, %arg4 : (tensor<?x?xbf16>, tensor<i64>) -> (tensor<?x?xbf16>, tensor<?x?xi64>)
      df.return
    }
    df.function @quantile(%arg0: tensor<?x4xf32>, %arg1: tensor<3xf32>, %arg2: tensor<f32>) attributes {role = #df.role<other>} {
      %0 = df.quantile  linear %arg0, %arg1 {axis = 0 : i64} : (tensor<?x4xf32>, tensor<3xf32>) -> tensor<3x4xf32>
      %1 = df.quantile  nearest %arg0, %arg2 : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
      df.return
    }
  }
  module @queues {
    df.queue fifo @q capacity 8 : [tensor<4xf32>, tensor<i64>]
    df.queue random_shuffle @r capacity 64 : [tensor<i64>] {min_after_dequeue = 16 : i64, seed = 7 : i64}
    df.queue padding_fifo @p capacity 8 : [tensor<?x3xf32>]
    df.queue priority @o capacity 8 : [tensor<i64>, tensor<2xi1>]
    df.function @ops(%arg0: tensor<4xf32>, %arg1: tensor<i64>, %arg2: tensor<?x4xf32>, %arg3: tensor<?xi64>) attributes {role = #df.role<other>} {
      df.enqueue @q, %arg0, %arg1 : tensor<4xf32>, tensor<i64>
      df.enqueue_many @q, %arg2, %arg3 : tensor<?x4xf32>, tensor<?xi64>
      %0:2 = df.dequeue @q : tensor<4xf32>, tensor<i64>
      %1:2 = df.dequeue_many @q count 3 : tensor<3x4xf32>, tensor<3xi64>
      %2 = df.dequeue_up_to @p count 3 : tensor<?x?x3xf32>
      %3 = df.queue_size @q : tensor<i64>
      %4 = df.queue_is_closed @q : tensor<i1>
      df.queue_close @q {cancel_pending}
      df.return
    }
    df.function @twice() attributes {role = #df.role<other>} {
      %0 = df.dequeue @r : tensor<i64>
      %1 = df.dequeue @r : tensor<i64>
      df.return
    }
  }
  module @ragged {
    df.function @pad(%arg0: tensor<?x8xf32>, %arg1: tensor<?xi64>) -> (tensor<?x?x8xf32>, tensor<?xi64>) attributes {role = #df.role<other>} {
      %cst = df.constant dense<0.000000e+00> : tensor<f32>
      %padded, %lengths = df.ragged_to_dense %arg0, %arg1, %cst : (tensor<?x8xf32>, tensor<?xi64>, tensor<f32>) -> (tensor<?x?x8xf32>, tensor<?xi64>)
      df.return %padded, %lengths : tensor<?x?x8xf32>, tensor<?xi64>
    }
    df.function @filled(%arg0: tensor<?xi64>, %arg1: tensor<3xi64>, %arg2: tensor<i64>) -> tensor<3x?xi64> attributes {role = #df.role<other>} {
      %padded, %lengths = df.ragged_to_dense %arg0, %arg1, %arg2 : (tensor<?xi64>, tensor<3xi64>, tensor<i64>) -> (tensor<3x?xi64>, tensor<3xi64>)
      df.return %padded : tensor<3x?xi64>
    }
  }
  module @random {
    df.function @random(%arg0: tensor<?x4xf32>, %arg1: tensor<3xf64>, %arg2: tensor<i64>) attributes {role = #df.role<other>} {
      %0 = df.random  uniform "a" each_step : () -> tensor<5xf64>
      %1 = df.random  normal "b" each_step like %arg0 iteration(%arg2, %arg2) : (tensor<?x4xf32>, tensor<i64>, tensor<i64>) -> tensor<?x4xf32>
      %2 = df.random_exponential "c" like %arg0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
      %3 = df.random_gumbel "d" each_step : () -> tensor<3xf64>
      %4 = df.random_integers "e" like %arg0 {high = 6 : i64, low = -6 : i64} : (tensor<?x4xf32>) -> tensor<?x4xi64>
      %5 = df.random_bernoulli "f" each_step %arg1 : (tensor<3xf64>) -> tensor<3xi1>
      %6 = df.random_categorical "g" %arg0 : (tensor<?x4xf32>) -> tensor<?x2xi64>
      %7 = df.random_shuffle "h" %arg0 : tensor<?x4xf32>
      %8 = df.dropout "i" %arg0 {rate = 1.000000e-01 : f64} : tensor<?x4xf32>
      %9 = df.random_gamma "j" %arg0 : tensor<?x4xf32>
      %10 = df.random_gamma "k" each_step %arg1 : tensor<3xf64>
      df.return
    }
    df.function @sampled(%arg0: tensor<?x8xf32>, %arg1: tensor<?x2xi64>, %arg2: tensor<50xf32>, %arg3: tensor<?x2x8xf32>, %arg4: tensor<?x2xf32>, %arg5: tensor<16x8xf32>, %arg6: tensor<16xf32>) attributes {role = #df.role<other>} {
      %sampled, %true_expected, %sampled_expected = df.candidate_sampler  log_uniform "a" %arg1 {num_classes = 50 : i64, unique} : (tensor<?x2xi64>) -> (tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>)
      %sampled_0, %true_expected_1, %sampled_expected_2 = df.candidate_sampler  unigram "b" %arg1 weights %arg2 {distortion = 7.500000e-01 : f64, num_classes = 50 : i64} : (tensor<?x2xi64>, tensor<50xf32>) -> (tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>)
      %sampled_3, %true_expected_4, %sampled_expected_5, %new_counts = df.learned_unigram_sampler "c" %arg1, %arg2 {unique} : (tensor<?x2xi64>, tensor<50xf32>) -> (tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>, tensor<50xf32>)
      %0 = df.sampled_softmax_loss %arg0, %arg1, %arg3, %arg4, %arg5, %arg6, %sampled, %true_expected, %sampled_expected {remove_accidental_hits} : (tensor<?x8xf32>, tensor<?x2xi64>, tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>) -> tensor<?xf32>
      %1 = df.nce_loss %arg0, %arg1, %arg3, %arg4, %arg5, %arg6, %sampled, %true_expected, %sampled_expected : (tensor<?x8xf32>, tensor<?x2xi64>, tensor<?x2x8xf32>, tensor<?x2xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<16xi64>, tensor<?x2xf32>, tensor<16xf32>) -> tensor<?xf32>
      df.return
    }
  }
  module @reduction {
    df.function @reduction(%arg0: tensor<?x4xf32>, %arg1: tensor<?x?xf16>, %arg2: tensor<?x4xi32>, %arg3: tensor<?x4xi1>, %arg4: tensor<?xi64>, %arg5: tensor<2x?x?xf32>, %arg6: tensor<2x?xi64>) attributes {role = #df.role<other>} {
      %0 = df.size %arg5 {dimensions = array<i64: 0, 2>} : (tensor<2x?x?xf32>) -> tensor<i64>
      %1 = df.reduce_prod %arg1 {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
      %2 = df.reduce_logsumexp %arg1 {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
      %3 = df.reduce_mean %arg1 {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
      %4 = df.reduce_l1 %arg1 {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
      %5 = df.reduce_l2 %arg1 {axes = array<i64: 0, 1>} : (tensor<?x?xf16>) -> tensor<f16>
      %6 = df.reduce_variance %arg0 {axes = array<i64: 0>, correction = 1 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>
      %7 = df.reduce_all %arg3 {axes = array<i64: 0>} : (tensor<?x4xi1>) -> tensor<4xi1>
      %8 = df.reduce_any %arg3 {axes = array<i64>} : (tensor<?x4xi1>) -> tensor<?x4xi1>
      %9 = df.argmax %arg5 {axis = 1 : i64} : (tensor<2x?x?xf32>) -> tensor<2x?xi64>
      %10 = df.argmin %arg2 : (tensor<?x4xi32>) -> tensor<?xi64>
      %11 = df.softmax %arg5 {axis = 0 : i64} : (tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
      %12 = df.log_softmax %arg1 : (tensor<?x?xf16>) -> tensor<?x?xf16>
      %13 = df.softmax_cross_entropy %arg5, %arg6 : (tensor<2x?x?xf32>, tensor<2x?xi64>) -> tensor<2x?xf32>
      df.return
    }
  }
  module @save {
    df.variable @enc.w : tensor<2xf32> = #df.constant<0.000000e+00>
    df.variable @enc.b : tensor<f32> = #df.constant<0.000000e+00>
    df.variable @unused : tensor<f32> = #df.constant<0.000000e+00>
    df.function @keep(%path: tensor<!df.string> {df.name = "path"}, %x: tensor<2xf32> {df.name = "x"}) attributes {role = #df.role<other>} {
      df.assign @enc.w, %x : tensor<2xf32>
      df.save "enc.*" to %path : tensor<!df.string>
      %0 = df.add %x, %x : tensor<2xf32>
      df.assign @enc.w, %0 : tensor<2xf32>
      df.return
    }
    df.function @take(%path: tensor<!df.string> {df.name = "path"}) -> (tensor<2xf32> {df.name = "w"}) attributes {role = #df.role<other>} {
      %cst = df.constant dense<0.000000e+00> : tensor<2xf32>
      df.assign @enc.w, %cst : tensor<2xf32>
      df.restore "enc.?" from %path : (tensor<!df.string>) -> ()
      %enc.w = df.read @enc.w : tensor<2xf32>
      df.return %enc.w : tensor<2xf32>
    }
  }
  module @size_rule {
    df.function @mixed(%arg0: tensor<?xf32>, %arg1: tensor<4xf32>, %arg2: tensor<?xi1>, %arg3: tensor<3x?xf32>, %arg4: tensor<4x5xf32>, %arg5: tensor<2x3x?xf32>, %arg6: tensor<?x4x5xf32>) attributes {role = #df.role<other>} {
      %0 = df.add %arg0, %arg1 : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
      %1 = df.add %arg1, %arg0 : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
      %2 = df.relu %arg0 : (tensor<?xf32>) -> tensor<4xf32>
      %3 = df.clamp %arg1, %arg0, %arg1 : (tensor<4xf32>, tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
      %4 = df.gelu %arg1 {approximate} : (tensor<4xf32>) -> tensor<?xf32>
      %5 = df.exp %arg1 : tensor<4xf32>
      %6 = df.select %arg2, %arg1, %arg0 : (tensor<?xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<?xf32>
      %7 = df.matmul %arg3, %arg4 : (tensor<3x?xf32>, tensor<4x5xf32>) -> tensor<3x?xf32>
      %8 = df.batch_matmul %arg5, %arg6 : (tensor<2x3x?xf32>, tensor<?x4x5xf32>) -> tensor<2x3x5xf32>
      %9 = df.dot_general %arg3, %arg4 {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<3x?xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
      %10 = df.cast_shape %arg0 : tensor<?xf32> to tensor<4xf32>
      df.return
    }
    df.function @casts(%arg0: tensor<4xf32>, %arg1: tensor<?xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<?xf32>) attributes {role = #df.role<other>} {
      %0 = df.cast_shape %arg0 : tensor<4xf32> to tensor<4xf32>
      %1 = df.cast_shape %arg0 : tensor<4xf32> to tensor<?xf32>
      %2 = df.cast_shape %1 : tensor<?xf32> to tensor<4xf32>
      %3 = df.cast_shape %arg1 : tensor<?xf32> to tensor<3xf32>
      %4 = df.cast_shape %3 : tensor<3xf32> to tensor<?xf32>
      df.return %0, %2, %4 : tensor<4xf32>, tensor<4xf32>, tensor<?xf32>
    }
  }
  module @strings {
    df.function @strings(%arg0: tensor<?x!df.string>, %arg1: tensor<?xi64>, %arg2: tensor<?xf32>) attributes {role = #df.role<other>} {
      %0 = df.string_lower %arg0 : tensor<?x!df.string>
      %1 = df.string_upper %arg0 : tensor<?x!df.string>
      %2 = df.string_strip %arg0 : tensor<?x!df.string>
      %3 = df.string_length %arg0 : (tensor<?x!df.string>) -> tensor<?xi64>
      %4 = df.substr %arg0, %arg1, %3 : (tensor<?x!df.string>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x!df.string>
      %5 = df.as_string %arg2 {precision = 2 : i64} : (tensor<?xf32>) -> tensor<?x!df.string>
      %6 = df.string_to_number %arg0 : (tensor<?x!df.string>) -> tensor<?xui8>
      %values, %ends = df.string_split %arg0 {any_byte, delimiter = " ,", skip_empty} : (tensor<?x!df.string>) -> (tensor<?x!df.string>, tensor<?xi64>)
      %7 = df.string_join %arg0, %5 {separator = "-"} : (tensor<?x!df.string>, tensor<?x!df.string>) -> tensor<?x!df.string>
      %8 = df.reduce_join %arg0 {axis = 0 : i64} : (tensor<?x!df.string>) -> tensor<!df.string>
      %9 = df.segment_join %values, %ends {separator = " "} : (tensor<?x!df.string>, tensor<?xi64>) -> tensor<?x!df.string>
      %10 = df.string_format %arg1, %arg2 {pattern = "{} of {}"} : (tensor<?xi64>, tensor<?xf32>) -> tensor<?x!df.string>
      %11 = df.compare  lt, %arg0, %5 : (tensor<?x!df.string>, tensor<?x!df.string>) -> tensor<?xi1>
      %cst = df.constant dense<["a", "b"]> : tensor<2x!df.string>
      df.return
    }
  }
  module @more {
    df.vocabulary @classes ["a", "b"]
    df.function @more_elementwise(%arg0: tensor<?x4xf32>, %arg1: tensor<?x4xf32>, %arg2: tensor<?x4xi1>) -> tensor<?x4xf32> attributes {role = #df.role<other>} {
      %0 = df.abs %arg0 : tensor<?x4xf32>
      %1 = df.cos %0 : tensor<?x4xf32>
      %2 = df.floor %1 : tensor<?x4xf32>
      %3 = df.log %2 : tensor<?x4xf32>
      %4 = df.log1p %3 : tensor<?x4xf32>
      %5 = df.minimum %4, %arg1 : tensor<?x4xf32>
      %6 = df.neg %5 : tensor<?x4xf32>
      %7 = df.pow %6, %arg1 : tensor<?x4xf32>
      %8 = df.sigmoid %7 : tensor<?x4xf32>
      %9 = df.sin %8 : tensor<?x4xf32>
      %10 = df.softplus %9 : tensor<?x4xf32>
      %11 = df.sqrt %10 : tensor<?x4xf32>
      %12 = df.squared_difference %11, %arg1 : tensor<?x4xf32>
      %13 = df.tanh %12 : tensor<?x4xf32>
      %14 = df.logical_and %arg2, %arg2 : tensor<?x4xi1>
      %15 = df.logical_or %14, %arg2 : tensor<?x4xi1>
      %16 = df.logical_not %15 : tensor<?x4xi1>
      %17 = df.select %16, %13, %arg1 : (tensor<?x4xi1>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
      %18 = df.sigmoid_cross_entropy %17, %arg1 : tensor<?x4xf32>
      %19 = df.concat %18, %arg1 {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x8xf32>
      %20 = df.transpose %19 {permutation = array<i64: 1, 0>} : (tensor<?x8xf32>) -> tensor<8x?xf32>
      %21 = df.reduce_sum %20 {axes = array<i64: 0>} : (tensor<8x?xf32>) -> tensor<?xf32>
      %22 = df.reduce_max %20 {axes = array<i64: 0>} : (tensor<8x?xf32>) -> tensor<?xf32>
      %23 = df.reduce_min %20 {axes = array<i64: 0>} : (tensor<8x?xf32>) -> tensor<?xf32>
      %24 = df.bucketize %21 {boundaries = array<f64: 1.800000e+01, 2.500000e+01>} : (tensor<?xf32>) -> tensor<?xi64>
      %25 = df.optimization_barrier %18, %22 : tensor<?x4xf32>, tensor<?xf32>
      %26 = df.reshape %24 : (tensor<?xi64>) -> tensor<?x2xi64>
      %27 = df.check_ids %26 {columns = [#df.id_column<"u", 2>, #df.id_column<"v", 5>], high = 5 : i64, low = 0 : i64, what = "column"} : (tensor<?x2xi64>) -> tensor<?x2xi64>
      %28 = df.add %22, %23 : tensor<?xf32>
      df.return %25 : tensor<?x4xf32>
    }
    df.variable @table : tensor<100x8xf32> = #df.constant<0.000000e+00> {trainable}
    df.variable @count : tensor<f32> = #df.constant<0.000000e+00>
    df.function @more_rows(%arg0: tensor<?xi64>, %arg1: tensor<?x8xf32>, %arg2: tensor<f32>, %arg3: tensor<?x!df.string>, %arg4: tensor<100x8xf32>, %arg5: tensor<?x1xi64>) attributes {role = #df.role<other>} {
      %unique, %ends, %order, %count = df.group_ids %arg0 : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
      %0 = df.group_sum %arg1, %ends, %order, %count : (tensor<?x8xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?x8xf32>
      %ids, %rows, %count_0 = df.merge_rows %unique, %0, %count, %unique, %0, %count : (tensor<?xi64>, tensor<?x8xf32>, tensor<i64>, tensor<?xi64>, tensor<?x8xf32>, tensor<i64>) -> (tensor<?xi64>, tensor<?x8xf32>, tensor<i64>)
      %1 = df.pack_rows %ids, %rows, %count_0 : (tensor<?xi64>, tensor<?x8xf32>, tensor<i64>) -> !df.rows<tensor<100x8xf32>>
      %2 = df.scale_rows %1, %arg2 : (!df.rows<tensor<100x8xf32>>, tensor<f32>) -> !df.rows<tensor<100x8xf32>>
      %ids_1, %rows_2, %count_3 = df.unpack_rows %2 : (!df.rows<tensor<100x8xf32>>) -> (tensor<?xi64>, tensor<?x8xf32>, tensor<i64>)
      %3 = df.densify_rows %2 : (!df.rows<tensor<100x8xf32>>) -> tensor<100x8xf32>
      %4 = df.all_reduce %3 {name = "table"} : (tensor<100x8xf32>) -> tensor<100x8xf32>
      df.assign_add @count, %arg2 : tensor<f32>
      %5 = df.fingerprint_cat %arg0, %unique : tensor<?xi64>
      %6 = df.is_empty %arg3 : (tensor<?x!df.string>) -> tensor<?xi1>
      %7 = df.term @classes, %arg5 : (tensor<?x1xi64>) -> tensor<?x1x!df.string>
      %8 = df.update_rows tables(%arg4) ids(%ids_1) rows(%rows_2) count(%count_3) : (tensor<100x8xf32>, tensor<?xi64>, tensor<?x8xf32>, tensor<i64>) -> tensor<100x8xf32> {
      ^bb0(%arg6: tensor<8xf32>, %arg7: tensor<8xf32>):
        %9 = df.sub %arg6, %arg7 : tensor<8xf32>
        df.yield %9 : tensor<8xf32>
      }
      df.return
    }
    df.function @more_regions(%arg0: tensor<?x4xf32>, %arg1: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>) attributes {role = #df.role<other>} {
      %0:2 = df.custom_gradient(%arg0) {residuals = 1 : i64} : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
      ^bb0(%arg2: tensor<?x4xf32>):
        %3 = df.exp %arg2 : tensor<?x4xf32>
        df.yield %3, %3 : tensor<?x4xf32>, tensor<?x4xf32>
      } gradient {
      ^bb0(%arg2: tensor<?x4xf32>, %arg3: tensor<?x4xf32>):
        %3 = df.mul %arg3, %arg2 : tensor<?x4xf32>
        df.yield %3 : tensor<?x4xf32>
      }
      %1 = df.remat : () -> tensor<?x4xf32> {
        %3 = df.exp %0#0 : tensor<?x4xf32>
        df.yield %3 : tensor<?x4xf32>
      }
      %2:2 = df.scan(%arg1) over(%1) {reverse} : (tensor<4xf32>, tensor<?x4xf32>) -> (tensor<4xf32>, tensor<?x4xf32>) {
      ^bb0(%arg2: tensor<4xf32>, %arg3: tensor<4xf32>):
        %3 = df.add %arg2, %arg3 : tensor<4xf32>
        df.yield %3, %3 : tensor<4xf32>, tensor<4xf32>
      }
      df.return %2#1, %2#0 : tensor<?x4xf32>, tensor<4xf32>
    }
    df.function @f.c0(%c0.a0: tensor<f32> {df.binding = #df.binding<intermediate, "c0.a0">}) -> (tensor<f32> {df.binding = #df.binding<intermediate, "c0.r0">}) attributes {entry = "f", role = #df.role<other>, segment = #df.segment<called>} {
      df.return %c0.a0 : tensor<f32>
    }
    df.function @f(%arg0: tensor<f32>) attributes {role = #df.role<other>} {
      %0 = df.call @f.c0(%arg0) : (tensor<f32>) -> tensor<f32>
      df.return
    }
  }
}

