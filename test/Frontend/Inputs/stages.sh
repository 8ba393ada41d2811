#!/bin/sh
# stages.sh SPEC DATA DIRECTORY: compiles a spec from each stage on that it has, and compares what that makes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
spec=$1 data=$2 out=$3
# What a trainer says of itself, and what it learns.
try() {
  mlc compile "$2" -o "$out/trainer-$1" --opt_level=0 --quiet
  mlc info --json "$out/trainer-$1" > "$out/$1.info"
  "$out/trainer-$1" train --quiet --max_steps 20 --model_dir "$out/m-$1" --train_files "$data"
  "$out/trainer-$1" evaluate --quiet --json --model_dir "$out/m-$1" --eval_files "$data" > "$out/$1.json"
}
try spec "$spec"
for stage in est df dist linalg llvm; do
  mlc compile "$spec" --emit=$stage -o "$out/iris.$stage" --quiet
  mlc compile "$out/iris.$stage" --emit=$stage -o "$out/again.$stage" --quiet
  cmp "$out/iris.$stage" "$out/again.$stage"
  try $stage "$out/iris.$stage"
  cmp "$out/spec.json" "$out/$stage.json"
  # A program that is placed is another one to the tasks of a cluster.
  test $stage = dist || cmp "$out/spec.info" "$out/$stage.info"
done
mlc compile "$out/iris.linalg" --emit=llvm -o "$out/later.llvm" --quiet
cmp "$out/iris.llvm" "$out/later.llvm"
echo "all stages agree"
