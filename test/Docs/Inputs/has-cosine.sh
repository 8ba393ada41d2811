#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Exits with 1 for a module that has a demo.cosine_similarity, which is what is looked for.
! grep -q demo.cosine_similarity "$1"
