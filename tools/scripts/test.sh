#!/usr/bin/env bash
# Runs all tests: set-up, build, lit (IR and command lines), GoogleTest. Fails if any fails.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -uo pipefail
cd "$(dirname "$0")/../.."
tools/scripts/setup.sh && tools/scripts/build.sh || exit 1
# Real data of the tests; tests that need what is not there say that they skip.
export MLC_TEST_DATA="${MLC_TEST_DATA:-$PWD/../shared/data}"
# One more than there are cores: tests of faults wait for most of their time.
exec tools/scripts/progress.py tests ctest --test-dir build -j "$(($(nproc) + 1))" --output-on-failure --no-tests=error
