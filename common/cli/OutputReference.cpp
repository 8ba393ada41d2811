// Exit status and events, told in one place for the reference of every program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/OutputReference.h"

#include "common/cli/ExitCode.h"

namespace mlc::common {

namespace {

struct ExitMeaning {
  ExitCode code;
  const char *meaning;
};

/// One kind of object; `keys` with commas between.
struct ObjectKind {
  const char *name;
  const char *keys;
  const char *meaning;
};

} // namespace

static const ExitMeaning exitMeanings[] = {
    {ExitCode::Success, "done"},
    {ExitCode::Internal,
     "a bug of ours; of verbs that compare (`ckpt diff`, `spec diff`, `spec fmt --check`): they differ"},
    {ExitCode::Usage, "command line, spec or settings are wrong"},
    {ExitCode::Corrupt, "data, checkpoint or artifact cannot be read or are damaged"},
    {ExitCode::Mismatch, "version, state fingerprint or features of the CPU do not fit"},
    {ExitCode::NanLoss, "the loss became NaN or infinite"},
    {ExitCode::OutputNotWritable, "model_dir or an output file cannot be written, or another trainer has it"},
    {ExitCode::CompileFailed, "compiling or linking failed"},
    {ExitCode::Interrupted, "SIGINT, after saving"},
    {ExitCode::Terminated, "SIGTERM or SIGHUP, after saving; of a task whose job was stopped so"},
    {ExitCode::PeerLost, "a task of the cluster does not come or does not answer"},
    {ExitCode::DiskFull, "the disk is full, or fails"},
    {ExitCode::DeviceLost, "a GPU does not work any more; trying again may help"},
};

static const ObjectKind events[] = {
    {"config",
     "format, mlc, fingerprint, compat, model_dir, resumed_from, warm_start, threads, seed, virtual_shards, bit_exact, "
     "processors, memory_limit_bytes, memory, examples",
     "first: what runs; `format` grows when a key changes its meaning; `processors` and `memory_limit_bytes` (-1: not "
     "known) are what the process may use, `memory` tells `state_bytes`, `checkpoint_bytes`, `workspace_bytes` and the "
     "`rows` of the latter, and of what is on a GPU `device_state_bytes` and `device_workspace_bytes`; `examples` has "
     "how many there are to `train` on, and of each set of `eval`"},
    {"step", "step, loss, examples, examples_per_sec, bytes_per_sec, staleness",
     "each `run_config.log_step_count_steps`, and what else the step puts out as one number; `bytes_per_sec` of the "
     "chief of a cluster, `staleness` of asynchronous training"},
    {"eval", "name, step, metrics", "an eval set was evaluated; `metrics` by their names"},
    {"checkpoint", "step, path, policy", "a checkpoint is durable; `policy` is there for those of `train.checkpoint`"},
    {"checkpoint_failed", "step, failures, message",
     "a checkpoint could not be written, the `failures`-th in a row; training goes on"},
    {"summary_failed", "message",
     "summaries could not be written to an event file and are lost; training goes on, and tries the next ones"},
    {"export", "exporter, name, step, path, golden_rows",
     "an exporter of the eval set `name` exported the model to `path`"},
    {"done", "step, reason, seconds, decided_at, stopped_at, evaluations, best, message, exit",
     "last: `reason` is max_steps, epochs, early_stopping, interrupted, terminated, dry_run or error; `best` is there "
     "with early stopping, with `decided_at` (the step of the evaluation that ended training) and `stopped_at` where "
     "it "
     "ended training; `evaluations`, not `seconds`, of an evaluator; `exit` is the exit status. Of a run that fails: "
     "`message`, as on stderr, no `seconds`, and "
     "`step`, the last one, if it had begun"},
};

static const ObjectKind others[] = {
    {"`evaluate`", "eval, ...", "one object for each eval set: its name if it has one, then metrics by their names"},
    {"`predict`", "...", "one object for each row, in the order of the input: predictions by their keys"},
    {"`launch`", "event, task, pid, log, status, signal, seconds, log_tail",
     "`task_start` and `task_end` for each task, among what the chief prints; `signal`, `terminate` and `kill` where "
     "the "
     "end is hastened"},
    {"messages",
     "severity, code, file, line, column, end_column, path, message, expected, differs, help, replacement, count, "
     "related",
     "on stderr, the keys that apply; `mlc spec explain CODE` tells more of a code"},
};

static std::string row(const std::string &name, const ObjectKind &kind) {
  std::string text = "| " + name + " |";
  for (std::string keys = kind.keys; !keys.empty();) {
    std::string key = keys.substr(0, keys.find(", "));
    keys.erase(0, key.size() + 2);
    text += (text.back() == '|' ? " " : ", ") + (key == "..." ? key : "`" + key + "`");
  }
  return text + " | " + kind.meaning + " |\n";
}

std::string outputReference() {
  std::string text = "\n## Exit status\n\nFrom 128 on, trying again may help.\n\n| status | meaning |\n|---|---|\n";
  for (const ExitMeaning &meaning : exitMeanings)
    text += "| " + std::to_string(exitStatus(meaning.code)) + " | " + meaning.meaning + " |\n";
  text +=
      "\n## Output for programs\n\nWith `--json`, stdout has one object per line. Those of `train` name their kind in "
      "`event`:\n\n| event | keys | |\n|---|---|---|\n";
  for (const ObjectKind &kind : events)
    text += row("`" + std::string(kind.name) + "`", kind);
  text += "\nOthers:\n\n| of | keys | |\n|---|---|---|\n";
  for (const ObjectKind &kind : others)
    text += row(kind.name, kind);
  return text +
         "\nNumbers that JSON does not have are the texts \"NaN\", \"Infinity\" and \"-Infinity\".\n"
         "\n## Arguments\n\nAn argument `@FILE` stands for the words of that file: quotes as in a shell, `#` begins a "
         "comment. `-` and `_` in the names of flags are the same.\n";
}

} // namespace mlc::common
