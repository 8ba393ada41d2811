#!/bin/bash
# new_op.sh SOURCE BUILD DIRECTORY PYTHON CXX TBLGEN: begins ops and passes of each kind in a copy of the tree, one after
# another as their users would, and checks that the copy is clean and that what was made compiles.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
source=$1 build=$2 copy=$3 python=$4 cxx=$5 tblgen=$6
cd "$source"
rm -rf "$copy" && mkdir -p "$copy"
cp --parents -r .clang-format dialects lib/Codegen lib/Conversion/DfToLinalg lib/Interpreter lib/Target/CPU test/Codegen \
  test/Dialect test/Target/CPU test/Unit/compiler/Execute tools/scripts "$copy"
cd "$copy"
new_op() { "$python" tools/scripts/new_op.py "$@"; }
new_pass() { "$python" tools/scripts/new_pass.py "$@"; }
new_op cube --kind unary --expression 'e.mul(x, e.mul(x, x))' --formula 'x^3.'
new_op fourth --kind unary --expression 'e.mul(e.mul(x, x), e.mul(x, x))' \
  --formula 'x^4, whose description is so long that no line of the definition would hold it, the special cases included.'
new_op half_sum --kind binary --expression 'e.mul(e.constant(0.5), e.add(x, y))' --formula '(x + y) / 2.'
new_op twice --kind composite --expression 'b.add(x, x)' --formula '2 x.'
new_op thrice --kind composite --expression 'b.add(x, b.add(x, x))' --formula '3 x.'
new_op reduce_sum_squares --kind reduction --expression 'b.sum(b.unary<SquareOp>(x), axes)' \
  --formula 'The sum of squares; 0 of nothing.'
new_pass df-shorten-names --summary 'makes names short'
new_pass dist-name-devices --summary 'gives devices names'
new_pass codegen-count-launches --on function --summary 'counts launches'
new_pass cpu-look-again --on function --summary 'looks again at kernels'
# The copy may lie where git ignores it.
GIT_DIR=/nonexistent tools/scripts/check.sh

# What is generated of the changed definitions; the rest is that of the build.
made=$copy/made
llvm=(-I "$copy" -I /usr/lib/llvm-22/include)
generate() { # DIRECTORY FILE ACTION... , where an action is OUTPUT:FLAG
  mkdir -p "$made/$1"
  for action in "${@:3}"; do
    "$tblgen" "${llvm[@]}" "$1/$2.td" ${action#*:} -o "$made/$1/${action%%:*}"
  done
}
for theme in DfMathOps DfReductionOps; do
  generate dialects/Df/IR $theme $theme.h.inc:-gen-op-decls $theme.cpp.inc:-gen-op-defs
done
generate dialects/Df/Transforms DfPasses "DfPasses.h.inc:-gen-pass-decls -name=Df"
generate dialects/Dist/Transforms DistPasses "DistPasses.h.inc:-gen-pass-decls -name=Dist"
generate lib/Codegen CodegenPasses "CodegenPasses.h.inc:-gen-pass-decls -name=Codegen"
generate lib/Target/CPU CpuPasses "CpuPasses.h.inc:-gen-pass-decls -name=Cpu"
# One file for all, for it is their headers that take the time.
for file in dialects/Df/{Decompose/{Math,Reductions},Transforms/ShortenNames}.cpp dialects/Dist/Transforms/NameDevices.cpp \
  lib/Interpreter/Math.cpp lib/Conversion/DfToLinalg/ScalarBody.cpp lib/Codegen/CountLaunches.cpp \
  lib/Target/CPU/LookAgain.cpp; do
  echo "#include \"$copy/$file\""
done > all.cpp
"$cxx" -fsyntax-only -std=c++17 -Wall -Wextra -Wno-unused-parameter -Werror -Wno-unused-function -Wno-deprecated-declarations \
  -fno-exceptions -I "$made" -I "$copy" -I "$source" -I "$source/include" -I "$source/runtime/include" -I "$build" \
  -I "$build/include" -isystem /usr/lib/llvm-22/include all.cpp
echo "what was made compiles"
