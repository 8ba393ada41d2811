# Gives the features of the tests of batches of one row their values.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
s/df.name = "x"/&, df.value = dense<2.0> : tensor<1xf32>/
s/df.name = "y"/&, df.value = dense<3.0> : tensor<1xf32>/
