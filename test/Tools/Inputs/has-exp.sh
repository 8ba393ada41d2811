#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Exits with 1, interesting, if the module holds a df.exp.
grep -q 'df\.exp' "$1" && exit 1
exit 0
