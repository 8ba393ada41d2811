#!/usr/bin/env bash
# Builds compiler and tools with assertions and UndefinedBehaviorSanitizer into build-checked/ and runs what tests them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   tools/scripts/checked.sh [FILTER]      of lit's tests; default: those of the compiler, and 100,000 mutated inputs (2 min)
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset compiler-checked >/dev/null
ninja -C build-checked --quiet
export MLC_TEST_DATA="${MLC_TEST_DATA:-$PWD/../shared/data}"
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
filter=${1:-'Dialect|Conversion|Codegen|Target|Interpret|Regressions|Frontend'}
failed=0
# Those that link a trainer cannot: nothing in it defines what the instrumented runtime calls.
/usr/bin/python3 /usr/lib/llvm-22/bin/lit -j "$(nproc)" build-checked/test --filter "$filter" \
  --filter-out 'Frontend/(init|set|stages)|Execute/link-regressions' || failed=1
if [ $# -eq 0 ]; then
  MLC_SOURCE_DIR=$PWD build-checked/bin/mlc_mutation_test --count=100000 || failed=1
fi
exit $failed
