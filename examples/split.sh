#!/bin/sh
# Cuts a file of rows into train.csv and test.csv: row i (from 0, without the header) is a test row if i % 5 == 4.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   split.sh FILE DIRECTORY [HEADER]     HEADER: lines that both files begin with; default: 1
set -eu
if [ $# -lt 2 ] || [ ! -f "$1" ]; then
  echo "usage: $0 FILE DIRECTORY [HEADER]; the file '${1:-}' is not there" >&2
  exit 2
fi
mkdir -p "$2"
awk -v train="$2/train.csv" -v test="$2/test.csv" -v header="${3:-1}" '
  NR <= header { print > train; print > test; next }
  { print > ((NR - header - 1) % 5 == 4 ? test : train) }' "$1"
