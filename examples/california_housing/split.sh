#!/bin/sh
# Cuts housing.csv into train.csv and test.csv: row i (from 0, without the header) is a test row if i % 5 == 4.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   split.sh HOUSING.csv [DIRECTORY]     DIRECTORY: where the two files go; default: data beside this script
set -eu
if [ $# -lt 1 ] || [ ! -f "$1" ]; then
  echo "usage: $0 HOUSING.csv [DIRECTORY]; the file '${1:-}' is not there" >&2
  exit 2
fi
out=${2:-$(dirname "$0")/data}
mkdir -p "$out"
awk -v train="$out/train.csv" -v test="$out/test.csv" '
  NR == 1 { print > train; print > test; next }
  { print > ((NR - 2) % 5 == 4 ? test : train) }' "$1"
