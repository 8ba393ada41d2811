#!/usr/bin/env bash
# Builds the runtime's unit tests with AddressSanitizer and UndefinedBehaviorSanitizer into build-asan/ and runs them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   tools/scripts/sanitize.sh [TEST...]      tests are targets: mlcrt_core_test; default: all of the runtime
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset runtime-asan >/dev/null
tests=("$@")
if [ ${#tests[@]} -eq 0 ]; then
  mapfile -t tests < <(sed -n 's/^ *mlc_unit_test(\(mlcrt_[a-z_]*\).*/\1/p' test/Unit/runtime/*/CMakeLists.txt | sort)
fi
ninja -C build-asan --quiet "${tests[@]}"
export MLC_TEST_DATA="${MLC_TEST_DATA:-$PWD/../shared/data}"
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# Debian's gRPC and protobuf are not instrumented; what they keep until the process ends is theirs.
export LSAN_OPTIONS="suppressions=$PWD/tools/scripts/lsan.supp:print_suppressions=0"
failed=0
for test in "${tests[@]}"; do
  status=0 # of this one
  MLC_SOURCE_DIR=$PWD MLC_BINARY_DIR=$PWD/build-asan "build-asan/bin/$test" >"build-asan/$test.log" 2>&1 || status=$?
  echo "$test: $(sed -n 's/^\[  PASSED  \] //p' "build-asan/$test.log"), exit $status (build-asan/$test.log)"
  [ "$status" -eq 0 ] || failed=1
done
exit $failed
