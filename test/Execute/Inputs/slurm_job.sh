#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# slurm_job.sh DIRECTORY SBATCH TRAINER: a job that is told to stop, queued again, and goes on to its end. Under slurm.py.
set -eu
directory=$1 script=$2 trainer=$3
model=$directory/model log=$directory/job.log
fail() { echo "$1" >&2; cat "$log" >&2; exit 1; }
# Until the command succeeds; nothing here takes minutes.
until_true() {
  local begin=$SECONDS
  until "$@"; do
    ((SECONDS - begin < 200)) || fail "$* does not come true"
    sleep 0.1
  done
}
logged() { grep -q "$1" "$log" 2> /dev/null; }
is_in() { [[ $(squeue -h -o %T -j "$job") == "$1" ]]; }
is_gone() { [[ $(scontrol show job "$job") == *JobState=COMPLETED* ]]; }

job=$(sbatch --parsable --ntasks=5 -o "$log" "$script" "$trainer" train --model_dir "$model" --sync \
  --max_steps 3000 --set eval.start_delay_secs=0)
until_true logged '^cluster '
scancel --signal=USR1 --batch "$job"
until_true logged 'exit status 143: the job is queued again'
logged 'interrupted\|terminated' || fail "the chief was not told"
mlc ckpt verify "$model" > /dev/null
until_true is_in PENDING
scontrol update JobId="$job" StartTime=now
until_true is_gone
logged 'resumed .* at step [0-9]' || fail "the job began anew"
mlc ckpt ls "$model" | grep -q '\b3000\b' || fail "no last checkpoint"
grep -q '"step":3000' "$model/evaluations.jsonl" || fail "the last checkpoint was not evaluated"
