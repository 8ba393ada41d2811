// Columns that share a table, of one id per row and of any number: one variable, whose gradient sums over both; rows that are
// longer than max_norm are cut where they are looked up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{y} = dense<0.0> : tensor<3xf32>
// DEFINE: %{values} = --convert-est-to-df --df-expand-gradients \
// DEFINE:   | sed -e 's/df.name = "c"/&, df.value = dense<[0, 1, 2, 0, 1]> : tensor<5xi64>/' \
// DEFINE:         -e 's/df.name = "c.ends"/&, df.value = dense<[2, 2, 5]> : tensor<3xi64>/' \
// DEFINE:         -e 's/df.name = "d"/&, df.value = dense<[1, 3, -1]> : tensor<3xi64>/' \
// DEFINE:         -e 's/df.name = "y"/&, df.value = %{y}/' \
// DEFINE:   | mlc-opt --df-interpret=functions=train -o /dev/null
// RUN: mlc-opt %s --convert-est-to-df | FileCheck %s --implicit-check-not=_embedding/embedding_weights
// REDEFINE: %{y} = dense<[3.5, 1.5, 1.5]> : tensor<3xf32>
// RUN: mlc-opt %s %{values} | FileCheck %s --check-prefix=SUM
// REDEFINE: %{y} = dense<0.0> : tensor<3xf32>
// RUN: sed 's/shared(/max_norm(0.5) shared(/' %s | mlc-opt %{values} | FileCheck %s --check-prefix=CUT
// RUN: sed 's/shared(/max_norm(1.5) shared(/' %s | mlc-opt %{values} | FileCheck %s --check-prefix=UNCUT
// RUN: sed -e 's/shared(/max_norm(1.5) shared(/' -e 's/initializer(#est.constant<value = 1.0>)/initializer(#est.constant<value = 0.0>)/' %s | mlc-opt %{values} | FileCheck %s --check-prefix=ZERO
// RUN: sed 's/_update(exact) shared/_update(exact) frozen shared/' %s | mlc-opt %{values} | FileCheck %s --check-prefix=FROZEN --implicit-check-not=embedding_weights
// RUN: sed '/d_shared_embedding/s/combiner(mean)/combiner(sum)/' %s | not mlc-opt --convert-est-to-df 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed '/embedding "d_shared/s/_update(exact)/& regularizer(<l1 = <"l1" = 0.0 : f64>, l2 = <"l2" = 0.5 : f64>>)/' %s | not mlc-opt --convert-est-to-df 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed '/est.embedding/s/_update(exact)/& regularizer(<l1 = <"l1" = 0.0 : f64>, l2 = <"l2" = 0.5 : f64>>)/' %s | mlc-opt %{values} | FileCheck %s --check-prefix=PENALTY

est.estimator @columns compat(tf2) {
  %c = est.feature "c" categorical : !est.feature<?xint64>
  %d = est.feature "d" categorical : !est.feature<int64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %ci = est.identity "c" of %c default_value 0 : !est.feature<?xint64> -> !est.categorical<4>
  %di = est.identity "d" of %d default_value 0 : !est.feature<int64> -> !est.categorical<4>
  %ce = est.embedding "c_shared_embedding" of %ci combiner(mean) initializer(#est.constant<value = 1.0>) sparse_update(exact) shared("both")
    : !est.categorical<4> -> !est.dense<2>
  %de = est.embedding "d_shared_embedding" of %di combiner(mean) initializer(#est.constant<value = 1.0>) sparse_update(exact) shared("both")
    : !est.categorical<4> -> !est.dense<2>
  // The sum of its inputs.
  %l = est.dnn (%ce, %de) hidden_units [1] activation(linear) kernel_initializer(#est.constant<value = 1.0>)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>) : (!est.dense<2>, !est.dense<2>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// CHECK: df.variable @"dnn/input_from_feature_columns/input_layer/both/embedding_weights" : tensor<4x2xf32>
// CHECK-LABEL: df.function @train
// CHECK: df.read_rows @"dnn/input_from_feature_columns/input_layer/both/embedding_weights"
// CHECK: df.read_rows @"dnn/input_from_feature_columns/input_layer/both/embedding_weights"
// CHECK: df.gradients %{{.*}} wrt [@"dnn/input_from_feature_columns/input_layer/both/embedding_weights", @"dnn/hiddenlayer_0/kernel",
// CHECK: df.apply_rows [@"dnn/input_from_feature_columns/input_layer/both/embedding_weights"]

// Predictions are 4, 2 and 2, each with the gradient 1: 1/2 + 1/3 for id 0, and 1 more for id 1, 1/3 for id 2, 1 for id 3.
// SUM: 0: tensor<f32> 0.75
// SUM: both/embedding_weights = tensor<4x2xf32> {{\[\[0.16666[0-9]*, 0.16666[0-9]*\], \[-0.83333[0-9]*, -0.83333[0-9]*\], \[0.66666[0-9]*, 0.66666[0-9]*\], \[0, 0\]\]}}
// Rows of length sqrt(2) become those of 0.5: 2 + 0.5 + 0.5.
// CUT: 0: tensor<f32> {{3|2.99999|3.00000}}
// 16 + 4 + 4
// UNCUT: 0: tensor<f32> 24
// Rows of length 0 have a gradient that is a number.
// ZERO: 0: tensor<f32> 0
// ZERO-NOT: nan
// FROZEN: @train
// Half of the squares of 4 x 2 ones: the table counts once for both columns.
// PENALTY: 1: tensor<f32> 4{{$}}
// OTHER: error: 'est.embedding' op takes the table 'both' of another column
// OTHER: note: columns that share a table agree in all but ids and name; this is one
