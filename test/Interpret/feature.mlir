// Values of feature ops; fingerprints, hash columns and crosses are the golden vectors of TensorFlow 1.15's tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret -o /dev/null | FileCheck %s

df.vocabulary @roles ["omar", "stringer", "marlo"] {default_value = 7 : i64}
df.vocabulary @few ["omar"] {num_oov = 10 : i64}
df.vocabulary @numbers [10 : i64, 20 : i64] {num_oov = 5 : i64}

// CHECK-LABEL: @fingerprint
df.function @fingerprint(%s: tensor<?x!df.string> {df.value = dense<["Hello", "World"]> : tensor<2x!df.string>},
                         %t: tensor<?x!df.string> {df.value = dense<["World", "Hello"]> : tensor<2x!df.string>}) -> (tensor<?xi64>, tensor<?xi64>) {
  // 15404698994557526151, 18308117990299812472
  // CHECK-NEXT: 0: tensor<2xi64> [-3042045079152025465, -138626083409739144]
  %h = df.fingerprint %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %g = df.fingerprint %t : (tensor<?x!df.string>) -> tensor<?xi64>
  // 16877292868973613377, 7158413233176775252
  // CHECK-NEXT: 1: tensor<2xi64> [-1569451204735938239, 7158413233176775252]
  %c = df.fingerprint_cat %h, %g : tensor<?xi64>
  df.return %h, %c : tensor<?xi64>, tensor<?xi64>
}

// CHECK-LABEL: @hash
df.function @hash(%s: tensor<?x!df.string> {df.value = dense<["omar", "stringer", "marlo", "a", "b", "c", "d"]> : tensor<7x!df.string>},
                  %i: tensor<?xi64> {df.value = dense<[101, 201, 301]> : tensor<3xi64>}) -> (tensor<?xi64>, tensor<?xi64>) {
  %h = df.fingerprint %s : (tensor<?x!df.string>) -> tensor<?xi64>
  // CHECK-NEXT: 0: tensor<7xi64> [6, 4, 1, 9, 2, 2, 5]
  %b = df.hash_bucket %h {buckets = 10 : i64} : tensor<?xi64>
  %hi = df.fingerprint %i : (tensor<?xi64>) -> tensor<?xi64>
  // CHECK-NEXT: 1: tensor<3xi64> [3, 7, 5]
  %bi = df.hash_bucket %hi {buckets = 10 : i64} : tensor<?xi64>
  df.return %b, %bi : tensor<?xi64>, tensor<?xi64>
}

// A cross folds FingerprintCat64 over its columns from the hash key on; the default key is 0xDECAFCAFFE.
// CHECK-LABEL: @cross
df.function @cross(%s: tensor<?x!df.string> {df.value = dense<["batch1-FC1-F1"]> : tensor<1x!df.string>},
                   %t: tensor<?x!df.string> {df.value = dense<["batch1-FC2-F1"]> : tensor<1x!df.string>},
                   %u: tensor<?x!df.string> {df.value = dense<["batch1-FC3-F1"]> : tensor<1x!df.string>},
                   %key: tensor<?xi64> {df.value = dense<956888297470> : tensor<1xi64>},
                   %other: tensor<?xi64> {df.value = dense<956888297471> : tensor<1xi64>}) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) {
  %a = df.fingerprint %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %b = df.fingerprint %t : (tensor<?x!df.string>) -> tensor<?xi64>
  %c = df.fingerprint %u : (tensor<?x!df.string>) -> tensor<?xi64>
  %k1 = df.fingerprint_cat %key, %a : tensor<?xi64>
  %k2 = df.fingerprint_cat %k1, %b : tensor<?xi64>
  %k3 = df.fingerprint_cat %k2, %c : tensor<?xi64>
  // 0 buckets: modulo 2^63 - 1.
  // CHECK-NEXT: 0: tensor<1xi64> [1971693436396284976]
  %all = df.hash_bucket %k3 {buckets = 9223372036854775807 : i64} : tensor<?xi64>
  // CHECK-NEXT: 1: tensor<1xi64> [83]
  %hundred = df.hash_bucket %k3 {buckets = 100 : i64} : tensor<?xi64>
  %o1 = df.fingerprint_cat %other, %a : tensor<?xi64>
  %o2 = df.fingerprint_cat %o1, %b : tensor<?xi64>
  %o3 = df.fingerprint_cat %o2, %c : tensor<?xi64>
  // CHECK-NEXT: 2: tensor<1xi64> [4847552627144134031]
  %otherAll = df.hash_bucket %o3 {buckets = 9223372036854775807 : i64} : tensor<?xi64>
  // CHECK-NEXT: 3: tensor<1xi64> [31]
  %otherHundred = df.hash_bucket %o3 {buckets = 100 : i64} : tensor<?xi64>
  df.return %all, %hundred, %otherAll, %otherHundred : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}

// A bucketized column (bounds 0, 1) crossed with strings, 5 buckets, key 5. Rows (-1, 0.5) x (cA) and (0.5, 1) x (cB, cC);
// the number of a bucket of column i is bucket + 3 i, so the pairs are (0, cA) (4, cA) | (1, cB) (1, cC) (5, cB) (5, cC).
// CHECK-LABEL: @cross_bucketized
df.function @cross_bucketized(%x: tensor<?xf32> {df.value = dense<[-1.0, 0.5, 0.5, 0.5, 1.0, 1.0]> : tensor<6xf32>},
                              %column: tensor<?xi64> {df.value = dense<[0, 3, 0, 0, 3, 3]> : tensor<6xi64>},
                              %s: tensor<?x!df.string> {df.value = dense<["cA", "cA", "cB", "cC", "cB", "cC"]> : tensor<6x!df.string>},
                              %key: tensor<?xi64> {df.value = dense<5> : tensor<6xi64>}) -> (tensor<?xi64>, tensor<?xi64>) {
  %bucket = df.bucketize %x {boundaries = array<f64: 0.0, 1.0>} : (tensor<?xf32>) -> tensor<?xi64>
  // CHECK-NEXT: 0: tensor<6xi64> [0, 4, 1, 1, 5, 5]
  %id = df.add %bucket, %column : tensor<?xi64>
  %h = df.fingerprint %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %k1 = df.fingerprint_cat %key, %id : tensor<?xi64>
  %k2 = df.fingerprint_cat %k1, %h : tensor<?xi64>
  // CHECK-NEXT: 1: tensor<6xi64> [1, 0, 1, 3, 4, 2]
  %cross = df.hash_bucket %k2 {buckets = 5 : i64} : tensor<?xi64>
  df.return %id, %cross : tensor<?xi64>, tensor<?xi64>
}

// CHECK-LABEL: @lookup
df.function @lookup(%s: tensor<?x1x!df.string> {df.value = dense<[["marlo"], ["avon"], [""]]> : tensor<3x1x!df.string>},
                    %t: tensor<?x!df.string> {df.value = dense<["omar", "stringer"]> : tensor<2x!df.string>},
                    %i: tensor<?xi64> {df.value = dense<[20, 101]> : tensor<2xi64>}) -> (tensor<?x1xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?x1xi1>, tensor<2x!df.string>) {
  // CHECK-NEXT: 0: tensor<3x1xi64> {{\[}}[2], [7], [7]]
  %a = df.lookup @roles, %s : (tensor<?x1x!df.string>) -> tensor<?x1xi64>
  // One term, then 10 buckets: fingerprint mod 10 + 1, golden above.
  // CHECK-NEXT: 1: tensor<2xi64> [0, 5]
  %b = df.lookup @few, %t : (tensor<?x!df.string>) -> tensor<?xi64>
  // The fingerprint of "101" is 3 mod 10, so 3 mod 5; two terms stand before.
  // CHECK-NEXT: 2: tensor<2xi64> [1, 5]
  %c = df.lookup @numbers, %i : (tensor<?xi64>) -> tensor<?xi64>
  // CHECK-NEXT: 3: tensor<3x1xi1> {{\[}}[false], [false], [true]]
  %e = df.is_empty %s : (tensor<?x1x!df.string>) -> tensor<?x1xi1>
  %ids = df.constant dense<[2, 0]> : tensor<2xi64>
  // CHECK-NEXT: 4: tensor<2x!df.string> ["marlo", "omar"]
  %terms = df.term @roles, %ids : (tensor<2xi64>) -> tensor<2x!df.string>
  df.return %a, %b, %c, %e, %terms : tensor<?x1xi64>, tensor<?xi64>, tensor<?xi64>, tensor<?x1xi1>, tensor<2x!df.string>
}

// CHECK-LABEL: @buckets
df.function @buckets() -> (tensor<5xi64>, tensor<4x2xf32>, tensor<2xi64>, tensor<0x2xf32>) {
  %x = df.constant dense<[17.9, 18.0, 25.0, 0x7FC00000, 0x7F800000]> : tensor<5xf32>
  // CHECK-NEXT: 0: tensor<5xi64> [0, 1, 2, 0, 2]
  %b = df.bucketize %x {boundaries = array<f64: 18.0, 25.0>} : (tensor<5xf32>) -> tensor<5xi64>
  %ids = df.constant dense<[1, -1, 0, 2]> : tensor<4xi64>
  // CHECK-NEXT: 1: tensor<4x2xf32> {{\[}}[0, 1], [0, 0], [1, 0], [0, 0]]
  %hot = df.one_hot %ids : (tensor<4xi64>) -> tensor<4x2xf32>
  // f32 0.1 is above f64 0.1 but equals the boundary rounded to f32; f32 0.7 is below f64 0.7.
  %y = df.constant dense<[0.1, 0.7]> : tensor<2xf32>
  // CHECK-NEXT: 2: tensor<2xi64> [1, 2]
  %c = df.bucketize %y {boundaries = array<f64: 0.1, 0.7>} : (tensor<2xf32>) -> tensor<2xi64>
  %none = df.constant dense<> : tensor<0xi64>
  // CHECK-NEXT: 3: tensor<0x2xf32> []
  %cold = df.one_hot %none : (tensor<0xi64>) -> tensor<0x2xf32>
  df.return %b, %hot, %c, %cold : tensor<5xi64>, tensor<4x2xf32>, tensor<2xi64>, tensor<0x2xf32>
}

// CHECK-LABEL: @check
df.function @check() -> tensor<2xi64> {
  %ids = df.constant dense<[0, 1]> : tensor<2xi64>
  // CHECK-NEXT: 0: tensor<2xi64> [0, 1]
  %ok = df.check_ids %ids {low = 0 : i64, high = 2 : i64, what = "label"} : (tensor<2xi64>) -> tensor<2xi64>
  df.return %ok : tensor<2xi64>
}

// Each column has a bound of its own.
// CHECK-LABEL: @check_columns
df.function @check_columns() -> tensor<2x2xi64> {
  %ids = df.constant dense<[[0, 7], [-1, 3]]> : tensor<2x2xi64>
  // CHECK-NEXT: 0: tensor<2x2xi64> {{\[\[}}0, 7], [-1, 3{{\]\]}}
  %ok = df.check_ids %ids {low = -1 : i64, high = 8 : i64, what = "column", columns = [#df.id_column<"a", 1>, #df.id_column<"b", 8>]} : (tensor<2x2xi64>) -> tensor<2x2xi64>
  df.return %ok : tensor<2x2xi64>
}
