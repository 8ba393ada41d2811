// Crosses of terms with several values per row: an id for each combination. A golden vector of TensorFlow 1.15's tests, and
// the order of the fold: categorical columns and multi-valued features in the order of the keys, then strings of one value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df | FileCheck %s
// RUN: mlc-opt %s --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -e 's/df.name = "a"/&, df.value = dense<[[-1.0, 0.5], [0.5, 1.0]]> : tensor<2x2xf32>/' \
// RUN:         -e 's/df.name = "c"/&, df.value = dense<["cA", "cB", "cC"]> : tensor<3x!df.string>/' \
// RUN:         -e 's/df.name = "c.ends"/&, df.value = dense<[1, 3]> : tensor<2xi64>/' \
// RUN:         -e 's/df.name = "g"/&, df.value = dense<["x", "y", "z", "q"]> : tensor<4x!df.string>/' \
// RUN:         -e 's/df.name = "g.ends"/&, df.value = dense<[3, 4]> : tensor<2xi64>/' \
// RUN:         -e 's/df.name = "s"/&, df.value = dense<["cA", "cB"]> : tensor<2x!df.string>/' \
// RUN:         -e 's/df.name = "y"/&, df.value = dense<-0.5> : tensor<2xf32>/' \
// RUN:   | mlc-opt --df-interpret=functions=train -o /dev/null | FileCheck %s --check-prefix=VALUES

est.estimator @columns compat(tf2) {
  %a = est.feature "a" : !est.feature<2xfloat32>
  %c = est.feature "c" categorical : !est.feature<?xstring>
  %g = est.feature "g" categorical : !est.feature<?xstring>
  %s = est.feature "s" categorical : !est.feature<string>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %b = est.bucketized "a_bucketized" of %a boundaries [0.0, 1.0] : !est.feature<2xfloat32> -> !est.categorical<6>
  %v = est.vocabulary "g" of %g terms(["x", "y"]) : !est.feature<?xstring> -> !est.categorical<2>
  %golden = est.crossed "golden" of (%b, %c) hash_key 5 : (!est.categorical<6>, !est.feature<?xstring>) -> !est.categorical<5>
  %fold1 = est.crossed "fold_dense_first" of (%s, %c) hash_key 7 : (!est.feature<string>, !est.feature<?xstring>) -> !est.categorical<200>
  %fold2 = est.crossed "fold_sparse_first" of (%c, %s) hash_key 7 : (!est.feature<?xstring>, !est.feature<string>) -> !est.categorical<200>
  %three = est.crossed "three" of (%s, %b, %c, %v) hash_key 1
    : (!est.feature<string>, !est.categorical<6>, !est.feature<?xstring>, !est.categorical<2>) -> !est.categorical<200>
  %fixed = est.crossed "fixed" of (%b, %s) hash_key 1 : (!est.categorical<6>, !est.feature<string>) -> !est.categorical<200>
  %l = est.linear (%b, %golden, %fold1, %fold2, %three, %fixed) sparse_combiner(sum)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.categorical<6>, !est.categorical<5>, !est.categorical<200>, !est.categorical<200>,
       !est.categorical<200>, !est.categorical<200>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// Twice the values of c; the values of c times those of g; twice those.
// CHECK: df.dimension sum [0, 2] as 3
// CHECK: df.dimension product [1, 2] as 4
// CHECK: df.dimension sum [0, 0, 0, 0, 2] as 5
// CHECK-LABEL: df.function @predict(
// CHECK: df.ragged_product rhs_ends(%{{.*}}) {lhs_per_row = 2 : i64, symbol = 3 : i64}
// Both orders of the keys are one fold.
// CHECK: df.ragged_product lhs_ends(%{{.*}}) {rhs_per_row = 1 : i64, symbol = 1 : i64}

// VALUES-LABEL: @train
// Number i of a row has ids from 3 i on.
// VALUES: a_bucketized/weights = tensor<6x1xf32> {{\[\[-1\], \[-1\], \[0\], \[0\], \[-1\], \[-1\]\]}}
// VALUES: fixed/weights = tensor<200x1xf32> {{\[(\[0\], ){32}\[-1\], \[-1\], (\[0\], ){130}\[-1\], (\[0\], ){30}\[-1\], (\[0\], ){3}\[0\]\]}}
// c first in both, whatever the order of the keys.
// VALUES: fold_dense_first/weights = tensor<200x1xf32> {{\[(\[0\], ){51}\[-1\], (\[0\], ){46}\[-1\], (\[0\], ){46}\[-1\], (\[0\], ){53}\[0\]\]}}
// VALUES: fold_sparse_first/weights = tensor<200x1xf32> {{\[(\[0\], ){51}\[-1\], (\[0\], ){46}\[-1\], (\[0\], ){46}\[-1\], (\[0\], ){53}\[0\]\]}}
// VALUES: golden/weights = tensor<5x1xf32> {{\[\[-1\], \[-2\], \[-1\], \[-1\], \[-1\]\]}}
// What is in no vocabulary is a value, -1: the ids are those of TensorFlow 2.15.
// VALUES: three/weights = tensor<200x1xf32> {{\[(\[0\], ){14}\[-1\], (\[0\], ){24}\[-1\], (\[0\], ){5}\[-1\], (\[0\], ){15}\[-1\], \[-1\], (\[0\], ){50}\[-1\], (\[0\], ){29}\[-1\], (\[0\], ){26}\[-1\], (\[0\], ){3}\[-1\], (\[0\], ){4}\[-1\], (\[0\], ){19}\[0\]\]}}
