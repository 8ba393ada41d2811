#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2 + d3, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d1 floordiv 16, d2, d1 mod 16)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map7 = affine_map<(d0, d1) -> (d1, d0)>
#map8 = affine_map<(d0, d1) -> (d0 floordiv 16, d1, d0 mod 16)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d2, d3, d0, d1)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1 floordiv 8, d2, d3, d1 mod 8)>
module {
  module @contract_0 {
    func.func @window(%arg0: tensor<?x9x3xf32>, %arg1: tensor<2x3x4xf32>, %arg2: tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
      %0 = kern.contract ins(%arg0, %arg1 : tensor<?x9x3xf32>, tensor<2x3x4xf32>) outs(%arg2 : tensor<?x4x4xf32>) -> tensor<?x4x4xf32> {
      ^bb0(%arg3: f32):
        kern.yield %arg3 : f32
      } {extra_maps = [], maps = [#map, #map1, #map2]}
      return %0 : tensor<?x4x4xf32>
    }
  }
  module @contract_7 {
    func.func @types(%arg0: tensor<?x4xbf16>, %arg1: tensor<4x8xbf16>, %arg2: tensor<?x8xf32>, %arg3: tensor<?x4xi8>, %arg4: tensor<4x8xi8>, %arg5: tensor<8xi32>, %arg6: tensor<?x8xi32>, %arg7: tensor<4x8xf8E4M3FN>, %arg8: tensor<8x8xf8E5M2>, %arg9: tensor<4x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xi32>, tensor<4x8xf32>) {
      %0 = kern.contract ins(%arg0, %arg1 : tensor<?x4xbf16>, tensor<4x8xbf16>) outs(%arg2 : tensor<?x8xf32>) -> tensor<?x8xf32> {
      ^bb0(%arg10: f32):
        kern.yield %arg10 : f32
      } {extra_maps = []}
      %1 = kern.contract ins(%arg3, %arg4 : tensor<?x4xi8>, tensor<4x8xi8>) extras(%arg5 : tensor<8xi32>) outs(%arg6 : tensor<?x8xi32>) -> tensor<?x8xi32> {
      ^bb0(%arg10: i32, %arg11: i32):
        %3 = arith.subi %arg10, %arg11 : i32
        kern.yield %3 : i32
      } {extra_maps = [#map3], unsigned_lhs}
      %2 = kern.contract ins(%arg7, %arg8 : tensor<4x8xf8E4M3FN>, tensor<8x8xf8E5M2>) outs(%arg9 : tensor<4x8xf32>) -> tensor<4x8xf32> {
      ^bb0(%arg10: f32):
        kern.yield %arg10 : f32
      } {extra_maps = [], tiling = #kern.tiling<panels, rows = 6, columns = 16, inner = 256, task_rows = 8, task_columns = 1>}
      return %0, %1, %2 : tensor<?x8xf32>, tensor<?x8xi32>, tensor<4x8xf32>
    }
  }
  module @contract_14 {
    func.func @panels(%arg0: tensor<?x4xf32>, %arg1: tensor<2x4x16xf32>, %arg2: tensor<?x20xf32>) -> tensor<?x20xf32> {
      %0 = kern.contract ins(%arg0, %arg1 : tensor<?x4xf32>, tensor<2x4x16xf32>) outs(%arg2 : tensor<?x20xf32>) -> tensor<?x20xf32> {
      ^bb0(%arg3: f32):
        kern.yield %arg3 : f32
      } {extra_maps = [], maps = [#map4, #map5, #map6]}
      return %0 : tensor<?x20xf32>
    }
  }
  module @external_call_0 {
    kern.external_function @f bitcode "BC\C0\DE" {thread_safe}
    func.func @calls(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>, %arg2: tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
      %0:2 = kern.external_call @f ins(%arg0 : tensor<?xf32>) outs(%arg1, %arg2 : tensor<?xf32>, tensor<i32>) dtypes [1, 1] {deterministic} -> tensor<?xf32>, tensor<i32>
      %1:2 = kern.external_call @f ins(%arg0 : tensor<?xf32>) outs(%arg1, %arg2 : tensor<?xf32>, tensor<i32>) dtypes [1, 1] {deterministic} -> tensor<?xf32>, tensor<i32>
      %2:2 = kern.external_call @f ins(%arg0 : tensor<?xf32>) outs(%arg1, %arg2 : tensor<?xf32>, tensor<i32>) dtypes [1, 1] -> tensor<?xf32>, tensor<i32>
      %3:2 = kern.external_call @f ins(%arg0 : tensor<?xf32>) outs(%arg1, %arg2 : tensor<?xf32>, tensor<i32>) dtypes [1, 1] -> tensor<?xf32>, tensor<i32>
      return %0#0, %1#0, %2#0, %3#0 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
    }
  }
  module @launch_grid_0 {
    func.func @grid(%arg0: index) {
      kern.launch %arg0 cost 1000 grid <threads = 256, shared_bytes = 49152> {
      ^bb0(%arg1: index, %arg2: index):
      }
      return
    }
  }
  module @pack_0 {
    func.func @matrix(%arg0: tensor<4x20xbf16>) -> tensor<2x4x16xf32> {
      %0 = tensor.empty() : tensor<2x4x16xf32>
      %1 = kern.pack ins(%arg0 : tensor<4x20xbf16>) outs(%0 : tensor<2x4x16xf32>) {maps = [#map7, #map8]} -> tensor<2x4x16xf32>
      return %1 : tensor<2x4x16xf32>
    }
  }
  module @pack_1 {
    func.func @batches(%arg0: memref<3x5x?x7xi8>, %arg1: memref<?x1x3x5x8xi32>) {
      kern.pack unsigned ins(%arg0 : memref<3x5x?x7xi8>) outs(%arg1 : memref<?x1x3x5x8xi32>) {maps = [#map9, #map10]}
      return
    }
  }
  module @service_ops {
    func.func @services(%arg0: tensor<?xi64>, %arg1: tensor<i64>, %arg2: tensor<?x2xi64>, %arg3: tensor<?xf32>, %arg4: tensor<?xf64>, %arg5: tensor<?xi8>, %arg6: tensor<?x4xf32>, %arg7: tensor<i8>, %arg8: memref<i64>, %arg9: tensor<2xi64>) {
      kern.report_error code = 2 row = -1 message = "too much"
      %0 = kern.fingerprint_strings in(%arg2 : tensor<?x2xi64>) outs(%arg0 : tensor<?xi64>) -> tensor<?xi64>
      %1 = kern.fingerprint_ints in(%arg0 : tensor<?xi64>) outs(%arg0 : tensor<?xi64>) -> tensor<?xi64>
      %2 = kern.lookup_strings table = 1 in(%arg2 : tensor<?x2xi64>) outs(%arg0 : tensor<?xi64>) -> tensor<?xi64>
      %3 = kern.lookup_ints table = 1 in(%arg0 : tensor<?xi64>) outs(%arg0 : tensor<?xi64>) -> tensor<?xi64>
      %4:4 = kern.unique_ids ids(%arg0 : tensor<?xi64>) outs(%arg0, %arg0, %arg0, %arg1 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
      kern.check_ids ids(%arg0 : tensor<?xi64>) low = 0 high = 5 cells(%arg2 : tensor<?x2xi64>) dtype = 14 table = 1 what = "label" feature = "f"
      kern.check_ids ids(%arg0 : tensor<?xi64>) low = 0 high = 5 dtype = 8 table = -1 what = "label"
      %5:3 = kern.merge_rows_f32 a_ids(%arg0 : tensor<?xi64>) a_rows(%arg6 : tensor<?x4xf32>) a_count(%arg1 : tensor<i64>) b_ids(%arg0 : tensor<?xi64>) b_rows(%arg6 : tensor<?x4xf32>) b_count(%arg1 : tensor<i64>) row_elems = 4 outs(%arg0, %arg6, %arg1 : tensor<?xi64>, tensor<?x4xf32>, tensor<i64>) -> tensor<?xi64>, tensor<?x4xf32>, tensor<i64>
      %6 = kern.table_terms table = 0 ids(%arg0 : tensor<?xi64>) outs(%arg2 : tensor<?x2xi64>) -> tensor<?x2xi64>
      kern.check_segment_ids ids(%arg0 : tensor<?xi64>) low = 0 high = 5 dtype = 8 table = -1 what = "label" ends(%arg0 : tensor<?xi64>)
      %7:3 = kern.segment_product lhs_ends(%arg0 : tensor<?xi64>) lhs_per_row = 0 rhs_per_row = 2 count(%arg1 : tensor<i64>) outs(%arg0, %arg0, %arg0 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %8:3 = kern.segment_product lhs_per_row = 2 rhs_ends(%arg0 : tensor<?xi64>) rhs_per_row = 0 count(%arg1 : tensor<i64>) outs(%arg0, %arg0, %arg0 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
      %9 = kern.put_values values(%arg3 : tensor<?xf32>) cell_bytes = 4 at(%arg1 : tensor<i64>) outs(%arg3 : tensor<?xf32>) -> tensor<?xf32>
      %10 = kern.add_to_bins keys(%arg3 : tensor<?xf32>) weights(%arg4 : tensor<?xf64>) bits = 8 outs(%arg4 : tensor<?xf64>) -> tensor<?xf64>
      %11 = kern.mid_ranks keys(%arg3 : tensor<?xf32>) groups(%arg0 : tensor<?xi64>) weights(%arg4 : tensor<?xf64>) count(%arg1 : tensor<i64>) outs(%arg4 : tensor<?xf64>) -> tensor<?xf64>
      %12 = kern.mid_ranks weights(%arg4 : tensor<?xf64>) count(%arg1 : tensor<i64>) outs(%arg4 : tensor<?xf64>) -> tensor<?xf64>
      kern.arena_mark outs(%arg8 : memref<i64>)
      kern.arena_release mark(%arg8 : memref<i64>)
      %13 = kern.sort_positions keys(%arg3 : tensor<?xf32>) dtype = 1 outer(%arg1 : tensor<i64>) n(%arg1 : tensor<i64>) inner(%arg1 : tensor<i64>) descending = 1 m(%arg1 : tensor<i64>) outs(%arg0 : tensor<?xi64>) -> tensor<?xi64>
      %14 = kern.take_along values(%arg2 : tensor<?x2xi64>) cell_bytes = 16 outer(%arg1 : tensor<i64>) n(%arg1 : tensor<i64>) inner(%arg1 : tensor<i64>) positions(%arg0 : tensor<?xi64>) m(%arg1 : tensor<i64>) outs(%arg2 : tensor<?x2xi64>) -> tensor<?x2xi64>
      %15 = kern.check_indices bounds(%arg0 : tensor<?xi64>) skip_negative = 0 what = "an op" outs(%arg0 : tensor<?xi64>) -> tensor<?xi64>
      %16 = kern.check_indices bounds(%arg0 : tensor<?xi64>) skip_negative = 1 what = "an op" must_run outs(%arg0 : tensor<?xi64>) -> tensor<?xi64>
      %17:4 = kern.unique_values in(%arg0 : tensor<?xi64>) sorted = 1 outs(%arg0, %arg0, %arg0, %arg1 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
      kern.queue_stage queue = 0 component = 1 many = 1 dims(%arg0 : tensor<?xi64>) data(%arg3 : tensor<?xf32>)
      kern.queue_enqueue queue = 0 many = 1 what = "an op"
      kern.queue_dequeue queue = 0 count = 8 or_rest = 1 what = "an op"
      %18 = kern.queue_taken_dims component = 1 outs(%arg0 : tensor<?xi64>) -> tensor<?xi64>
      %19 = kern.queue_taken component = 1 outs(%arg3 : tensor<?xf32>) -> tensor<?xf32>
      kern.queue_close queue = 0 cancel_pending = 1
      %20 = kern.queue_size queue = 0 outs(%arg1 : tensor<i64>) -> tensor<i64>
      %21 = kern.queue_is_closed queue = 0 outs(%arg7 : tensor<i8>) -> tensor<i8>
      %22 = kern.constant_strings bytes = "ab\00c" sizes(%arg0 : tensor<?xi64>) outs(%arg2 : tensor<?x2xi64>) -> tensor<?x2xi64>
      %23 = kern.map_strings n(%arg1 : tensor<i64>) map = 1 in(%arg2 : tensor<?x2xi64>) outs(%arg2 : tensor<?x2xi64>) -> tensor<?x2xi64>
      %24 = kern.substrings starts(%arg0 : tensor<?xi64>) lengths(%arg0 : tensor<?xi64>) in(%arg2 : tensor<?x2xi64>) outs(%arg2 : tensor<?x2xi64>) -> tensor<?x2xi64>
      %25 = kern.compare_strings lhs(%arg2 : tensor<?x2xi64>) rhs(%arg2 : tensor<?x2xi64>) predicate = 2 outs(%arg5 : tensor<?xi8>) -> tensor<?xi8>
      %26:2 = kern.count_parts in(%arg2 : tensor<?x2xi64>) delimiter = ", " any_byte = 0 skip_empty = 1 outs(%arg0, %arg1 : tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<i64>
      %27 = kern.split_strings ends(%arg0 : tensor<?xi64>) in(%arg2 : tensor<?x2xi64>) delimiter = ", " any_byte = 0 skip_empty = 1 outs(%arg2 : tensor<?x2xi64>) -> tensor<?x2xi64>
      %28 = kern.join_strings outer(%arg1 : tensor<i64>) n(%arg1 : tensor<i64>) inner(%arg1 : tensor<i64>) separator = "-" in(%arg2 : tensor<?x2xi64>) outs(%arg2 : tensor<?x2xi64>) -> tensor<?x2xi64>
      %29 = kern.join_segments ends(%arg0 : tensor<?xi64>) n(%arg1 : tensor<i64>) separator = "" what = "an op" in(%arg2 : tensor<?x2xi64>) outs(%arg2 : tensor<?x2xi64>) -> tensor<?x2xi64>
      %30 = kern.format_numbers in(%arg3 : tensor<?xf32>) dtype = 1 precision = -1 outs(%arg2 : tensor<?x2xi64>) -> tensor<?x2xi64>
      %31 = kern.parse_numbers n(%arg1 : tensor<i64>) per_row(%arg1 : tensor<i64>) in(%arg2 : tensor<?x2xi64>) dtype = 1 what = "an op" outs(%arg3 : tensor<?xf32>) -> tensor<?xf32>
      kern.state_stage name = "w" dtype = 1 rank = 1 dims(%arg0 : tensor<?xi64>) data(%arg3 : tensor<?xf32>)
      kern.state_stage name = "w" dtype = 1 rank = 1 dims(%arg0 : tensor<?xi64>)
      kern.state_save path(%arg9 : tensor<2xi64>) what = "an op"
      kern.state_load path(%arg9 : tensor<2xi64>) what = "an op"
      %32 = kern.state_loaded index = 0 outs(%arg3 : tensor<?xf32>) -> tensor<?xf32>
      kern.intermediate_set intermediate = "x" dims(%arg0 : tensor<?xi64>) data(%arg3 : tensor<?xf32>)
      kern.call_segment segment = "part"
      %33 = kern.intermediate_dims intermediate = "x" outs(%arg0 : tensor<?xi64>) -> tensor<?xi64>
      %34 = kern.intermediate_get intermediate = "x" outs(%arg3 : tensor<?xf32>) -> tensor<?xf32>
      kern.await_operand operand = 3
      kern.operand_done operand = 3
      kern.device_launch device = 0 kernel = "k" shape(%arg0 : tensor<?xi64>) arguments(%arg0 : tensor<?xi64>)
      %35 = kern.device_copy device = 0 from_space = 0 from(%arg3 : tensor<?xf32>) to_space = 1 bytes(%arg1 : tensor<i64>) outs(%arg3 : tensor<?xf32>) -> tensor<?xf32>
      kern.device_wait device = 0
      kern.space_free space = 1 memory(%arg3 : tensor<?xf32>)
      kern.check_columns ids(%arg2 : tensor<?x2xi64>) low = -1 highs(%arg0 : tensor<?xi64>) what = "column" features = "a\00b\00"
      return
    }
  }
  module @services {
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
  }
  module @transfer_0 {
    func.func @tensors(%arg0: tensor<?x4xf32, 1 : i64>, %arg1: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %0 = kern.transfer ins(%arg0 : tensor<?x4xf32, 1 : i64>) outs(%arg1 : tensor<?x4xf32>) -> tensor<?x4xf32>
      return %0 : tensor<?x4xf32>
    }
  }
  module @transfer_1 {
    func.func @buffers(%arg0: memref<?x4xf32>, %arg1: memref<?x4xf32, 1>) {
      kern.transfer ins(%arg0 : memref<?x4xf32>) outs(%arg1 : memref<?x4xf32, 1>)
      return
    }
  }
  module @kern {
    func.func @rows(%arg0: tensor<9x4xf32>, %arg1: tensor<?xi64>, %arg2: tensor<?x4xf32>, %arg3: tensor<?xi64>, %arg4: tensor<i64>, %arg5: tensor<?x4xf32>) -> (tensor<9x4xf32>, tensor<?x4xf32>) {
      %0 = kern.take_rows ins(%arg0, %arg1 : tensor<9x4xf32>, tensor<?xi64>) outs(%arg5 : tensor<?x4xf32>) -> tensor<?x4xf32>
      %1 = kern.group_sum ins(%0, %arg3, %arg1, %arg4 : tensor<?x4xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) outs(%arg5 : tensor<?x4xf32>) -> tensor<?x4xf32>
      %2 = kern.scan ins(%1 : tensor<?x4xf32>) outs(%arg5 : tensor<?x4xf32>) -> tensor<?x4xf32> {
      ^bb0(%arg6: f32, %arg7: f32):
        %4 = arith.addf %arg6, %arg7 : f32
        kern.yield %4, %4 : f32, f32
      } {axis = 0 : i64, initial = 0.000000e+00 : f32}
      %3 = kern.update_rows ids(%arg1, %arg4 : tensor<?xi64>, tensor<i64>) values(%2 : tensor<?x4xf32>) outs(%arg0 : tensor<9x4xf32>) -> tensor<9x4xf32> {
      ^bb0(%arg6: f32, %arg7: f32):
        %4 = arith.subf %arg6, %arg7 : f32
        kern.yield %4 : f32
      }
      return %3, %2 : tensor<9x4xf32>, tensor<?x4xf32>
    }
    func.func @copies(%arg0: tensor<?x1xf32>, %arg1: tensor<?x4xf32>, %arg2: tensor<?x5xf32>, %arg3: tensor<5x2xf32>, %arg4: tensor<1x2xf32>, %arg5: tensor<4x2xf32>, %arg6: memref<?xf32>, %arg7: memref<?xf32, strided<[2]>>, %arg8: memref<?xf32, strided<[2], offset: 1>>) -> (tensor<?x5xf32>, tensor<1x2xf32>) {
      %0 = kern.concat ins(%arg0, %arg1 : tensor<?x1xf32>, tensor<?x4xf32>) outs(%arg2 : tensor<?x5xf32>) {axis = 1 : i64} -> tensor<?x5xf32>
      %1:2 = kern.split ins(%arg3 : tensor<5x2xf32>) outs(%arg4, %arg5 : tensor<1x2xf32>, tensor<4x2xf32>) {axis = 0 : i64, offsets = array<i64: 0, 1>} -> tensor<1x2xf32>, tensor<4x2xf32>
      kern.copies %arg6, %arg6 to %arg7, %arg8 : memref<?xf32>, memref<?xf32> to memref<?xf32, strided<[2]>>, memref<?xf32, strided<[2], offset: 1>>
      return %0, %1#0 : tensor<?x5xf32>, tensor<1x2xf32>
    }
    func.func @launches(%arg0: index, %arg1: index) {
      kern.group {
        kern.launch %arg0 cost 1000 {
        ^bb0(%arg2: index):
        }
        kern.launch %arg1 cost 200 {
        ^bb0(%arg2: index):
        }
      }
      return
    }
  }
}

