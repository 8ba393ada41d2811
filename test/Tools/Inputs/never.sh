#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Nothing is interesting.
exit 0
