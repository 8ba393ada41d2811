// Weights of values, of one per row and of any number: what stands for an id times its weight, by combiner. Values of weight
// <= 0 count for sums only; a row without a value is zeros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of c: (0: 0.5, 1: 2), (), (0: -1, 2: 3, 1: 1), (3: 0); of d: 1: 2, 3: 0, no value: 5, 1: -1. Each row has the
// gradient 1, the rate is 1: weights become minus the shares of the ids.
// DEFINE: %{values} = --convert-est-to-df --df-expand-gradients \
// DEFINE:   | sed -e 's/df.name = "c"/&, df.value = dense<[0, 1, 0, 2, 1, 3]> : tensor<6xi64>/' \
// DEFINE:         -e 's/df.name = "c.ends"/&, df.value = dense<[2, 2, 5, 6]> : tensor<4xi64>/' \
// DEFINE:         -e 's/df.name = "c.weight"/&, df.value = dense<[0.5, 2.0, -1.0, 3.0, 1.0, 0.0]> : tensor<6xf32>/' \
// DEFINE:         -e 's/df.name = "d"/&, df.value = dense<[1, 3, -1, 1]> : tensor<4xi64>/' \
// DEFINE:         -e 's/df.name = "f"/&, df.value = dense<[2.0, 0.0, 5.0, -1.0]> : tensor<4xf64>/' \
// DEFINE:         -e 's/df.name = "y"/&, df.value = dense<-0.5> : tensor<4xf32>/' \
// DEFINE:   | mlc-opt --df-interpret=functions=train -o /dev/null
// RUN: mlc-opt %s %{values} | FileCheck %s --check-prefixes=VALUES,SUM
// RUN: sed 's/combiner(sum)/combiner(mean)/' %s | mlc-opt %{values} | FileCheck %s --check-prefixes=VALUES,MEAN
// RUN: sed 's/combiner(sum)/combiner(sqrtn)/' %s | mlc-opt %{values} | FileCheck %s --check-prefixes=VALUES,SQRTN
// RUN: mlc-opt %s --convert-est-to-df | FileCheck %s

est.estimator @columns compat(tf2) {
  %c = est.feature "c" categorical : !est.feature<?xint64>
  %w = est.feature "c.weight" of %c : !est.feature<?xint64> : !est.feature<?xfloat32>
  %d = est.feature "d" categorical : !est.feature<int64>
  %f = est.feature "f" : !est.feature<float64>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %ci = est.identity "c" of %c default_value 0 : !est.feature<?xint64> -> !est.categorical<4>
  %di = est.identity "d" of %d default_value 0 : !est.feature<int64> -> !est.categorical<4>
  %cw = est.weighted "c_w" of %ci weight %w : !est.categorical<4>, !est.feature<?xfloat32> -> !est.categorical<4>
  %dw = est.weighted "d_w" of %di weight %f : !est.categorical<4>, !est.feature<float64> -> !est.categorical<4>
  %i = est.indicator "i" of %cw : !est.categorical<4> -> !est.dense<4>
  %j = est.indicator "j" of %dw : !est.categorical<4> -> !est.dense<4>
  %l = est.linear (%cw, %dw, %i, %j) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.categorical<4>, !est.categorical<4>, !est.dense<4>, !est.dense<4>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// The weights have the symbol of the values, and no ends of their own.
// CHECK-LABEL: df.function @predict(
// CHECK-SAME: tensor<?xi64> {df.name = "c", df.symbol = 1 : i64}, %{{.*}}: tensor<?xf32> {df.name = "c.weight", df.symbol = 1 : i64}, %{{.*}}: tensor<?xi64> {df.name = "d"}, %{{.*}}: tensor<?xf64> {df.name = "f"}, %{{.*}}: tensor<?xi64> {df.name = "c.ends"})

// VALUES-LABEL: @train
// SUM: c_w/weights = tensor<4x1xf32> {{\[\[0.5\], \[-3\], \[-3\], \[0\]\]}}
// SUM: d_w/weights = tensor<4x1xf32> {{\[\[0\], \[-1\], \[0\], \[0\]\]}}
// MEAN: c_w/weights = tensor<4x1xf32> {{\[\[-0.2\], \[-1.05\], \[-0.75\], \[0\]\]}}
// MEAN: d_w/weights = tensor<4x1xf32> {{\[\[0\], \[-1\], \[0\], \[0\]\]}}
// 0.5 / sqrt(4.25), 2 / sqrt(4.25) + 1 / sqrt(10), 3 / sqrt(10)
// SQRTN: c_w/weights = tensor<4x1xf32> {{\[\[-0.2425356[0-9]*\], \[-1.286370[0-9]*\], \[-0.948683[0-9]*\], \[0\]\]}}
// SQRTN: d_w/weights = tensor<4x1xf32> {{\[\[0\], \[-1\], \[0\], \[0\]\]}}
// VALUES: i/weights = tensor<4x1xf32> {{\[\[0.5\], \[-3\], \[-3\], \[0\]\]}}
// VALUES: j/weights = tensor<4x1xf32> {{\[\[0\], \[-1\], \[0\], \[0\]\]}}
