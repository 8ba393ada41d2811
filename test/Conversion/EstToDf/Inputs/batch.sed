# Gives the features of the tests of updates their values.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
s/df.name = "x"/&, df.value = dense<[1.0, 2.0, -1.0]> : tensor<3xf32>/
s/df.name = "s"/&, df.value = dense<[1, 3, 1]> : tensor<3xi64>/
s/df.name = "y"/&, df.value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>/
