#!/usr/bin/env bash
# From a clone to a trained model: sets up, builds, compiles the census wide & deep spec, trains it, evaluates it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/scripts/setup.sh
tools/scripts/build.sh -- mlc
model=$(mktemp -d)/census
spec=examples/census/wide_deep.pbtxt
echo
echo "== mlc compile $spec"
build/bin/mlc compile "$spec" -o "$model-trainer"
echo "== trainer train (model directory $model)"
start=$(date +%s.%N)
"$model-trainer" train --model_dir "$model"
end=$(date +%s.%N)
echo "== trainer evaluate, test split"
"$model-trainer" evaluate --model_dir "$model" --json >"$model.json"
python3 - "$model.json" "$start" "$end" <<'PY'
import json, sys
metrics = json.loads(open(sys.argv[1]).readline())
print()
for name in ("accuracy", "auc", "average_loss", "accuracy_baseline"):
    print(f"  {name:20} {metrics[name]:.4f}")
print(f"  {'training steps':20} {metrics['global_step']}")
print(f"  {'seconds to train':20} {float(sys.argv[3]) - float(sys.argv[2]):.1f}")
PY
cat <<TEXT

Next:
  build/bin/mlc predict $spec --model_dir $model --predict_files examples/census/data/adult-test.csv --json | head -3
  build/bin/mlc train examples/iris/dnn.pbtxt --model_dir /tmp/iris
  build/bin/mlc compile $spec --emit=df | less
TEXT
