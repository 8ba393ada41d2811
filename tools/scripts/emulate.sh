#!/usr/bin/env bash
# Trains all examples on the CPU and on the emulated GPU, and compares the checkpoints bit by bit; then random programs, and what ptxas says of all ops.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   tools/scripts/emulate.sh [FILTER]     with a build in build/: what is longer than a run of all tests may take (half an
#                                         hour). FILTER: an expression that names of models match, such as census
#
# 50 steps each (STEPS), 5 of LeNet and of the recurrent net, of which the emulator does what may be done in any order forward, in reverse or at random, each
# model in another way. Examples whose data MLC_TEST_DATA lacks are told. Exit status 1: something differs.
set -euo pipefail
cd "$(dirname "$0")/../.."
filter=${1:-.} steps=${STEPS:-50} data=${MLC_TEST_DATA:-$PWD/../shared/data}
mlc=$PWD/build/bin/mlc
[ -x "$mlc" ] && [ -e build/lib/ptxemu/libcuda.so.1 ] || { echo "emulate: no build in build/; tools/scripts/build.sh makes it" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
orders=(forward reverse random:7)
failed=0 number=0 skipped=""

# compare NAME MODEL DATA [FLAG...]: trains the model in both ways.
compare() {
  local name=$1 model=$2 from=$3 order=${orders[number++ % 3]} begin=$SECONDS
  shift 3
  [[ $name =~ $filter ]] || return 0
  if [ ! -d "$from" ]; then
    skipped+=" $name"
    return 0
  fi
  rm -rf "$scratch/"{trainer,cpu,gpu,log,differences}
  export DATA=$from
  if "$mlc" compile "$model" --target=cuda -o "$scratch/trainer" --quiet &&
    "$scratch/trainer" train --device cpu --quiet --max_steps "$steps" --model_dir "$scratch/cpu" "$@" 2> "$scratch/log" &&
    MLC_CUDA_DRIVER=$PWD/build/lib/ptxemu/libcuda.so.1 PTXEMU_ORDER=$order \
      "$scratch/trainer" train --device gpu --quiet --max_steps "$steps" --model_dir "$scratch/gpu" "$@" 2>> "$scratch/log" &&
    "$mlc" ckpt diff "$scratch/cpu" "$scratch/gpu" > "$scratch/differences" 2>&1; then
    echo "$name: $steps steps, $order: same bits ($((SECONDS - begin)) s)"
  else
    echo "$name: $steps steps, $order: DIFFERS, or fails"
    cat "$scratch/log" "$scratch/differences" 2> /dev/null || true
    failed=1
  fi
}

# Files that examples are trained on, made of what there is as their READMEs say.
split() {
  [ ! -e "$data/$1" ] || examples/split.sh "$data/$1" "$scratch/$2" > /dev/null
}
split abalone/abalone.csv abalone
split california_housing/housing.csv california_housing
split german_credit/german.csv german_credit
split titanic/train.csv titanic
split wine_quality_white/winequality-white.csv wine
images=$data/mnist/t10k-images-idx3-ubyte.gz labels=$data/mnist/t10k-labels-idx1-ubyte.gz
if [ -e "$images" ]; then
  mkdir "$scratch/mnist"
  examples/mnist/convert.py "$images" "$labels" "$scratch/mnist/train.csv" 0 8000
  examples/mnist/convert.py "$images" "$labels" "$scratch/mnist/test.csv" 8000
  examples/mnist/convert.py "$images" "$labels" "$scratch/mnist/train.npz" 0 8000
fi
if [ -e "$data/tinyshakespeare/input.txt" ]; then
  mkdir "$scratch/windows"
  python3 examples/df/windows.py "$data/tinyshakespeare/input.txt" "$scratch/windows/train.npz" 0 0.1 > /dev/null
fi

for model in examples/*/*.pbtxt; do
  folder=$(basename "$(dirname "$model")")
  case $folder in
  census | iris) from=$PWD/examples/$folder/data ;;
  higgs | penguins) from=$data/$folder ;;
  sst) from=$data/sst_binary ;;
  *) from=$scratch/$folder ;;
  esac
  case $(basename "$model") in
  base.pbtxt) ;; # is part of the others
  *) compare "$folder/$(basename "$model" .pbtxt)" "$model" "$from" ;;
  esac
done
for program in softmax mlp; do
  compare "df/$program" "examples/df/$program.mlir" "$scratch/mnist" --train_files "$scratch/mnist/train.npz"
done
# A step of these takes the emulator ten times as long.
steps=$((steps / 10))
compare df/lenet examples/df/lenet.mlir "$scratch/mnist" --train_files "$scratch/mnist/train.npz"
compare df/char_rnn examples/df/char_rnn.mlir "$scratch/windows" --train_files "$scratch/windows/train.npz"

# What ptxas says of the kernels of all ops' tests: it takes them for each chip, and spills nothing.
if [[ ptxas =~ $filter ]]; then
  ptxas=$(command -v ptxas || command -v /usr/local/cuda/bin/ptxas || true)
  if [ -n "$ptxas" ]; then
    mkdir "$scratch/ptx"
    MLC_TEST_WRITE_PTX=$scratch/ptx MLC_SOURCE_DIR=$PWD build/bin/mlc_compiled_ops_test --gtest_filter='Themes/Ops*' --gtest_brief=1 || failed=1
    for text in "$scratch"/ptx/*.ptx; do
      chips="sm_80 sm_86 sm_89 sm_90 sm_100 sm_120"
      [[ $text != *sm_90a* ]] || chips=sm_90a
      # shellcheck disable=SC2086
      python3 test/Target/CUDA/Inputs/spills.py "$ptxas" "$text" $chips > "$scratch/log" 2>&1 || { cat "$scratch/log"; failed=1; }
    done
    echo "ptxas: $(ls "$scratch/ptx" | wc -l) modules of ops for seven chips"
  else
    echo "NO ptxas: nothing was assembled" >&2
  fi
fi

if [[ random =~ $filter ]]; then
  build/bin/mlc_random_programs_test --gpu --gtest_filter='*GpuPrograms*' --gtest_brief=1 || failed=1
fi
[ -z "$skipped" ] || echo "no data in $data for:$skipped"
exit $failed
