// Boundaries after a normalizer cut what it gives, as tf.feature_column.bucketized_column does over a numeric_column with a
// normalizer_fn; without one they cut the cells. Each row has the gradient 1, and the rate is 1: a weight is less the number of
// rows in its bucket. Numbers: (x - 3) / 2 of [0, 2, 4, 6, 9] is [-1.5, -0.5, 0.5, 1.5, 3].
// RUN: mlc-opt %s --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -e 's/df.name = "x"/&, df.value = dense<[0.0, 2.0, 4.0, 6.0, 9.0]> : tensor<5xf32>/' \
// RUN:         -e 's/df.name = "y"/&, df.value = dense<-0.5> : tensor<5xf32>/' \
// RUN:   | mlc-opt --df-interpret=functions=train -o /dev/null | FileCheck %s

est.estimator @columns compat(tf2) {
  %x = est.feature "x" : !est.feature<float32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %raw = est.bucketized "raw" of %x boundaries [0.5, 1.5] : !est.feature<float32> -> !est.categorical<3>
  %z = est.bucketized "z" of %x normalizer(#est.z_score<mean = 3.0, stddev = 2.0>) boundaries [0.5, 1.5]
    : !est.feature<float32> -> !est.categorical<3>
  %l = est.linear (%raw, %z) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.categorical<3>, !est.categorical<3>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// CHECK-LABEL: @train
// CHECK: raw/weights = tensor<3x1xf32> {{\[\[-1\], \[0\], \[-4\]\]}}
// CHECK: z/weights = tensor<3x1xf32> {{\[\[-2\], \[-1\], \[-2\]\]}}
