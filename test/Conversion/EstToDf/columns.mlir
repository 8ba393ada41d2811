// What each kind of column becomes, in the entry that has nothing but columns and bodies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --convert-est-to-df --cse | FileCheck %s

est.estimator @columns compat(tf2) {
  %unused = est.feature "unused" : !est.feature<float32>
  %age = est.feature "age" : !est.feature<float32>
  %gain = est.feature "gain" : !est.feature<float64>
  %rooms = est.feature "rooms" : !est.feature<int32>
  %job = est.feature "job" categorical : !est.feature<string>
  %gender = est.feature "gender" categorical : !est.feature<string>
  %zip = est.feature "zip" categorical : !est.feature<int32>
  %y = est.feature "y" role(label) : !est.feature<float32>
  %n0 = est.numeric "age" of %age normalizer(#est.z_score<mean = 40.0, stddev = 16.0>) : !est.feature<float32> -> !est.dense<1>
  %n1 = est.numeric "gain" of %gain normalizer(#est.log1p) : !est.feature<float64> -> !est.dense<1>
  %n2 = est.numeric "rooms" of %rooms normalizer(#est.min_max<min = 2.0, max = 10.0>) : !est.feature<int32> -> !est.dense<1>
  %b = est.bucketized "age_bucketized" of %age boundaries [18.0, 25.0] : !est.feature<float32> -> !est.categorical<3>
  %bi = est.indicator "age_bucketized" of %b : !est.categorical<3> -> !est.dense<3>
  %h = est.hash_bucket "job" of %job : !est.feature<string> -> !est.categorical<100>
  %v = est.vocabulary "gender" of %gender terms(["F", "M"]) : !est.feature<string> -> !est.categorical<2>
  %o = est.vocabulary "gender_oov" of %gender terms(["F"]) num_oov_buckets 4 : !est.feature<string> -> !est.categorical<5>
  %i = est.identity "zip" of %zip : !est.feature<int32> -> !est.categorical<50>
  %x = est.crossed "crossed" of (%job, %v, %b) hash_key 7
    : (!est.feature<string>, !est.categorical<2>, !est.categorical<3>) -> !est.categorical<1000>
  %e = est.embedding "job_embedding" of %h combiner(mean) initializer(#est.truncated_normal<mean = 0.0, stddev = 0.5>)
    sparse_update(exact) : !est.categorical<100> -> !est.dense<4>
  %f = est.embedding "zip_embedding" of %i combiner(mean) initializer(#est.uniform<min = -0.5, max = 0.5>)
    sparse_update(lazy) frozen : !est.categorical<50> -> !est.dense<2>
  // Of gradients that are clipped by their norm each table is a variable.
  %l = est.linear (%n0, %b, %x, %o, %h) sparse_combiner(sum)
    optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>, clip_by_norm = <"c" = 9.0 : f64>>)
    : (!est.dense<1>, !est.categorical<3>, !est.categorical<1000>, !est.categorical<5>, !est.categorical<100>) -> !est.logits<1>
  %d = est.dnn (%n0, %bi, %n1, %e, %n2, %f) hidden_units [8] activation(tanh) dropout(<"model.dnn.dropout" = 2.5e-1 : f64>)
    kernel_initializer(#est.glorot_uniform) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>)
    : (!est.dense<1>, !est.dense<3>, !est.dense<1>, !est.dense<4>, !est.dense<1>, !est.dense<2>) -> !est.logits<1>
  est.regression_head "y" (%l, %d) label %y reduction(sum_over_batch_size) : (!est.logits<1>, !est.logits<1>), !est.feature<float32>
}

// Names and starts of variables; what is frozen is not trained.
// CHECK: df.variable @"linear/linear_model/age/weights" : tensor<1x1xf32> = #df.constant<0.000000e+00> {trainable}
// CHECK: df.variable @"linear/linear_model/age_bucketized/weights" : tensor<3x1xf32> = #df.constant<0.000000e+00> {trainable}
// CHECK: df.variable @"linear/linear_model/crossed/weights" : tensor<1000x1xf32>
// CHECK: df.vocabulary @"vocabulary/gender" ["F", "M"]
// CHECK: df.vocabulary @"vocabulary/gender_oov" ["F"] {num_oov = 4 : i64}
// CHECK: df.variable @"linear/linear_model/bias_weights" : tensor<1xf32>
// CHECK: df.variable @"dnn/input_from_feature_columns/input_layer/job_embedding/embedding_weights" : tensor<100x4xf32> = #df.truncated_normal<0.000000e+00, 5.000000e-01> {trainable}
// CHECK: df.variable @"dnn/input_from_feature_columns/input_layer/zip_embedding/embedding_weights" : tensor<50x2xf32> = #df.uniform<-5.000000e-01, 5.000000e-01>{{$}}
// sqrt(6 / (12 + 8))
// CHECK: df.variable @"dnn/hiddenlayer_0/kernel" : tensor<12x8xf32> = #df.uniform<-0.54772255750516607, 0.54772255750516607> {trainable}
// CHECK: df.variable @"dnn/hiddenlayer_0/bias" : tensor<8xf32> = #df.constant<0.000000e+00> {trainable}
// CHECK: df.variable @"dnn/logits/kernel" : tensor<8x1xf32>
// CHECK: df.variable @"dnn/logits/bias" : tensor<1xf32>
// CHECK: df.variable @global_step : tensor<i64> = #df.constant<0.000000e+00>{{$}}

// Dropout is in training alone; what is frozen has no gradient.
// CHECK-LABEL: df.function @train
// CHECK: %[[H:.*]] = df.tanh
// CHECK: %[[RATE:.*]] = df.setting "model.dnn.dropout" = 2.500000e-01 : f64 -> tensor<f64>
// CHECK: df.random uniform "dropout_0" like %[[H]]
// CHECK: df.gradients
// CHECK-NOT: zip_embedding
// CHECK: df.assign_add @global_step
// CHECK-LABEL: df.function @eval_update
// CHECK-NOT: df.random

// The label is no argument of predict, and a column that no body uses is an argument of nothing.
// CHECK-LABEL: df.function @predict(
// CHECK-SAME: %[[AGE:[^:]*]]: tensor<?xf32> {df.name = "age"}, %[[GAIN:[^:]*]]: tensor<?xf64> {df.name = "gain"}, %[[ROOMS:[^:]*]]: tensor<?xi32> {df.name = "rooms"},
// CHECK-SAME: %[[JOB:[^:]*]]: tensor<?x!df.string> {df.name = "job"}, %[[GENDER:[^:]*]]: tensor<?x!df.string> {df.name = "gender"}, %[[ZIP:[^:]*]]: tensor<?xi32> {df.name = "zip"})
// CHECK-SAME: -> (tensor<?x1xf32> {df.name = "predictions"}) attributes {role = #df.role<predict>} {

// z_score: (x - mean) / stddev, used by both bodies and computed once.
// CHECK: %[[MEAN:.*]] = df.constant dense<4.000000e+01> : tensor<f32>
// CHECK: %[[MEANS:.*]] = df.broadcast %[[MEAN]] like %[[AGE]]
// CHECK: %[[CENTERED:.*]] = df.sub %[[AGE]], %[[MEANS]]
// CHECK: %[[DEV:.*]] = df.constant dense<1.600000e+01> : tensor<f32>
// CHECK: %[[DEVS:.*]] = df.broadcast %[[DEV]] like %[[CENTERED]]
// CHECK: %[[Z:.*]] = df.div %[[CENTERED]], %[[DEVS]]
// CHECK: %[[Z1:.*]] = df.reshape %[[Z]] : (tensor<?xf32>) -> tensor<?x1xf32>
// CHECK: df.matmul %[[Z1]], %{{.*}} : (tensor<?x1xf32>, tensor<1x1xf32>)

// bucketized: boundaries are those of the raw number.
// CHECK: %[[B:.*]] = df.bucketize %[[AGE]] {boundaries = array<f64: 1.800000e+01, 2.500000e+01>}
// CHECK: df.read_rows @"linear/linear_model/age_bucketized/weights"[%[[B]]]

// crossed: categorical terms first, as ids; then strings as fingerprints. No value where the cell of the vocabulary is
// empty; what is not in it has -1. A bucketized number always has a value, and so has a string, '' too.
// CHECK: %[[V:.*]] = df.lookup @"vocabulary/gender", %[[GENDER]]
// CHECK: %[[FP:.*]] = df.fingerprint %[[JOB]]
// CHECK: %[[KNOWN:.*]] = df.maximum %[[V]], %{{.*}}
// CHECK: %[[NOGENDER:.*]] = df.is_empty %[[GENDER]]
// CHECK: %[[VALUE:.*]] = df.select %[[NOGENDER]], %{{.*}}, %[[KNOWN]]
// CHECK: %[[KEY:.*]] = df.constant dense<7> : tensor<i64>
// CHECK: %[[KEYS:.*]] = df.broadcast %[[KEY]] like %[[V]]
// CHECK: %[[C0:.*]] = df.fingerprint_cat %[[KEYS]], %[[V]]
// CHECK: %[[C1:.*]] = df.fingerprint_cat %[[C0]], %[[B]]
// CHECK: %[[C2:.*]] = df.fingerprint_cat %[[C1]], %[[FP]]
// CHECK: %[[CID:.*]] = df.hash_bucket %[[C2]] {buckets = 1000 : i64}
// CHECK: %[[NONE:.*]] = df.compare lt, %[[VALUE]]
// CHECK: %[[CROSS:.*]] = df.select %[[NONE]], %[[MINUS1:.*]], %[[CID]]
// CHECK: df.read_rows @"linear/linear_model/crossed/weights"[%[[CROSS]]]

// A vocabulary with OOV buckets: '' is told from a term that is not in it.
// CHECK: %[[O:.*]] = df.lookup @"vocabulary/gender_oov", %[[GENDER]]
// CHECK: %[[OID:.*]] = df.select %[[NOGENDER]], %{{.*}}, %[[O]]
// CHECK: df.read_rows @"linear/linear_model/gender_oov/weights"[%[[OID]]]

// hash_bucket, of the fingerprint that the cross has.
// CHECK-NOT: df.fingerprint
// CHECK: %[[HASH:.*]] = df.hash_bucket %[[FP]] {buckets = 100 : i64}
// CHECK: %[[NOJOB:.*]] = df.is_empty %[[JOB]]
// CHECK: %[[HID:.*]] = df.select %[[NOJOB]], %{{.*}}, %[[HASH]]
// CHECK: df.read_rows @"linear/linear_model/job/weights"[%[[HID]]]
// CHECK: df.read @"linear/linear_model/bias_weights"

// indicator, log1p, embedding of the ids above, min_max, identity.
// CHECK: %[[ONEHOT:.*]] = df.one_hot %[[B]] : (tensor<?xi64>) -> tensor<?x3xf32>
// CHECK: %[[GAIN32:.*]] = df.cast %[[GAIN]] : (tensor<?xf64>) -> tensor<?xf32>
// CHECK: %[[LOG:.*]] = df.log1p %[[GAIN32]]
// CHECK: %[[LOG1:.*]] = df.reshape %[[LOG]]
// CHECK: %[[E:.*]] = df.read_rows @"dnn/input_from_feature_columns/input_layer/job_embedding/embedding_weights"[%[[HID]]]
// CHECK: %[[ROOMS32:.*]] = df.cast %[[ROOMS]] : (tensor<?xi32>) -> tensor<?xf32>
// CHECK: df.constant dense<2.000000e+00>
// CHECK: df.sub %[[ROOMS32]]
// CHECK: df.constant dense<8.000000e+00>
// CHECK: %[[MM:.*]] = df.div
// CHECK: %[[MM1:.*]] = df.reshape %[[MM]]
// CHECK: %[[ZIP64:.*]] = df.cast %[[ZIP]] : (tensor<?xi32>) -> tensor<?xi64>
// CHECK: %[[ZIPID:.*]] = df.check_ids %[[ZIP64]] {feature = "zip", high = 50 : i64, low = -1 : i64, what = "column 'zip'"}
// CHECK: %[[F:.*]] = df.read_rows @"dnn/input_from_feature_columns/input_layer/zip_embedding/embedding_weights"[%[[ZIPID]]]

// The input layer keeps the order of the operands.
// CHECK: %[[IN:.*]] = df.concat %[[Z1]], %[[ONEHOT]], %[[LOG1]], %[[E]], %[[MM1]], %[[F]] {axis = 1 : i64}
// CHECK: %[[K:.*]] = df.read @"dnn/hiddenlayer_0/kernel"
// CHECK: %[[BIAS:.*]] = df.read @"dnn/hiddenlayer_0/bias"
// CHECK: %[[P:.*]] = df.matmul %[[IN]], %[[K]]
// CHECK: %[[BB:.*]] = df.broadcast %[[BIAS]] like %[[P]] dimensions = [1]
// CHECK: %[[S:.*]] = df.add %[[P]], %[[BB]]
// CHECK: df.tanh %[[S]]
// CHECK-NOT: df.random
// CHECK: df.return
