# Gives the features of the tests of schedules their values.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
s/df.name = "x"/&, df.value = dense<0.0> : tensor<1xf32>/
s/df.name = "y"/&, df.value = dense<1.0> : tensor<1xf32>/
