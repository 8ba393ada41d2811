// Tables of columns that are alike are one variable, whose rows keep the names of the tables: one gather, one update.
// What differs in width, first values or how it is trained, is shared, bounded, has ids without number, or whose gradient
// is clipped by its norm, stays by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: sed "s/CLIP//" %s | mlc-opt --convert-est-to-df -o %t
// RUN: FileCheck %s --input-file=%t
// RUN: FileCheck %s --input-file=%t --check-prefix=TRAIN
// RUN: sed 's/CLIP/, clip_by_global_norm = <"c" = 1.0 : f64>/' %s | mlc-opt --convert-est-to-df | FileCheck %s --check-prefix=CLIPPED

est.estimator @stacked compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<string>
  %m = est.feature "m" categorical : !est.feature<?xstring>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %h0 = est.hash_bucket "h0" of %s : !est.feature<string> -> !est.categorical<10>
  %h1 = est.hash_bucket "h1" of %s : !est.feature<string> -> !est.categorical<20>
  %h2 = est.hash_bucket "h2" of %s : !est.feature<string> -> !est.categorical<5>
  %h3 = est.hash_bucket "h3" of %s : !est.feature<string> -> !est.categorical<7>
  %h4 = est.hash_bucket "h4" of %m : !est.feature<?xstring> -> !est.categorical<8>
  %e0 = est.embedding "e0" of %h0 combiner(mean) initializer(#est.truncated_normal<mean = 0.0, stddev = 0.5>) sparse_update(exact) : !est.categorical<10> -> !est.dense<2>
  %e1 = est.embedding "e1" of %h1 combiner(mean) initializer(#est.truncated_normal<mean = 0.0, stddev = 0.5>) sparse_update(exact) : !est.categorical<20> -> !est.dense<2>
  %e2 = est.embedding "e2" of %h2 combiner(sum) initializer(#est.truncated_normal<mean = 0.0, stddev = 0.5>) sparse_update(exact) : !est.categorical<5> -> !est.dense<2>
  %e3 = est.embedding "e3" of %h3 combiner(mean) initializer(#est.truncated_normal<mean = 0.0, stddev = 0.5>) sparse_update(exact) : !est.categorical<7> -> !est.dense<2>
  %wide = est.embedding "wide" of %h3 combiner(mean) initializer(#est.truncated_normal<mean = 0.0, stddev = 0.5>) sparse_update(exact) : !est.categorical<7> -> !est.dense<3>
  %other = est.embedding "other" of %h3 combiner(mean) initializer(#est.truncated_normal<mean = 0.0, stddev = 0.25>) sparse_update(exact) : !est.categorical<7> -> !est.dense<2>
  %lazy = est.embedding "lazy" of %h3 combiner(mean) initializer(#est.truncated_normal<mean = 0.0, stddev = 0.5>) sparse_update(lazy) : !est.categorical<7> -> !est.dense<2>
  %frozen = est.embedding "frozen" of %h3 combiner(mean) initializer(#est.truncated_normal<mean = 0.0, stddev = 0.5>) sparse_update(exact) frozen : !est.categorical<7> -> !est.dense<2>
  %many = est.embedding "many" of %h4 combiner(mean) initializer(#est.truncated_normal<mean = 0.0, stddev = 0.5>) sparse_update(exact) : !est.categorical<8> -> !est.dense<2>
  %bounded = est.embedding "bounded" of %h3 combiner(mean) initializer(#est.truncated_normal<mean = 0.0, stddev = 0.5>) sparse_update(exact) max_norm(1.0) : !est.categorical<7> -> !est.dense<2>
  %d = est.dnn (%e0, %wide, %e1, %other, %e2, %lazy, %e3, %frozen, %many, %bounded) hidden_units [2] activation(relu) kernel_initializer(#est.glorot_uniform)
    optimizer(<rule = #est.adagrad<learning_rate = <"lr" = 0.1 : f64>, epsilon = <"eps" = 0.0 : f64>, initial_accumulator_value = 0.1>CLIP>)
    : (!est.dense<2>, !est.dense<3>, !est.dense<2>, !est.dense<2>, !est.dense<2>, !est.dense<2>, !est.dense<2>, !est.dense<2>, !est.dense<2>, !est.dense<2>) -> !est.logits<1>
  est.regression_head "y" (%d) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// The order of the state's tensors is that of the columns.
// CHECK: df.tensors = ["[[P:dnn/input_from_feature_columns/input_layer]]/e0/embedding_weights", "[[P]]/wide/embedding_weights", "[[P]]/e1/embedding_weights", "[[P]]/other/embedding_weights", "[[P]]/e2/embedding_weights", "[[P]]/lazy/embedding_weights", "[[P]]/e3/embedding_weights", "[[P]]/frozen/embedding_weights"
// CHECK: df.variable @"[[P]]/e0/embedding_weights+3" : tensor<42x2xf32> = #df.truncated_normal<0.000000e+00, 5.000000e-01>
// CHECK-SAME: {named_rows = [#df.named_rows<"[[P]]/e0/embedding_weights", 10>, #df.named_rows<"[[P]]/e1/embedding_weights", 20>, #df.named_rows<"[[P]]/e2/embedding_weights", 5>, #df.named_rows<"[[P]]/e3/embedding_weights", 7>], trainable}
// CHECK: df.variable @"[[P]]/wide/embedding_weights" : tensor<7x3xf32>
// CHECK: df.variable @"[[P]]/other/embedding_weights" : tensor<7x2xf32>
// CHECK: df.variable @"[[P]]/lazy/embedding_weights" : tensor<7x2xf32>
// CHECK: df.variable @"[[P]]/frozen/embedding_weights" : tensor<7x2xf32>
// CHECK: df.variable @"[[P]]/many/embedding_weights" : tensor<8x2xf32>
// CHECK: df.variable @"[[P]]/bounded/embedding_weights" : tensor<7x2xf32>
// CHECK: df.variable @"[[P]]/e0/embedding_weights+3/Adagrad" : tensor<42x2xf32> = #df.constant<1.000000e-01>
// CHECK-SAME: {named_rows = [#df.named_rows<"[[P]]/e0/embedding_weights/Adagrad", 10>, #df.named_rows<"[[P]]/e1/embedding_weights/Adagrad", 20>, #df.named_rows<"[[P]]/e2/embedding_weights/Adagrad", 5>, #df.named_rows<"[[P]]/e3/embedding_weights/Adagrad", 7>], slot = "accumulator", slot_of = @"[[P]]/e0/embedding_weights+3"}

// Ids beside each other, each moved to the first row of its table; none stays none.
// TRAIN-LABEL: df.function @train(
// TRAIN: %[[IDS:.*]] = df.concat %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {axis = 1 : i64} {{.*}} -> tensor<?x4xi64>
// TRAIN: %[[FIRST:.*]] = df.constant dense<[0, 10, 30, 35]> : tensor<4xi64>
// TRAIN: %[[FIRSTS:.*]] = df.broadcast %[[FIRST]] like %[[IDS]] dimensions = [1]
// TRAIN: %[[IS:.*]] = df.compare ge, %[[IDS]]
// TRAIN: %[[MOVED:.*]] = df.add %[[IDS]], %[[FIRSTS]]
// TRAIN: %[[ROWS:.*]] = df.select %[[IS]], %[[MOVED]],
// TRAIN: %[[FLAT:.*]] = df.reshape %[[ROWS]] : (tensor<?x4xi64>) -> tensor<?xi64>
// TRAIN: %[[TAKEN:.*]] = df.read_rows @"{{.*}}/e0/embedding_weights+3"[%[[FLAT]]]
// TRAIN: %[[BESIDE:.*]] = df.reshape %[[TAKEN]] : (tensor<?x2xf32>) -> tensor<?x8xf32>
// TRAIN: df.slice %[[BESIDE]] {sizes = array<i64: -1, 2>, starts = array<i64: 0, 0>}
// TRAIN: df.slice %[[BESIDE]] {sizes = array<i64: -1, 2>, starts = array<i64: 0, 2>}
// TRAIN: df.apply_rows [@"{{.*}}/e0/embedding_weights+3", @"{{.*}}/e0/embedding_weights+3/Adagrad"]

// Norms of gradients are added up by table.
// CLIPPED-NOT: df.tensors
// CLIPPED-NOT: named_rows
// CLIPPED: df.apply_rows [@"{{.*}}/e0/embedding_weights",
// CLIPPED: df.apply_rows [@"{{.*}}/e3/embedding_weights",
