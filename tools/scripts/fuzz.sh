#!/usr/bin/env bash
# Builds the fuzzers with sanitizers into build-fuzz/ and runs each for SECONDS (default: 60), all at once.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   tools/scripts/fuzz.sh [SECONDS]      needs libclang-rt-22-dev; corpora grow in build-fuzz/corpus
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
if ! ls /usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.fuzzer-*.a >/dev/null 2>&1; then
  apt-get install -y -q libclang-rt-22-dev
fi
cmake -S . -B build-fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang-22 \
  -DCMAKE_CXX_COMPILER=clang++-22 -DMLC_BUILD_TESTS=OFF -DMLC_BUILD_FUZZERS=ON \
  -DMLC_SANITIZE=address,undefined,fuzzer-no-link >/dev/null
ninja -C build-fuzz --quiet mlc_df_fuzzer mlc_spec_fuzzer mlc_parquet_fuzzer mlcrt_csv_fuzzer mlcrt_checkpoint_fuzzer mlcrt_tensorflow_fuzzer mlcrt_cluster_fuzzer mlcrt_socket_fuzzer
python3 test/Fuzz/seeds.py build-fuzz/corpus
# LLVM's own libraries are not instrumented: their containers look overrun, and memory of their arenas poisoned, to ours.
export ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0
failed=0
declare -A pids
for name in mlc_df mlc_spec mlc_parquet mlcrt_csv mlcrt_checkpoint mlcrt_tensorflow mlcrt_cluster mlcrt_socket; do
  mkdir -p "build-fuzz/found/$name"
  build-fuzz/bin/${name}_fuzzer "build-fuzz/corpus/$name" -dict="build-fuzz/corpus/$name.dict" -max_total_time="$seconds" \
    -timeout=20 -rss_limit_mb=4096 -max_len=4096 -artifact_prefix="build-fuzz/found/$name/" -print_final_stats=1 \
    >"build-fuzz/$name.log" 2>&1 &
  pids[$name]=$!
done
for name in "${!pids[@]}"; do
  status=0
  wait "${pids[$name]}" || status=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "build-fuzz/$name.log")
  echo "$name: ${runs:-?} inputs, exit $status (build-fuzz/$name.log)"
  [ "$status" -eq 0 ] || failed=1
done
exit $failed
