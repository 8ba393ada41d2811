// Extremes of unsigned integers, and where they lie, were those of signed ones, or did not compile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc_random_programs_test --gtest_filter='*FileIs*' --check=%s | FileCheck %s
// CHECK: PASSED {{.*}} 1 test
df.function @f(%x0: tensor<?x6xui8> {df.name = "x0"}) -> (tensor<?xui8> {df.name = "y0"}, tensor<?xi64> {df.name = "y1"}, tensor<?xi64> {df.name = "y2"}, tensor<?x6xui8> {df.name = "y3"}, tensor<?x6xui8> {df.name = "y4"}) {
%n = df.bitwise_not %x0 : tensor<?x6xui8>
%0 = df.reduce_max %x0 {axes = array<i64: 1>} : (tensor<?x6xui8>) -> tensor<?xui8>
%1 = df.argmax %x0 {axis = 1 : i64} : (tensor<?x6xui8>) -> tensor<?xi64>
%2 = df.argmin %n {axis = 1 : i64} : (tensor<?x6xui8>) -> tensor<?xi64>
%3 = df.cummax %x0 {axis = 1 : i64} : (tensor<?x6xui8>) -> tensor<?x6xui8>
%4 = df.sort %n {axis = 1 : i64} : (tensor<?x6xui8>) -> tensor<?x6xui8>
df.return %0, %1, %2, %3, %4 : tensor<?xui8>, tensor<?xi64>, tensor<?xi64>, tensor<?x6xui8>, tensor<?x6xui8>
}
df.function @g(%x0: tensor<?x6xui16> {df.name = "g/x0"}) -> (tensor<?x2xui16> {df.name = "y0"}, tensor<?x2xi64> {df.name = "y1"}) {
%v, %i = df.top_k %x0 {k = 2 : i64} : (tensor<?x6xui16>) -> (tensor<?x2xui16>, tensor<?x2xi64>)
df.return %v, %i : tensor<?x2xui16>, tensor<?x2xi64>
}
df.function @h(%x0: tensor<?xui16> {df.name = "h/x0"}, %x1: tensor<?x6xui64> {df.name = "h/x1"}) -> (tensor<ui16> {df.name = "y0"}, tensor<6xui64> {df.name = "y1"}, tensor<?x6xui64> {df.name = "y2"}, tensor<?xi64> {df.name = "y3"}) {
%0 = df.reduce_min %x0 {axes = array<i64: 0>} : (tensor<?xui16>) -> tensor<ui16>
%n = df.bitwise_not %x1 : tensor<?x6xui64>
%m = df.mul %n, %x1 : tensor<?x6xui64>
%1 = df.reduce_max %m {axes = array<i64: 0>} : (tensor<?x6xui64>) -> tensor<6xui64>
%2 = df.sort %m : (tensor<?x6xui64>) -> tensor<?x6xui64>
%3 = df.argmin %m {axis = 1 : i64} : (tensor<?x6xui64>) -> tensor<?xi64>
df.return %0, %1, %2, %3 : tensor<ui16>, tensor<6xui64>, tensor<?x6xui64>, tensor<?xi64>
}
