// Every service of the runtime is an op: it prints, and what it prints is parsed, in text and in bytecode.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// RUN: mlc-opt %s --mlir-print-op-generic | mlc-opt | FileCheck %s
// RUN: mlc-opt %s --emit-bytecode | mlc-opt | FileCheck %s

// None is missing here, but what takes a function or gives memory or an int32_t.
// RUN: grep -oE "^MLCRT_(STATEFUL_)?SERVICE.[a-z_0-9]+" %S/../../../runtime/include/mlcrt/services.def | grep -vE "parallel_for|allocate$|device_branch|device_loop" | sed "s/.*SERVICE./kern./" > %t.ops
// RUN: xargs -I{} grep -q "^  [^/]*{} " %s < %t.ops

// CHECK-LABEL: func.func @services
func.func @services(%i: tensor<?xi64>, %n: tensor<i64>, %s: tensor<?x2xi64>, %f: tensor<?xf32>, %d: tensor<?xf64>, %b: tensor<?xi8>, %r: tensor<?x4xf32>, %c: tensor<i8>, %m: memref<i64>, %p: tensor<2xi64>) {
  // CHECK: kern.report_error code = 2 row = -1 message = "too much"
  kern.report_error code = 2 row = -1 message = "too much"
  // CHECK: kern.fingerprint_strings in(%{{.*}} : tensor<?x2xi64>) outs(%{{.*}} : tensor<?xi64>) -> tensor<?xi64>
  %0 = kern.fingerprint_strings in(%s : tensor<?x2xi64>) outs(%i : tensor<?xi64>) -> tensor<?xi64>
  // CHECK: kern.fingerprint_ints in(%{{.*}} : tensor<?xi64>) outs(%{{.*}} : tensor<?xi64>) -> tensor<?xi64>
  %1 = kern.fingerprint_ints in(%i : tensor<?xi64>) outs(%i : tensor<?xi64>) -> tensor<?xi64>
  // CHECK: kern.lookup_strings table = 1 in(%{{.*}} : tensor<?x2xi64>) outs(%{{.*}} : tensor<?xi64>) -> tensor<?xi64>
  %2 = kern.lookup_strings table = 1 in(%s : tensor<?x2xi64>) outs(%i : tensor<?xi64>) -> tensor<?xi64>
  // CHECK: kern.lookup_ints table = 1 in(%{{.*}} : tensor<?xi64>) outs(%{{.*}} : tensor<?xi64>) -> tensor<?xi64>
  %3 = kern.lookup_ints table = 1 in(%i : tensor<?xi64>) outs(%i : tensor<?xi64>) -> tensor<?xi64>
  // CHECK: kern.unique_ids ids(%{{.*}} : tensor<?xi64>) outs(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  %4:4 = kern.unique_ids ids(%i : tensor<?xi64>) outs(%i, %i, %i, %n : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  // CHECK: kern.check_ids ids(%{{.*}} : tensor<?xi64>) low = 0 high = 5 cells(%{{.*}} : tensor<?x2xi64>) dtype = 14 table = 1 what = "label" feature = "f"
  kern.check_ids ids(%i : tensor<?xi64>) low = 0 high = 5 cells(%s : tensor<?x2xi64>) dtype = 14 table = 1 what = "label" feature = "f"
  // CHECK: kern.check_ids ids(%{{.*}} : tensor<?xi64>) low = 0 high = 5 dtype = 8 table = -1 what = "label"
  kern.check_ids ids(%i : tensor<?xi64>) low = 0 high = 5 dtype = 8 table = -1 what = "label"
  // CHECK: kern.merge_rows_f32 a_ids(%{{.*}} : tensor<?xi64>) a_rows(%{{.*}} : tensor<?x4xf32>) a_count(%{{.*}} : tensor<i64>) b_ids(%{{.*}} : tensor<?xi64>) b_rows(%{{.*}} : tensor<?x4xf32>) b_count(%{{.*}} : tensor<i64>) row_elems = 4 outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi64>, tensor<?x4xf32>, tensor<i64>) -> tensor<?xi64>, tensor<?x4xf32>, tensor<i64>
  %5:3 = kern.merge_rows_f32 a_ids(%i : tensor<?xi64>) a_rows(%r : tensor<?x4xf32>) a_count(%n : tensor<i64>) b_ids(%i : tensor<?xi64>) b_rows(%r : tensor<?x4xf32>) b_count(%n : tensor<i64>) row_elems = 4 outs(%i, %r, %n : tensor<?xi64>, tensor<?x4xf32>, tensor<i64>) -> tensor<?xi64>, tensor<?x4xf32>, tensor<i64>
  // CHECK: kern.table_terms table = 0 ids(%{{.*}} : tensor<?xi64>) outs(%{{.*}} : tensor<?x2xi64>) -> tensor<?x2xi64>
  %6 = kern.table_terms table = 0 ids(%i : tensor<?xi64>) outs(%s : tensor<?x2xi64>) -> tensor<?x2xi64>
  // CHECK: kern.check_segment_ids ids(%{{.*}} : tensor<?xi64>) low = 0 high = 5 dtype = 8 table = -1 what = "label" ends(%{{.*}} : tensor<?xi64>)
  kern.check_segment_ids ids(%i : tensor<?xi64>) low = 0 high = 5 dtype = 8 table = -1 what = "label" ends(%i : tensor<?xi64>)
  // CHECK: kern.segment_product lhs_ends(%{{.*}} : tensor<?xi64>) lhs_per_row = 0 rhs_per_row = 2 count(%{{.*}} : tensor<i64>) outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
  %7:3 = kern.segment_product lhs_ends(%i : tensor<?xi64>) lhs_per_row = 0 rhs_per_row = 2 count(%n : tensor<i64>) outs(%i, %i, %i : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
  // CHECK: kern.segment_product lhs_per_row = 2 rhs_ends(%{{.*}} : tensor<?xi64>) rhs_per_row = 0 count(%{{.*}} : tensor<i64>) outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
  %8:3 = kern.segment_product lhs_per_row = 2 rhs_ends(%i : tensor<?xi64>) rhs_per_row = 0 count(%n : tensor<i64>) outs(%i, %i, %i : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
  // CHECK: kern.put_values values(%{{.*}} : tensor<?xf32>) cell_bytes = 4 at(%{{.*}} : tensor<i64>) outs(%{{.*}} : tensor<?xf32>) -> tensor<?xf32>
  %9 = kern.put_values values(%f : tensor<?xf32>) cell_bytes = 4 at(%n : tensor<i64>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: kern.add_to_bins keys(%{{.*}} : tensor<?xf32>) weights(%{{.*}} : tensor<?xf64>) bits = 8 outs(%{{.*}} : tensor<?xf64>) -> tensor<?xf64>
  %10 = kern.add_to_bins keys(%f : tensor<?xf32>) weights(%d : tensor<?xf64>) bits = 8 outs(%d : tensor<?xf64>) -> tensor<?xf64>
  // CHECK: kern.mid_ranks keys(%{{.*}} : tensor<?xf32>) groups(%{{.*}} : tensor<?xi64>) weights(%{{.*}} : tensor<?xf64>) count(%{{.*}} : tensor<i64>) outs(%{{.*}} : tensor<?xf64>) -> tensor<?xf64>
  %11 = kern.mid_ranks keys(%f : tensor<?xf32>) groups(%i : tensor<?xi64>) weights(%d : tensor<?xf64>) count(%n : tensor<i64>) outs(%d : tensor<?xf64>) -> tensor<?xf64>
  // CHECK: kern.mid_ranks weights(%{{.*}} : tensor<?xf64>) count(%{{.*}} : tensor<i64>) outs(%{{.*}} : tensor<?xf64>) -> tensor<?xf64>
  %12 = kern.mid_ranks weights(%d : tensor<?xf64>) count(%n : tensor<i64>) outs(%d : tensor<?xf64>) -> tensor<?xf64>
  // CHECK: kern.arena_mark outs(%{{.*}} : memref<i64>)
  kern.arena_mark outs(%m : memref<i64>)
  // CHECK: kern.arena_release mark(%{{.*}} : memref<i64>)
  kern.arena_release mark(%m : memref<i64>)
  // CHECK: kern.sort_positions keys(%{{.*}} : tensor<?xf32>) dtype = 1 outer(%{{.*}} : tensor<i64>) n(%{{.*}} : tensor<i64>) inner(%{{.*}} : tensor<i64>) descending = 1 m(%{{.*}} : tensor<i64>) outs(%{{.*}} : tensor<?xi64>) -> tensor<?xi64>
  %13 = kern.sort_positions keys(%f : tensor<?xf32>) dtype = 1 outer(%n : tensor<i64>) n(%n : tensor<i64>) inner(%n : tensor<i64>) descending = 1 m(%n : tensor<i64>) outs(%i : tensor<?xi64>) -> tensor<?xi64>
  // CHECK: kern.take_along values(%{{.*}} : tensor<?x2xi64>) cell_bytes = 16 outer(%{{.*}} : tensor<i64>) n(%{{.*}} : tensor<i64>) inner(%{{.*}} : tensor<i64>) positions(%{{.*}} : tensor<?xi64>) m(%{{.*}} : tensor<i64>) outs(%{{.*}} : tensor<?x2xi64>) -> tensor<?x2xi64>
  %14 = kern.take_along values(%s : tensor<?x2xi64>) cell_bytes = 16 outer(%n : tensor<i64>) n(%n : tensor<i64>) inner(%n : tensor<i64>) positions(%i : tensor<?xi64>) m(%n : tensor<i64>) outs(%s : tensor<?x2xi64>) -> tensor<?x2xi64>
  // CHECK: kern.check_indices bounds(%{{.*}} : tensor<?xi64>) skip_negative = 0 what = "an op" outs(%{{.*}} : tensor<?xi64>) -> tensor<?xi64>
  %15 = kern.check_indices bounds(%i : tensor<?xi64>) skip_negative = 0 what = "an op" outs(%i : tensor<?xi64>) -> tensor<?xi64>
  // CHECK: kern.check_indices bounds(%{{.*}} : tensor<?xi64>) skip_negative = 1 what = "an op" must_run outs(%{{.*}} : tensor<?xi64>) -> tensor<?xi64>
  %16 = kern.check_indices bounds(%i : tensor<?xi64>) skip_negative = 1 what = "an op" must_run outs(%i : tensor<?xi64>) -> tensor<?xi64>
  // CHECK: kern.unique_values in(%{{.*}} : tensor<?xi64>) sorted = 1 outs(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  %17:4 = kern.unique_values in(%i : tensor<?xi64>) sorted = 1 outs(%i, %i, %i, %n : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  // CHECK: kern.queue_stage queue = 0 component = 1 many = 1 dims(%{{.*}} : tensor<?xi64>) data(%{{.*}} : tensor<?xf32>)
  kern.queue_stage queue = 0 component = 1 many = 1 dims(%i : tensor<?xi64>) data(%f : tensor<?xf32>)
  // CHECK: kern.queue_enqueue queue = 0 many = 1 what = "an op"
  kern.queue_enqueue queue = 0 many = 1 what = "an op"
  // CHECK: kern.queue_dequeue queue = 0 count = 8 or_rest = 1 what = "an op"
  kern.queue_dequeue queue = 0 count = 8 or_rest = 1 what = "an op"
  // CHECK: kern.queue_taken_dims component = 1 outs(%{{.*}} : tensor<?xi64>) -> tensor<?xi64>
  %18 = kern.queue_taken_dims component = 1 outs(%i : tensor<?xi64>) -> tensor<?xi64>
  // CHECK: kern.queue_taken component = 1 outs(%{{.*}} : tensor<?xf32>) -> tensor<?xf32>
  %19 = kern.queue_taken component = 1 outs(%f : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: kern.queue_close queue = 0 cancel_pending = 1
  kern.queue_close queue = 0 cancel_pending = 1
  // CHECK: kern.queue_size queue = 0 outs(%{{.*}} : tensor<i64>) -> tensor<i64>
  %20 = kern.queue_size queue = 0 outs(%n : tensor<i64>) -> tensor<i64>
  // CHECK: kern.queue_is_closed queue = 0 outs(%{{.*}} : tensor<i8>) -> tensor<i8>
  %21 = kern.queue_is_closed queue = 0 outs(%c : tensor<i8>) -> tensor<i8>
  // CHECK: kern.constant_strings bytes = "ab\00c" sizes(%{{.*}} : tensor<?xi64>) outs(%{{.*}} : tensor<?x2xi64>) -> tensor<?x2xi64>
  %22 = kern.constant_strings bytes = "ab\00c" sizes(%i : tensor<?xi64>) outs(%s : tensor<?x2xi64>) -> tensor<?x2xi64>
  // CHECK: kern.map_strings n(%{{.*}} : tensor<i64>) map = 1 in(%{{.*}} : tensor<?x2xi64>) outs(%{{.*}} : tensor<?x2xi64>) -> tensor<?x2xi64>
  %23 = kern.map_strings n(%n : tensor<i64>) map = 1 in(%s : tensor<?x2xi64>) outs(%s : tensor<?x2xi64>) -> tensor<?x2xi64>
  // CHECK: kern.substrings starts(%{{.*}} : tensor<?xi64>) lengths(%{{.*}} : tensor<?xi64>) in(%{{.*}} : tensor<?x2xi64>) outs(%{{.*}} : tensor<?x2xi64>) -> tensor<?x2xi64>
  %24 = kern.substrings starts(%i : tensor<?xi64>) lengths(%i : tensor<?xi64>) in(%s : tensor<?x2xi64>) outs(%s : tensor<?x2xi64>) -> tensor<?x2xi64>
  // CHECK: kern.compare_strings lhs(%{{.*}} : tensor<?x2xi64>) rhs(%{{.*}} : tensor<?x2xi64>) predicate = 2 outs(%{{.*}} : tensor<?xi8>) -> tensor<?xi8>
  %25 = kern.compare_strings lhs(%s : tensor<?x2xi64>) rhs(%s : tensor<?x2xi64>) predicate = 2 outs(%b : tensor<?xi8>) -> tensor<?xi8>
  // CHECK: kern.count_parts in(%{{.*}} : tensor<?x2xi64>) delimiter = ", " any_byte = 0 skip_empty = 1 outs(%{{.*}}, %{{.*}} : tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<i64>
  %26:2 = kern.count_parts in(%s : tensor<?x2xi64>) delimiter = ", " any_byte = 0 skip_empty = 1 outs(%i, %n : tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<i64>
  // CHECK: kern.split_strings ends(%{{.*}} : tensor<?xi64>) in(%{{.*}} : tensor<?x2xi64>) delimiter = ", " any_byte = 0 skip_empty = 1 outs(%{{.*}} : tensor<?x2xi64>) -> tensor<?x2xi64>
  %27 = kern.split_strings ends(%i : tensor<?xi64>) in(%s : tensor<?x2xi64>) delimiter = ", " any_byte = 0 skip_empty = 1 outs(%s : tensor<?x2xi64>) -> tensor<?x2xi64>
  // CHECK: kern.join_strings outer(%{{.*}} : tensor<i64>) n(%{{.*}} : tensor<i64>) inner(%{{.*}} : tensor<i64>) separator = "-" in(%{{.*}} : tensor<?x2xi64>) outs(%{{.*}} : tensor<?x2xi64>) -> tensor<?x2xi64>
  %28 = kern.join_strings outer(%n : tensor<i64>) n(%n : tensor<i64>) inner(%n : tensor<i64>) separator = "-" in(%s : tensor<?x2xi64>) outs(%s : tensor<?x2xi64>) -> tensor<?x2xi64>
  // CHECK: kern.join_segments ends(%{{.*}} : tensor<?xi64>) n(%{{.*}} : tensor<i64>) separator = "" what = "an op" in(%{{.*}} : tensor<?x2xi64>) outs(%{{.*}} : tensor<?x2xi64>) -> tensor<?x2xi64>
  %29 = kern.join_segments ends(%i : tensor<?xi64>) n(%n : tensor<i64>) separator = "" what = "an op" in(%s : tensor<?x2xi64>) outs(%s : tensor<?x2xi64>) -> tensor<?x2xi64>
  // CHECK: kern.format_numbers in(%{{.*}} : tensor<?xf32>) dtype = 1 precision = -1 outs(%{{.*}} : tensor<?x2xi64>) -> tensor<?x2xi64>
  %30 = kern.format_numbers in(%f : tensor<?xf32>) dtype = 1 precision = -1 outs(%s : tensor<?x2xi64>) -> tensor<?x2xi64>
  // CHECK: kern.parse_numbers n(%{{.*}} : tensor<i64>) per_row(%{{.*}} : tensor<i64>) in(%{{.*}} : tensor<?x2xi64>) dtype = 1 what = "an op" outs(%{{.*}} : tensor<?xf32>) -> tensor<?xf32>
  %31 = kern.parse_numbers n(%n : tensor<i64>) per_row(%n : tensor<i64>) in(%s : tensor<?x2xi64>) dtype = 1 what = "an op" outs(%f : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: kern.state_stage name = "w" dtype = 1 rank = 1 dims(%{{.*}} : tensor<?xi64>) data(%{{.*}} : tensor<?xf32>)
  kern.state_stage name = "w" dtype = 1 rank = 1 dims(%i : tensor<?xi64>) data(%f : tensor<?xf32>)
  // CHECK: kern.state_stage name = "w" dtype = 1 rank = 1 dims(%{{.*}} : tensor<?xi64>)
  kern.state_stage name = "w" dtype = 1 rank = 1 dims(%i : tensor<?xi64>)
  // CHECK: kern.state_save path(%{{.*}} : tensor<2xi64>) what = "an op"
  kern.state_save path(%p : tensor<2xi64>) what = "an op"
  // CHECK: kern.state_load path(%{{.*}} : tensor<2xi64>) what = "an op"
  kern.state_load path(%p : tensor<2xi64>) what = "an op"
  // CHECK: kern.state_loaded index = 0 outs(%{{.*}} : tensor<?xf32>) -> tensor<?xf32>
  %32 = kern.state_loaded index = 0 outs(%f : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: kern.intermediate_set intermediate = "x" dims(%{{.*}} : tensor<?xi64>) data(%{{.*}} : tensor<?xf32>)
  kern.intermediate_set intermediate = "x" dims(%i : tensor<?xi64>) data(%f : tensor<?xf32>)
  // CHECK: kern.call_segment segment = "part"
  kern.call_segment segment = "part"
  // CHECK: kern.intermediate_dims intermediate = "x" outs(%{{.*}} : tensor<?xi64>) -> tensor<?xi64>
  %33 = kern.intermediate_dims intermediate = "x" outs(%i : tensor<?xi64>) -> tensor<?xi64>
  // CHECK: kern.intermediate_get intermediate = "x" outs(%{{.*}} : tensor<?xf32>) -> tensor<?xf32>
  %34 = kern.intermediate_get intermediate = "x" outs(%f : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: kern.await_operand operand = 3
  kern.await_operand operand = 3
  // CHECK: kern.operand_done operand = 3
  kern.operand_done operand = 3
  // CHECK: kern.device_launch device = 0 kernel = "k" shape(%{{.*}} : tensor<?xi64>) arguments(%{{.*}} : tensor<?xi64>)
  kern.device_launch device = 0 kernel = "k" shape(%i : tensor<?xi64>) arguments(%i : tensor<?xi64>)
  // CHECK: kern.device_copy device = 0 from_space = 0 from(%{{.*}} : tensor<?xf32>) to_space = 1 bytes(%{{.*}} : tensor<i64>) outs(%{{.*}} : tensor<?xf32>) -> tensor<?xf32>
  %35 = kern.device_copy device = 0 from_space = 0 from(%f : tensor<?xf32>) to_space = 1 bytes(%n : tensor<i64>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: kern.device_wait device = 0
  kern.device_wait device = 0
  // CHECK: kern.device_side device = 0 side = 2
  kern.device_side device = 0 side = 2
  // CHECK: kern.space_free space = 1 memory(%{{.*}} : tensor<?xf32>)
  kern.space_free space = 1 memory(%f : tensor<?xf32>)
  // CHECK: kern.check_columns ids(%{{.*}} : tensor<?x2xi64>) low = -1 highs(%{{.*}} : tensor<?xi64>) what = "column" features = "a\00b\00"
  kern.check_columns ids(%s : tensor<?x2xi64>) low = -1 highs(%i : tensor<?xi64>) what = "column" features = "a\00b\00"
  return
}
