#!/usr/bin/env bash
# What a machine with an NVIDIA GPU is to show of this tree, packed here and run there.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   tools/scripts/gpu.sh pack [DIR]            here, with a build in build/ (a CPU is enough): trainers, launches of kernels
#                                              that tests recorded with their results, kernels and steps to measure
#                                              (default: build/gpu)
#   tools/scripts/gpu.sh run [DIR [PART...]]   there: a report on stdout, of all parts or of those named: replay, trainers,
#                                              sanitizer, kernels, steps, tiles. Needs the driver, bash and python3, for
#                                              steps NumPy and safetensors; PyTorch and JAX are peers. Exit status 1:
#                                              something differs from the record, or from the CPU
set -euo pipefail
cd "$(dirname "$0")/../.."
usage() { sed -n '5,12s/^# \{0,1\}//p' "$0"; exit 2; }
all_parts="replay trainers sanitizer kernels steps tiles"
[ $# -ge 1 ] || usage
directory=${2:-build/gpu}
parts=" ${*:3} "
[ $# -ge 3 ] || parts=" $all_parts "
for part in $parts; do
  case " $all_parts " in *" $part "*) ;; *) echo "gpu: no part is named '$part'; expected some of: $all_parts" >&2; exit 2 ;; esac
done
precisions="f32 tf32 bf16_mixed"  # that kernels are measured in; those of f16_mixed are bf16_mixed's
matrix_precisions="tf32 bf16_mixed f16_mixed"  # in which tensor cores multiply, by mma.sync or wgmma as the chip has it

# Copies the shared libraries that programs need, but those of the C library and the compiler, which are everywhere.
copy_libraries() {
  local target=$1
  shift
  mkdir -p "$target"
  ldd "$@" | awk '/=> \// { print $3 }' | sort -u | grep -v -E '/(libc|libm|libgcc_s|libstdc\+\+|ld-linux[^/]*)\.so' | xargs cp -t "$target"
}

pack() {
  cmake -S . -B build -DMLC_BUILD_BENCHMARKS=ON > build/configure.log
  ninja -C build --quiet bin/mlc bin/mlc-gpu-replay bin/mlc-measure-tiles mlc_compiled_ops_test mlc_step_benchmark
  rm -rf "$directory"
  mkdir -p "$directory/launches" "$directory/trainers"
  echo "gpu: recording launches of all ops with the emulator (4 minutes)"
  MLC_TEST_RECORD_LAUNCHES=$(realpath "$directory/launches") MLC_SOURCE_DIR=$PWD \
    build/bin/mlc_compiled_ops_test '--gtest_filter=Themes/Ops*:Emulated/*' --gtest_brief=1
  for spec in iris/dnn census/wide_deep; do
    # Data lie beside the trainer, whatever directory it is brought to.
    cp -r "examples/${spec%%/*}/data" "$directory/trainers/${spec%%/*}-data"
    build/bin/mlc compile "examples/$spec.pbtxt" --target=cuda -o "$directory/trainers/${spec%%/*}" --quiet
  done
  for precision in f32 $matrix_precisions; do
    build/bin/mlc compile examples/iris/dnn.pbtxt --target=cuda --chip sm_80 --chip sm_90a --set train.batch_size=120 \
      --set model.dnn.hidden_units=256,4096 --set model.precision="${precision^^}" -o "$directory/trainers/wide-$precision" --quiet
  done
  for precision in $precisions; do
    python3 benchmarks/gpu/kernels.py compile build/bin/mlc "$directory/kernels/$precision" --precision "$precision"
  done
  .venv/bin/python benchmarks/gpu/steps.py compile build "$directory/steps"
  build/bin/mlc tune-kernels --chip sm_80 --chip sm_90a --emit_candidates "$directory/kernels/candidates"
  cp build/bin/mlc-gpu-replay build/bin/mlc-measure-tiles "$directory/"
  copy_libraries "$directory/lib" "$directory"/mlc-{gpu-replay,measure-tiles} "$directory/steps/mlc_step_benchmark"
  strip "$directory"/mlc-{gpu-replay,measure-tiles} "$directory/steps/mlc_step_benchmark" "$directory"/kernels/*/*/kernels
  # Much of trainers and of launches is text and what was there before, and what they share is far apart.
  tar -C "$directory" -cf - launches trainers kernels steps | xz -6 --lzma2=dict=64MiB > "$directory/programs.tar.xz"
  rm -rf "$directory/launches" "$directory/trainers" "$directory/kernels" "$directory/steps"
  du -sh "$directory"
}

# Trains on the CPU and on the GPU, and compares the weights.
compare_trainer() {
  local name=$1 steps=$2 scratch=$3 status=0
  shift 3
  for device in cpu gpu; do
    "$scratch/trainers/$name" train --device $device --quiet --max_steps "$steps" --model_dir "$scratch/$name-$device" "$@"
  done
  local weights
  weights=ckpt-$(printf %010d "$steps")/ps-00000-of-00001.safetensors
  if cmp -s "$scratch/$name-cpu/$weights" "$scratch/$name-gpu/$weights"; then
    echo "$name: weights after $steps steps have the bits of the CPU"
  else
    echo "$name: weights after $steps steps DIFFER from the CPU's"
    status=1
  fi
  # The time of a step: of many less that of few.
  python3 - "$scratch/trainers/$name" "$scratch" "$@" <<'PYTHON' || status=1
import subprocess, sys, time
trainer, scratch, *flags = sys.argv[1:]
def seconds(device, steps, graphs):
    begin = time.monotonic()
    subprocess.run([trainer, "train", "--device", device, "--quiet", "--fresh", "--max_steps", str(steps), "--model_dir", scratch + "/timed", *flags],
                   check=True, env={**__import__("os").environ, "MLC_GPU_GRAPHS": graphs})
    return time.monotonic() - begin
for device, graphs in ("cpu", "1"), ("gpu", "0"), ("gpu", "1"):
    few, many = (min(seconds(device, steps, graphs) for _ in range(3)) for steps in (100, 1100))
    print(f"  {device}{', launches recorded' if device == 'gpu' and graphs == '1' else ''}: {(many - few):.3f} ms a step, {few:.2f} s for 100 steps with start")
PYTHON
  return $status
}

# Trains a model whose products have large tiles on the CPU and on the GPU, and compares the weights: tensor cores add in
# an order of their own.
compare_wide() {
  local scratch=$1 steps=3 status=0 precision device bound
  local weights=ckpt-000000000$steps/ps-00000-of-00001.safetensors
  shift
  for precision in f32 $matrix_precisions; do
    bound=2e-3  # an activation that is rounded to the other side of 0 counts for a row
    [ "$precision" != f32 ] || bound=0
    for device in cpu gpu; do
      "$scratch/trainers/wide-$precision" train --device $device --quiet --max_steps $steps \
        --model_dir "$scratch/wide-$precision-$device" "$@"
    done
    if python3 test/Execute/Inputs/near.py "$scratch/wide-$precision-cpu/$weights" "$scratch/wide-$precision-gpu/$weights" $bound; then
      echo "wide layers in $precision: weights after $steps steps are the CPU's, to $bound"
    else
      echo "wide layers in $precision: weights after $steps steps DIFFER from the CPU's"
      status=1
    fi
  done
  return $status
}

# Trains on one GPU and on two, with as many virtual shards.
compare_gpus() {
  local scratch=$1 weights=ckpt-0000000050/ps-00000-of-00001.safetensors
  shift
  for gpus in 1 2; do
    "$scratch/trainers/census" train --device gpu --gpus $gpus --virtual_shards 8 --quiet --max_steps 50 \
      --model_dir "$scratch/census-of-$gpus" "$@"
  done
  if cmp -s "$scratch/census-of-1/$weights" "$scratch/census-of-2/$weights"; then
    echo "census: weights after 50 steps on two GPUs have the bits of one"
  else
    echo "census: weights after 50 steps on two GPUs DIFFER from those on one"
    return 1
  fi
}

wants() { case "$parts" in *" $1 "*) ;; *) return 1 ;; esac; }

run() {
  local failed=0
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  echo "## Machine"
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,clocks.max.sm,clocks.mem --format=csv || failed=1
  python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$directory/programs.tar.xz" "$scratch"
  cp -r "$directory/lib" "$scratch"
  if wants replay; then
    echo "## Emulator against hardware"
    find "$scratch/launches" -name '*.launches' -print0 | sort -z | xargs -0 -n 2000 "$directory/mlc-gpu-replay" || failed=1
  fi
  if wants trainers; then
    echo "## Trainers"
    compare_trainer iris 50 "$scratch" --train_files "$scratch/trainers/iris-data/iris_training.csv" \
      --eval_files "$scratch/trainers/iris-data/iris_test.csv" || failed=1
    compare_trainer census 50 "$scratch" --train_files "$scratch/trainers/census-data/adult-train.csv" \
      --eval_files "$scratch/trainers/census-data/adult-test.csv" || failed=1
    compare_wide "$scratch" --train_files "$scratch/trainers/iris-data/iris_training.csv" \
      --eval_files "$scratch/trainers/iris-data/iris_test.csv" || failed=1
    if [ "$(nvidia-smi --query-gpu=index --format=csv,noheader | wc -l)" -gt 1 ]; then
      echo "## Several GPUs"
      compare_gpus "$scratch" --train_files "$scratch/trainers/census-data/adult-train.csv" \
        --eval_files "$scratch/trainers/census-data/adult-test.csv" || failed=1
    fi
  fi
  if wants sanitizer && command -v compute-sanitizer >/dev/null; then
    echo "## compute-sanitizer"
    for tool in memcheck racecheck synccheck; do
      find "$scratch/launches" -name '*.launches' | sort | awk 'NR % 20 == 1' |
        xargs compute-sanitizer --tool "$tool" --error-exitcode 3 "$directory/mlc-gpu-replay" | tail -3 || failed=1
    done
  fi
  if wants kernels; then
    echo "## Kernels"
    for precision in $precisions; do
      python3 benchmarks/gpu/kernels.py run "$scratch/kernels/$precision" --precision "$precision" || failed=1
    done
  fi
  if wants steps; then
    echo "## Training steps"
    python3 benchmarks/gpu/steps.py run "$scratch/steps" || failed=1
  fi
  if wants tiles; then
    echo "## Tiles"
    "$directory/mlc-measure-tiles" "$scratch/kernels/candidates" 2>/dev/null || failed=1
  fi
  return $failed
}

case $1 in
pack) pack ;;
run) run ;;
*) usage ;;
esac
