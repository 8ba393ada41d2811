// Which rows of the weights a batch touches: each row of the batch has the gradient 1, and the rate is 1.
// Hash columns and crosses are golden vectors of TensorFlow 1.15's tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --df-expand-gradients \
// RUN:   | sed -e 's/df.name = "s"/&, df.value = dense<["omar", "stringer", ""]> : tensor<3x!df.string>/' \
// RUN:         -e 's/df.name = "i"/&, df.value = dense<[101, 201, -1]> : tensor<3xi64>/' \
// RUN:         -e 's/df.name = "n"/&, df.value = dense<[2, 7, -1]> : tensor<3xi32>/' \
// RUN:         -e 's/df.name = "v"/&, df.value = dense<["F", "x", ""]> : tensor<3x!df.string>/' \
// RUN:         -e 's/df.name = "a"/&, df.value = dense<[-1.0, 0.5, 0.5]> : tensor<3xf32>/' \
// RUN:         -e 's/df.name = "c"/&, df.value = dense<["cA", "cB", "cC"]> : tensor<3x!df.string>/' \
// RUN:         -e 's/df.name = "f\([123]\)"/&, df.value = dense<"batch1-FC\1-F1"> : tensor<3x!df.string>/g' \
// RUN:         -e 's/df.name = "y"/&, df.value = dense<-0.5> : tensor<3xf32>/' \
// RUN:   | mlc-opt --df-interpret=functions=train -o /dev/null | FileCheck %s

est.estimator @columns compat(tf2) {
  %s = est.feature "s" categorical : !est.feature<string>
  %i = est.feature "i" categorical : !est.feature<int64>
  %n = est.feature "n" categorical : !est.feature<int32>
  %v = est.feature "v" categorical : !est.feature<string>
  %a = est.feature "a" : !est.feature<float32>
  %c = est.feature "c" categorical : !est.feature<string>
  %f1 = est.feature "f1" categorical : !est.feature<string>
  %f2 = est.feature "f2" categorical : !est.feature<string>
  %f3 = est.feature "f3" categorical : !est.feature<string>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %hs = est.hash_bucket "hash_string" of %s : !est.feature<string> -> !est.categorical<10>
  %hi = est.hash_bucket "hash_integer" of %i : !est.feature<int64> -> !est.categorical<10>
  %id = est.identity "identity" of %n default_value 1 : !est.feature<int32> -> !est.categorical<3>
  %vo = est.vocabulary "oov" of %v terms(["M", "F"]) num_oov_buckets 1 : !est.feature<string> -> !est.categorical<3>
  %vd = est.vocabulary "default" of %v terms(["M", "F"]) default_value 0 : !est.feature<string> -> !est.categorical<2>
  %vn = est.vocabulary "none" of %v terms(["M", "F"]) : !est.feature<string> -> !est.categorical<2>
  %b = est.bucketized "bucketized" of %a boundaries [0.0, 1.0] : !est.feature<float32> -> !est.categorical<3>
  %x0 = est.crossed "cross_bucketized" of (%c, %b) hash_key 5 : (!est.feature<string>, !est.categorical<3>) -> !est.categorical<5>
  %x1 = est.crossed "cross_strings" of (%f1, %f2, %f3) hash_key 0xDECAFCAFFE
    : (!est.feature<string>, !est.feature<string>, !est.feature<string>) -> !est.categorical<100>
  %x2 = est.crossed "cross_key" of (%f1, %f2, %f3) hash_key 0xDECAFCAFFF
    : (!est.feature<string>, !est.feature<string>, !est.feature<string>) -> !est.categorical<100>
  %x3 = est.crossed "cross_empty" of (%s, %c) hash_key 0xDECAFCAFFE : (!est.feature<string>, !est.feature<string>) -> !est.categorical<2>
  %x4 = est.crossed "cross_no_value" of (%vn, %c) hash_key 0xDECAFCAFFE : (!est.categorical<2>, !est.feature<string>) -> !est.categorical<2>
  %l = est.linear (%hs, %hi, %id, %vo, %vd, %vn, %x0, %x1, %x2, %x3, %x4) sparse_combiner(sum)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 1.0 : f64>>>)
    : (!est.categorical<10>, !est.categorical<10>, !est.categorical<3>, !est.categorical<3>, !est.categorical<2>,
       !est.categorical<2>, !est.categorical<5>, !est.categorical<100>, !est.categorical<100>, !est.categorical<2>,
       !est.categorical<2>) -> !est.logits<1>
  est.regression_head "y" (%l) label %y reduction(sum) : (!est.logits<1>), !est.feature<float32>
}

// CHECK-LABEL: @train
// CHECK: @linear/linear_model/bias_weights = tensor<1xf32> [-3]
// (bucket 0, cA) -> 1, (bucket 1, cB) -> 1, (bucket 1, cC) -> 3
// CHECK: cross_bucketized/weights = tensor<5x1xf32> {{\[\[0\], \[-2\], \[0\], \[-1\], \[0\]\]}}
// '' is a value in a cross: all three rows have an id.
// CHECK: cross_empty/weights = tensor<2x1xf32> {{\[\[-1\], \[-2\]\]}}
// CHECK: cross_key/weights = tensor<100x1xf32> {{\[(\[0\], ){31}\[-3\], \[0\]}}
// A row whose vocabulary term is missing has no id; an unknown one is a value, -1, as in TensorFlow.
// CHECK: cross_no_value/weights = tensor<2x1xf32> {{\[\[-2\], \[0\]\]}}
// CHECK: cross_strings/weights = tensor<100x1xf32> {{\[(\[0\], ){83}\[-3\], \[0\]}}
// An unknown term takes default_value, a missing cell does not.
// CHECK: default/weights = tensor<2x1xf32> {{\[\[-1\], \[-1\]\]}}
// '' and -1 are no values.
// CHECK: hash_integer/weights = tensor<10x1xf32> {{\[(\[0\], ){3}\[-1\], (\[0\], ){3}\[-1\], \[0\], \[0\]\]}}
// CHECK: hash_string/weights = tensor<10x1xf32> {{\[(\[0\], ){4}\[-1\], \[0\], \[-1\], (\[0\], ){2}\[0\]\]}}
// 2 is in range, 7 takes default_value, -1 is no value.
// CHECK: identity/weights = tensor<3x1xf32> {{\[\[0\], \[-1\], \[-1\]\]}}
// CHECK: none/weights = tensor<2x1xf32> {{\[\[0\], \[-1\]\]}}
// CHECK: oov/weights = tensor<3x1xf32> {{\[\[0\], \[-1\], \[-1\]\]}}
