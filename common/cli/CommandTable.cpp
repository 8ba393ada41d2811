// The table of verbs and flags: the one place where they are defined.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/CommandTable.h"

#include "common/cli/OutputReference.h"

namespace mlc::common {

static FlagSpec switchFlag(std::string name, std::string help) {
  FlagSpec flag;
  flag.name = std::move(name);
  flag.type = FlagType::Switch;
  flag.help = std::move(help);
  return flag;
}

static FlagSpec valueFlag(std::string name, FlagType type, std::string help, std::string defaultText = {}) {
  FlagSpec flag;
  flag.name = std::move(name);
  flag.type = type;
  flag.help = std::move(help);
  flag.defaultText = std::move(defaultText);
  return flag;
}

static FlagSpec intFlag(std::string name, int64_t min, std::string help, std::string defaultText) {
  FlagSpec flag = valueFlag(std::move(name), FlagType::Int, std::move(help), std::move(defaultText));
  flag.min = min;
  return flag;
}

static FlagSpec listFlag(std::string name, FlagType type, std::string help, std::string defaultText = {}) {
  FlagSpec flag = valueFlag(std::move(name), type, std::move(help), std::move(defaultText));
  flag.repeatable = true;
  return flag;
}

static FlagSpec choiceFlag(std::string name, std::vector<std::string> choices, std::string help,
                           std::string defaultText) {
  FlagSpec flag = valueFlag(std::move(name), FlagType::Choice, std::move(help), std::move(defaultText));
  flag.choices = std::move(choices);
  return flag;
}

static FlagSpec outputFlag(std::string help, std::string defaultText) {
  FlagSpec flag = valueFlag("output", FlagType::Path, std::move(help), std::move(defaultText));
  flag.shortName = 'o';
  return flag;
}

template <typename T> static void append(std::vector<T> &list, std::vector<T> more) {
  for (T &element : more)
    list.push_back(std::move(element));
}

/// What every verb has.
static std::vector<FlagSpec> commonFlags() {
  return {switchFlag("json", "one JSON object per line on stdout instead of text"),
          switchFlag("quiet", "errors only on stderr"),
          choiceFlag("color", {"auto", "always", "never"}, "colours in messages", "auto"),
          valueFlag("log_file", FlagType::Path, "also write the log to this file")};
}

static FlagSpec threadsFlag() {
  FlagSpec threads =
      intFlag("threads", 1, "threads that compute; results do not depend on it", "the CPUs this process may use");
  threads.max = 4096;
  return threads;
}

/// Which GPU a run takes, and what of it.
static std::vector<FlagSpec> deviceFlags() {
  return {choiceFlag("device", {"auto", "cpu", "gpu"},
                     "what kernels of a trainer for GPUs (mlc compile --target=cuda) run on; auto: a GPU, if there is "
                     "one that it has code for",
                     "auto"),
          valueFlag("gpu_memory", FlagType::Text,
                    "memory that is taken of a GPU at most: bytes, as 4294967296, 512MiB or 4GB",
                    "MLC_GPU_MEMORY, or 15/16 of what it has")};
}

/// What the verbs that run a model have.
static std::vector<FlagSpec> runFlags() {
  std::vector<FlagSpec> flags = {threadsFlag()};
  append(flags, deviceFlags());
  flags.push_back(listFlag("set", FlagType::Text, "PATH=VALUE changes a setting, PATH+=VALUE appends to a list"));
  return flags;
}

/// How a task of a cluster (TF_CONFIG) and the others find each other.
static std::vector<FlagSpec> peerFlags() {
  return {
      intFlag("start_timeout", 1, "in a cluster: seconds to wait for other tasks to come", "300"),
      intFlag("heartbeat", 1, "in a cluster: seconds between signs of life; a task that misses three is lost", "5"),
      valueFlag("tls_certificate", FlagType::Path, "in a cluster: this task's certificate, PEM"),
      valueFlag("tls_key", FlagType::Path, "in a cluster: its key, PEM"),
      valueFlag("tls_authority", FlagType::Path, "in a cluster: whose certificates are trusted, PEM"),
      valueFlag("token_file", FlagType::Path,
                "in a cluster: file of a secret that all tasks share; without TLS it goes over the network as it is",
                "the one that MLC_TOKEN_FILE names"),
      switchFlag("insecure", "in a cluster: any host may connect, without a token and without TLS")};
}

/// What a task that trains in one has.
static std::vector<FlagSpec> clusterFlags() {
  std::vector<FlagSpec> flags = {
      switchFlag("sync", "in a cluster: all training tasks take each step together; the bits are those of one "
                         "process with as many virtual shards"),
      valueFlag("backup_workers", FlagType::Text,
                "with --sync: steps do not wait for this many late training tasks; or auto: chosen from measured times",
                "0"),
      choiceFlag("backup_policy", {"redundant", "drop"},
                 "with --backup_workers: others recompute late shards, bit by bit; or steps do without them",
                 "redundant"),
      choiceFlag("overlap", {"auto", "on", "off"},
                 "in a cluster: transfers go on while gradients are computed; auto: if steps are faster so", "auto"),
      switchFlag("evaluator", "of the chief: a task of role evaluator evaluates, though TF_CONFIG does not list it"),
      intFlag("stall_timeout", 1, "in a cluster: seconds that a step may wait for a task that gives no sign of life",
              "60"),
      intFlag("grace", 0,
              "in a cluster: seconds that a worker or a server which is told to stop (SIGTERM, SIGHUP, SIGINT) stays, "
              "so that the chief can save",
              "25"),
      intFlag(
          "message_memory", 1,
          "of a server in a cluster: MiB that messages may take, those that came and are needed and answers that are "
          "not read yet; half of it is shared out among the training tasks",
          "8192")};
  append(flags, peerFlags());
  return flags;
}

/// What a run shows of itself.
static std::vector<FlagSpec> observationFlags() {
  FlagSpec timeline =
      valueFlag("timeline", FlagType::Path,
                "directory for the time of each part of a step, as ROLE-INDEX.json, which Perfetto opens");
  timeline.excludes = {"dry_run"};
  return {
      timeline,
      valueFlag("timeline_steps", FlagType::Text, "FIRST:END, the steps that it has; 500000 spans at most", "all"),
      valueFlag("metrics_port", FlagType::Text,
                "answer Prometheus at this port (auto: a free one) of the loopback interface, with --insecure of all"),
      choiceFlag("log_format", {"text", "json"},
                 "lines on stderr and in logs: as text, or JSON with time, task and step", "text")};
}

static VerbSpec trainVerb() {
  VerbSpec verb;
  verb.name = "train";
  verb.needsOneOf = {"model_dir", "dry_run"};
  verb.orVariable = "TF_CONFIG";
  verb.summary = "train the model, from the newest checkpoint of model_dir if there is one";
  FlagSpec steps =
      intFlag("steps", 0,
              "train for this many steps more, instead of to max_steps; 0: save the state as it begins, with "
              "what train.warm_start gives it, and evaluate it",
              "none");
  steps.excludes = {"max_steps"};
  verb.flags = {
      valueFlag("model_dir", FlagType::Path, "directory of checkpoints and logs; made if absent (needed)",
                "model_dir of TF_CONFIG"),
      listFlag("train_files", FlagType::Text, "glob of files to train on; -: standard input", "train.files"),
      listFlag("eval_files", FlagType::Text, "glob of files of the eval set", "eval.*.files"),
      intFlag("max_steps", 1, "stop at this global step; one that is reached already leaves all as it is",
              "train.max_steps"),
      steps,
      intFlag("epochs", 1, "stop after this many passes over the data", "train.epochs"),
      intFlag("batch_size", 1, "rows per step", "train.batch_size"),
      intFlag("seed", 0, "of initial values, order of examples and dropout", "run_config.seed"),
      intFlag("virtual_shards", 1, "parts that each batch is cut into; part of the result",
              "1 (with --sync or several --gpus 8, or the number of training tasks, or of GPUs of all, if that is "
              "more), or the "
              "checkpoint's"),
      intFlag("gpus", 1,
              "GPUs of this machine to train on, each of which has all variables and some of the virtual shards", "1"),
      choiceFlag("gpu_sums", {"copies", "nccl", "allreduce"},
                 "how several GPUs bring sums together: copies of the driver, or NCCL's sends, with the same bits; or "
                 "NCCL's all-reduce, which adds in an order of its own: the run is not bit-exact then",
                 "copies"),
      switchFlag("fresh", "begin anew: checkpoints and event files that are there move to model_dir/before-NNNN"),
      switchFlag("grow_vocabularies", "go on with a checkpoint whose vocabularies have fewer terms, by term"),
      switchFlag("dry_run", "open everything, run one step and one batch of each eval set, write no file"),
      switchFlag("force", "train though the state does not fit into the memory that there is")};
  append(verb.flags, clusterFlags());
  append(verb.flags, observationFlags());
  append(verb.flags, runFlags());
  append(verb.flags, commonFlags());
  return verb;
}

/// A verb that reads a checkpoint, named or the newest of a directory, with flags of its own.
static VerbSpec checkpointVerb(const char *name, const char *summary, std::vector<FlagSpec> flags) {
  VerbSpec verb;
  verb.name = name;
  verb.needsOneOf = {"model_dir", "checkpoint"};
  verb.summary = summary;
  verb.flags = {valueFlag("model_dir", FlagType::Path, "directory of the checkpoints (needed, or --checkpoint)"),
                valueFlag("checkpoint", FlagType::Path,
                          "best (of early stopping), latest, a step of model_dir, or a checkpoint directory",
                          "the best of model_dir if early stopping kept one, else the newest")};
  append(verb.flags, std::move(flags));
  verb.flags.push_back(switchFlag("force", "go on though the model does not fit into the memory that there is"));
  append(verb.flags, runFlags());
  append(verb.flags, commonFlags());
  return verb;
}

static VerbSpec evaluateVerb() {
  return checkpointVerb(
      "evaluate", "compute the metrics of a checkpoint over the eval files",
      {listFlag("eval_files", FlagType::Text, "glob of files to evaluate on", "eval.*.files"),
       valueFlag("name", FlagType::Text, "only the eval set of this name", "all"),
       intFlag("batch_size", 1, "rows per call", "eval.*.batch_size"),
       intFlag("max_steps", 1, "stop after this many batches", "eval.*.steps"),
       switchFlag("report", "of a classifier: precision, recall and F1 by class, the confusion matrix")});
}

static VerbSpec predictVerb() {
  return checkpointVerb(
      "predict", "write the predictions for every row, in the order of the input",
      {listFlag("predict_files", FlagType::Text, "glob of files to predict; -: standard input", "predict.files"),
       outputFlag("file to write", "stdout"), choiceFlag("format", {"jsonl", "csv"}, "form of the output", "jsonl"),
       listFlag("keys", FlagType::Text, "prediction keys to write, commas between", "predict.predict_keys"),
       listFlag("forward", FlagType::Text, "input columns to copy to the output, commas between",
                "predict.forward_features"),
       choiceFlag("on_bad_row", {"fail", "skip", "null"},
                  "a row that cannot be read or predicted ends the run, is left out, or gives null (CSV: empty cells)",
                  "fail"),
       intFlag("batch_size", 1, "rows per call", "predict.batch_size")});
}

static VerbSpec exportVerb() {
  return checkpointVerb(
      "export", "write a checkpoint's model as a directory that predicts without trainer and compiler",
      {valueFlag("output", FlagType::Path, "directory to make the export in, named by the time",
                 "MODEL_DIR/export/NAME"),
       valueFlag("name", FlagType::Text, "of the directory in MODEL_DIR/export", "the model's"),
       listFlag("golden_files", FlagType::Text, "glob of files whose first rows are replayed at each load",
                "predict.files, eval.*.files or train.files"),
       intFlag("golden_rows", 0, "how many rows", "8")});
}

/// One execution of an entry.
static VerbSpec runVerb() {
  VerbSpec verb;
  verb.name = "run";
  verb.summary = "run an entry once, or several at once, on arrays from .npy files";
  verb.flags = {
      listFlag("input", FlagType::Text, "NAME=FILE.npy is an input of the entry"),
      outputFlag("directory for the outputs as NAME.npy", "their values on stdout"),
      listFlag("entry", FlagType::Text, "an entry to run; several run at once, and may wait for each other's queues",
               "the only one, or predict"),
      valueFlag("model_dir", FlagType::Path, "take the values of its newest checkpoint", "initial values"),
      valueFlag("checkpoint", FlagType::Path, "take the values of this checkpoint directory", "initial values"),
      intFlag("seed", 0, "of initial values and of what the entry draws", "run_config.seed, or the checkpoint's")};
  append(verb.flags, runFlags());
  append(verb.flags, peerFlags());
  append(verb.flags, commonFlags());
  return verb;
}

/// The verbs on checkpoints; they need no model.
static std::vector<VerbSpec> checkpointVerbs() {
  PositionalSpec modelDir{"MODEL_DIR", "model_dir or a checkpoint directory in it, or a checkpoint of TensorFlow: its "
                                       "prefix, its directory or a SavedModel"};
  PositionalSpec anySource = modelDir;
  anySource.help += "; or a .safetensors file";
  FlagSpec step = intFlag("step", 0, "the checkpoint of this step", "the newest");
  VerbSpec list, show, verify, diff, convert;
  list.name = "ckpt ls";
  list.summary = "list the checkpoints of a model_dir: step, time, size, whether it is complete, fingerprint; or those "
                 "that TensorFlow left in a directory";
  list.positionals = {{"MODEL_DIR", "model_dir"}};
  list.examples = {"ckpt ls m", "ckpt ls m --json"};
  show.name = "ckpt show";
  show.summary = "show what a checkpoint holds: variables and slots with type, size, range, mean and NaNs";
  show.positionals = {anySource};
  show.flags = {step};
  show.examples = {"ckpt show m", "ckpt show m --step 2000 --json", "ckpt show m/ckpt-0000002000"};
  verify.name = "ckpt verify";
  verify.summary = "prove every checksum of the checkpoints; exit 3 if anything is damaged";
  verify.positionals = {modelDir};
  verify.flags = {step};
  verify.flags[0].defaultText = "all";
  verify.examples = {"ckpt verify m", "ckpt verify m --step 2000"};
  diff.name = "ckpt diff";
  diff.summary = "variables that were added, removed or changed from A to B; exit 1 if there are any";
  diff.positionals = {{"A", "as MODEL_DIR of ckpt show"}, {"B", "the other"}};
  diff.examples = {"ckpt diff m/ckpt-0000001000 m/ckpt-0000002000", "ckpt diff a b --json"};
  convert.name = "ckpt convert";
  convert.needsOneOf = {"to"};
  convert.summary =
      "write a checkpoint as one safetensors file, or as a checkpoint of TensorFlow: equal values, equal bytes";
  convert.positionals = {anySource, {"OUTPUT", "what to write, where --to names a format", false}};
  convert.flags = {
      valueFlag("to", FlagType::Path,
                "the .safetensors file to write, or the format of OUTPUT: safetensors, or tf, of which OUTPUT "
                "is the prefix (needed)"),
      step};
  convert.examples = {"ckpt convert m --to m.safetensors", "ckpt convert m --to tf tf/model.ckpt-1000",
                      "ckpt convert tf/model.ckpt-1000 --to m.safetensors"};
  std::vector<VerbSpec> verbs = {list, show, verify, diff, convert};
  for (VerbSpec &verb : verbs)
    append(verb.flags, commonFlags());
  return verbs;
}

/// A cluster on this machine.
static VerbSpec launchVerb() {
  VerbSpec verb;
  verb.name = "launch";
  verb.summary = "run a trainer as all tasks of a cluster on this machine, until the chief ends";
  verb.isCommand = true;
  verb.positionals = {{"TRAINER", "a compiled trainer"},
                      {"ARGUMENT", "its verb (train) and flags, the same for each task", true, true}};
  FlagSpec workers = intFlag("workers", 1, "tasks that train, the chief among them", "1");
  FlagSpec servers = intFlag("ps", 0, "servers of parameters; more than one worker needs one", "0");
  workers.max = servers.max = 1000;
  verb.flags = {workers,
                servers,
                switchFlag("evaluator", "a task more that evaluates"),
                switchFlag("tcp", "tasks talk over ports of the loopback interface, not over Unix sockets"),
                choiceFlag("rpc_layer", {"plain", "grpc"}, "tasks talk in mlc's own frames, or by gRPC", "plain"),
                valueFlag("log_dir", FlagType::Path, "directory of a log per task",
                          "MODEL_DIR/logs; without --model_dir a temporary one, which is named")};
  for (FlagSpec &flag : commonFlags())
    if (flag.name != "log_file")
      verb.flags.push_back(std::move(flag));
  verb.examples = {"launch --workers 2 --ps 1 -- ./census train --model_dir m --sync",
                   "launch --workers 4 --ps 2 --evaluator --tcp -- ./census train --model_dir m",
                   "launch --workers 2 --ps 1 -- ./census info --runconfig"};
  return verb;
}

/// What mlc tells the trainer it calls.
static FlagSpec callerFlag() {
  FlagSpec flag =
      valueFlag("called_as", FlagType::Text, "command that messages name, with VERB for the verb", "the program VERB");
  flag.hidden = true;
  return flag;
}

CommandTable trainerCommands(std::string program) {
  CommandTable table;
  table.program = std::move(program);
  table.summary = "a compiled model that trains, evaluates and predicts";
  table.appendix = outputReference();
  VerbSpec train = trainVerb(), evaluate = evaluateVerb(), predict = predictVerb(), exporting = exportVerb();
  train.examples = {"train --model_dir m", "train --model_dir m --train_files 'data/train-*.csv' --max_steps 5000",
                    "train --model_dir m --set run_config.save_checkpoints_steps=500 --json"};
  evaluate.examples = {"evaluate --model_dir m", "evaluate --model_dir m --eval_files test.csv --json",
                       "evaluate --checkpoint m/ckpt-0000002000"};
  predict.examples = {"predict --model_dir m --predict_files new.csv",
                      "predict --model_dir m --predict_files new.csv -o out.csv --format csv",
                      "predict --model_dir m --predict_files new.csv --keys probabilities --forward id"};
  exporting.examples = {"export --model_dir m", "export --model_dir m --output serving/census --json",
                        "export --checkpoint m/ckpt-0000002000 --golden_files 'data/test-*.csv'"};
  VerbSpec run = runVerb();
  run.examples = {"run --model_dir m --input x=x.npy", "run --entry train --input x=x.npy --input y=y.npy -o out",
                  "run --model_dir m --entry predict --input x=x.npy --json"};
  for (VerbSpec *verb : {&train, &evaluate, &predict, &exporting, &run})
    verb->flags.push_back(callerFlag());
  VerbSpec info;
  info.name = "info";
  info.summary = "show what was compiled: features, variables, entries, settings with origins";
  info.flags = {
      switchFlag("runconfig", "show how this process understands TF_CONFIG instead, and what run_config says"),
      valueFlag("model_dir", FlagType::Path, "with --runconfig: the directory that train would be given",
                "that of TF_CONFIG")};
  append(info.flags, commonFlags());
  info.examples = {"info", "info --json", "info --runconfig"};
  table.verbs = {train, evaluate, predict, exporting, run, info};
  append(table.verbs, checkpointVerbs());
  return table;
}

/// Flags that change a spec, but --set.
static std::vector<FlagSpec> changeFlags() {
  return {listFlag("unset", FlagType::Text, "PATH takes a field away, in the order of --set and --unset"),
          listFlag("overlay", FlagType::Path, "spec that is merged over this one, before --set")};
}

/// Flags of the verbs that compile.
static std::vector<FlagSpec> compileFlags(std::string cpuDefault) {
  return {
      valueFlag("cpu", FlagType::Text, "CPU to compile for: native, x86-64-v3, or an LLVM CPU name",
                std::move(cpuDefault)),
      listFlag("load", FlagType::Path, "plug-in, a shared library with dialects or passes; before the input is read"),
      valueFlag("df_passes", FlagType::Text,
                "passes of mlc and of plug-ins that run on the graph as it was built, before gradients are "
                "expanded, as between the parentheses of mlc-opt --pass-pipeline: df-simplify,demo-drop-signs"),
      valueFlag("cache_dir", FlagType::Path,
                "where trainers of train, evaluate and predict are kept, and compiled code, for 30 days after "
                "their last use and up to 2 GB",
                "$XDG_CACHE_HOME/mlc")};
}

/// Flags of what a model is compiled for besides the CPU.
static std::vector<FlagSpec> targetFlags() {
  return {
      choiceFlag("target", {"cpu", "cuda"}, "what kernels run on: the CPU, or an NVIDIA GPU beside it", "cpu"),
      listFlag("chip", FlagType::Text,
               "of cuda: GPU to make PTX for, which runs on later ones, too, but of sm_90a and the like; the GPU takes "
               "the latest one that fits it",
               "sm_80 and sm_90a"),
      valueFlag(
          "host_tables", FlagType::Text,
          "of cuda: tables of at least so many bytes stay in the host's memory, and the rows of a batch go to the GPU "
          "and back: bytes, as 4294967296, 512MiB or 4GB",
          "all are in the GPU's memory"),
      valueFlag("kernel_table", FlagType::Path,
                "of cuda: file with the tiles that products have, as tune-kernels writes it; part of the plan's "
                "fingerprint",
                "built-in tiles")};
}

static VerbSpec compileVerb() {
  VerbSpec verb;
  verb.name = "compile";
  verb.summary = "compile a model to a trainer, or to any stage on the way";
  verb.positionals = {{"INPUT", "a spec, or a module of any stage that --emit prints; told by content"}};
  verb.flags = {
      outputFlag("file to write", "INPUT's name with the stage's ending; text stages: stdout"),
      choiceFlag("emit", {"est", "df", "dist", "linalg", "llvm", "nvvm", "ptx", "cubin", "asm", "obj", "so", "exe"},
                 "stage to stop at; nvvm, ptx and cubin: of kernels for a GPU", "exe"),
      choiceFlag("sanitize", {"none", "thread", "address"}, "instrument the code; what loads it brings the runtime",
                 "none"),
      switchFlag("line_info", "of cuda: kernels say which lines of the model they are from, for debuggers and "
                              "profilers; nothing else changes"),
      choiceFlag("opt_level", {"0", "1"}, "0: LLVM does not optimize; results are the same", "1"),
      switchFlag("timing", "seconds of each phase"),
      listFlag("print_after", FlagType::Text, "print the IR after this pass"),
      valueFlag(
          "remarks", FlagType::Text,
          "what passes did and left undone, as notes: captured, fused, hoisted, in_place, kept, parts, vectorized, or "
          "all; separated "
          "by commas",
          "none"),
      valueFlag("reproducer", FlagType::Path,
                "if a pass fails, write its pipeline and the module before it to this file, for mlc-opt "
                "--run-reproducer",
                "a temporary file, if the compiler is at fault"),
      listFlag("devices", FlagType::Text, "a device that the module is placed on; none: those that it names"),
      switchFlag("soft_placement", "what no device of its spec is there for goes elsewhere"),
      listFlag("set", FlagType::Text, "PATH=VALUE changes a field of the spec, PATH+=VALUE appends to a list"),
      listFlag("fetch", FlagType::Text, "compile what this value of the graph needs, no more"),
      listFlag("feed", FlagType::Text, "this value of the graph is an input, with --fetch"),
      valueFlag("entry", FlagType::Text, "function that --fetch and --feed are of", "the only one that has them"),
  };
  append(verb.flags, targetFlags());
  append(verb.flags, changeFlags());
  append(verb.flags, compileFlags("x86-64-v3"));
  append(verb.flags, commonFlags());
  verb.examples = {"compile census.pbtxt -o census", "compile census.pbtxt --emit=df",
                   "compile census.pbtxt --cpu=native --timing"};
  return verb;
}

/// Trials of a spec's settings.
static VerbSpec tuneVerb() {
  VerbSpec verb;
  verb.name = "tune";
  verb.summary = "try settings of a spec, by the metric of its early stopping, and write the best spec";
  verb.positionals = {{"SPEC", "a .pbtxt spec"}};
  FlagSpec jobs = intFlag("jobs", 1, "trainers at once", "one per CPU");
  jobs.max = 1000;
  verb.flags = {
      intFlag("trials", 1, "settings to try, the spec itself the first (this or --time)", ""),
      intFlag("time", 1, "seconds; says how many trials it made, which --trials makes again", ""),
      intFlag("seed", 0, "another one draws other settings", "0"),
      outputFlag("best spec to write, beside SPEC", "SPEC with .tuned.pbtxt for its ending"),
      switchFlag("force", "overwrite the file"),
      jobs,
      valueFlag("work_dir", FlagType::Path, "empty directory that keeps the trials' model_dirs",
                "a temporary one that is removed"),
      listFlag("set", FlagType::Text, "PATH=VALUE changes a field of the spec, PATH+=VALUE appends to a list")};
  append(verb.flags, targetFlags());
  append(verb.flags, deviceFlags());
  append(verb.flags, changeFlags());
  append(verb.flags, compileFlags("native"));
  append(verb.flags, commonFlags());
  verb.flags.front().excludes = {"time"};
  verb.needsOneOf = {"trials", "time"};
  verb.examples = {"tune census.pbtxt --trials 27", "tune census.pbtxt --time 120 -o best.pbtxt",
                   "tune census.pbtxt --trials 9 --json --quiet"};
  return verb;
}

/// Tiles of products, by their times.
static VerbSpec tuneKernelsVerb() {
  VerbSpec verb;
  verb.name = "tune-kernels";
  verb.summary = "measure the tiles of products on this machine's GPU, and write a table for --kernel_table";
  FlagSpec rounds = intFlag("rounds", 1, "readings of each tile for each shape, of which the median counts", "15");
  rounds.max = 10000;
  verb.flags = {
      outputFlag("table to write", "stdout"),
      listFlag("chip", FlagType::Text, "GPU to make PTX for; the GPU takes the latest one that fits it",
               "sm_80 and sm_90a"),
      valueFlag("kinds", FlagType::Text, "products that are measured, commas between: f32, f64, tf32, f16, bf16",
                "f32,tf32,f16,bf16"),
      valueFlag("m", FlagType::Text, "rows of the left factor in the shapes that are measured, commas between",
                "32,128,512,2048"),
      valueFlag("n", FlagType::Text, "columns of the right one", "32,128,512,2048"),
      valueFlag("k", FlagType::Text, "numbers that a sum has", "128,1024"),
      valueFlag("batches", FlagType::Text, "matrices that are multiplied at once", "1"),
      valueFlag("forms", FlagType::Text,
                "how factors lie, commas between: nn is x * w, nt x * w^T, as gradients of inputs, tn x^T * y, as "
                "gradients of weights, tt both transposed",
                "nn,nt,tn"),
      valueFlag("splits", FlagType::Text,
                "of tf32, f16 and bf16: parts of the inner dimension that are tried beside one, where it is long and "
                "results have few tiles",
                "4"),
      rounds,
      valueFlag("emit_candidates", FlagType::Path,
                "measure nothing, but write the kernels to this file, for mlc-measure-tiles on another machine")};
  append(verb.flags, commonFlags());
  verb.examples = {"tune-kernels -o h100.table --chip sm_90a",
                   "tune-kernels --kinds f32 --forms nn --m 256 --n 1024,4096 --k 1024",
                   "tune-kernels --chip sm_80 --chip sm_90a --emit_candidates kernels.candidates"};
  return verb;
}

/// A verb of the trainer as mlc offers it: with a spec and the compiler's flags.
static VerbSpec withSpec(VerbSpec verb, std::vector<std::string> examples) {
  verb.summary = "compile the spec (cached) and " + verb.summary;
  verb.positionals = {{"SPEC", "a .pbtxt spec, a .mlir file or a compiled trainer"}};
  append(verb.flags, targetFlags());
  append(verb.flags, changeFlags());
  append(verb.flags, compileFlags("native"));
  verb.examples = std::move(examples);
  return verb;
}

/// Predict takes exported models too, which need no checkpoint.
static VerbSpec mlcPredictVerb() {
  VerbSpec verb =
      withSpec(predictVerb(), {"predict census.pbtxt --model_dir m --predict_files new.csv",
                               "predict m/export/census/1700000000 --predict_files new.csv --format csv -o out.csv",
                               "predict census.pbtxt --model_dir m --predict_files new.csv --forward id --json"});
  verb.summary = "write the predictions for every row, in the order of the input, with a spec (compiled, cached), a "
                 "trainer or an exported model";
  verb.positionals = {{"MODEL", "a .pbtxt spec, a .mlir file, a compiled trainer, or an exported model's directory"}};
  verb.needsOneOf.clear();
  return verb;
}

static VerbSpec specVerb(std::string name, std::string summary, std::vector<PositionalSpec> positionals,
                         std::vector<FlagSpec> flags, std::vector<std::string> examples) {
  VerbSpec verb;
  verb.name = "spec " + name;
  verb.summary = std::move(summary);
  verb.positionals = std::move(positionals);
  verb.flags = std::move(flags);
  append(verb.flags, commonFlags());
  for (std::string &example : examples)
    verb.examples.push_back("spec " + example);
  return verb;
}

static std::vector<VerbSpec> specVerbs() {
  PositionalSpec file = {"FILE", "a .pbtxt spec"}, files = {"FILE", ".pbtxt specs", true, true};
  std::vector<FlagSpec> changes = {
      listFlag("set", FlagType::Text, "PATH=VALUE changes a field of the spec, PATH+=VALUE appends to a list")};
  append(changes, changeFlags());
  std::vector<FlagSpec> show = {switchFlag("resolved", "includes, globs and every default written out"),
                                switchFlag("origin", "end each line with where its value is from"),
                                choiceFlag("format", {"pbtxt", "json"}, "form of the output", "pbtxt")};
  append(show, changes);
  std::vector<FlagSpec> init = {
      valueFlag("label", FlagType::Text, "column that is learned (this or --from)"),
      valueFlag("weight", FlagType::Text, "column of a weight per row"),
      listFlag("drop", FlagType::Text, "columns to leave out, commas between"),
      listFlag("categorical", FlagType::Text, "columns of categories, commas between"),
      listFlag("numeric", FlagType::Text, "columns of numbers, commas between"),
      listFlag("multi_value", FlagType::Text, "COLUMN:SEPARATOR, a column of several values in a cell"),
      choiceFlag("model", {"linear", "dnn", "wide_deep"}, "body of the model",
                 "dnn; wide_deep with multi-valued columns"),
      choiceFlag("task", {"binary", "multi_class", "regression"}, "what is learned", "by the label's values"),
      switchFlag("balance", "weight rare classes: finds more of them, at the price of log loss"),
      intFlag("rows", 1, "rows to read", "all"),
      switchFlag("no_header", "the files have no row of names"),
      listFlag("names", FlagType::Text, "names of the fields in order, commas between; the files have no header"),
      outputFlag("spec to write; files of terms go beside it", "stdout"),
      switchFlag("force", "overwrite files")};
  FlagSpec from =
      valueFlag("from", FlagType::Path, "spec whose decisions and comments stay; its numbers and terms become DATA's");
  from.excludes = {"label", "weight", "drop",    "categorical", "numeric", "multi_value",
                   "model", "task",   "balance", "no_header",   "names"};
  init.push_back(std::move(from));
  std::vector<FlagSpec> check = {switchFlag("data", "read the files of train and eval, too, and tell what they hold"),
                                 intFlag("rows", 1, "with --data: rows to read of each of them", "all")};
  append(check, changes);
  VerbSpec initVerb = specVerb(
      "init", "write a spec that fits data",
      {{"DATA", "files of delimited text or of tf.Examples, or with --from of what its spec reads; gzip, zstd or plain",
        true, true}},
      init,
      {"init train.csv --label clicked -o clicks.pbtxt", "init train.csv --label price --drop id --model linear",
       "init rows.csv --names age,job,income --label income", "init new.csv --from clicks.pbtxt -o new.pbtxt"});
  initVerb.needsOneOf = {"label", "from"};
  return {
      initVerb,
      specVerb("check", "check a spec: all errors at once", {file}, check,
               {"check census.pbtxt", "check census.pbtxt --data", "check census.pbtxt --set train.batch_size=64"}),
      specVerb(
          "show", "write a spec with what it includes, and what is not written in it", {file}, show,
          {"show census.pbtxt --resolved", "show census.pbtxt --resolved --origin", "show census.pbtxt --format json"}),
      specVerb("explain", "tell what a field, a message or an error code means",
               {{"SUBJECT", "path of a field, name of a message, or error code"}}, {},
               {"explain model.dnn.dropout", "explain Optimizer", "explain E0102"}),
      specVerb("diff", "compare what two specs mean; exit status 1 if they differ",
               {{"A", "a .pbtxt spec"}, {"B", "another"}}, {},
               {"diff old.pbtxt new.pbtxt", "diff a.pbtxt b.pbtxt --json"}),
      specVerb("fmt", "set blanks and line ends of specs, in place; comments stay", {files},
               {switchFlag("check", "write nothing; exit status 1 if a file would change")},
               {"fmt census.pbtxt", "fmt --check a.pbtxt b.pbtxt"}),
      specVerb("upgrade", "rewrite old names of fields in specs, in place", {files},
               {switchFlag("check", "write nothing; exit status 1 if a file would change")}, {"upgrade census.pbtxt"}),
      specVerb("schema", "write the schema of specs, for people and editors", {},
               {choiceFlag("format", {"proto", "json-schema", "md"}, "form of the output", "proto")},
               {"schema", "schema --format json-schema", "schema --format md"}),
  };
}

CommandTable mlcCommands() {
  CommandTable table;
  table.program = "mlc";
  table.summary = "a compiler for machine-learning models: a spec goes in, a native trainer comes out";
  table.appendix = "\n## Trainers\n\nA compiled trainer has the verbs";
  for (const VerbSpec &verb : trainerCommands("").verbs)
    table.appendix += " `" + verb.name + "`,";
  table.appendix += " with the flags above but those of the compiler, and no `SPEC`.\n" + outputReference();
  VerbSpec info;
  info.name = "info";
  info.summary = "show what an artifact holds: features, variables, entries, settings with origins";
  info.positionals = {{"ARTIFACT", "a compiled trainer or .so, or the directory of an exported model"}};
  info.flags = commonFlags();
  info.examples = {"info census", "info m/export/census/1700000000 --json"};
  table.verbs = {compileVerb(),
                 withSpec(trainVerb(), {"train census.pbtxt --model_dir m",
                                        "train census.pbtxt --model_dir m --max_steps 5000 --seed 7",
                                        "train census.pbtxt --model_dir m --set train.batch_size=256 --json"}),
                 withSpec(evaluateVerb(), {"evaluate census.pbtxt --model_dir m",
                                           "evaluate census.pbtxt --model_dir m --eval_files test.csv --json"}),
                 mlcPredictVerb(),
                 withSpec(exportVerb(), {"export census.pbtxt --model_dir m",
                                         "export census.pbtxt --model_dir m --output serving/census",
                                         "export census.pbtxt --model_dir m --cpu x86-64-v3 --json"}),
                 info};
  VerbSpec run = runVerb();
  run.summary = "run one entry of a model once, or a part of its graph, on arrays from .npy files";
  run.positionals = {{"MODEL", "a .mlir module or a spec (compiled, cached), a trainer, a .so, or an exported model"}};
  append(run.flags, {listFlag("fetch", FlagType::Text, "compute this value of the graph of a module or spec, no more"),
                     listFlag("feed", FlagType::Text, "NAME=FILE.npy is this value of the graph, with --fetch")});
  append(run.flags, targetFlags());
  append(run.flags, compileFlags("native"));
  run.examples = {"run model.mlir --input x=x.npy", "run model.so --entry f --input x=x.npy --input y=y.npy -o out",
                  "run model.mlir --fetch logits --feed hidden=h.npy --model_dir m",
                  "run m/export/census/1700000000 --input age=age.npy --json"};
  VerbSpec timeline;
  timeline.name = "timeline merge";
  timeline.needsOneOf = {"output"};
  timeline.summary = "write the timelines of several tasks (train --timeline) as one file, which Perfetto opens";
  timeline.positionals = {{"TIMELINE", "a file, or a directory of them", true, true}};
  timeline.flags = {outputFlag("file to write (needed)", "")};
  append(timeline.flags, commonFlags());
  timeline.examples = {"timeline merge m/timeline -o cluster.json",
                       "timeline merge chief-0.json ps-0.json -o both.json"};
  VerbSpec doctor;
  doctor.name = "doctor";
  doctor.summary =
      "tell what this machine has and lacks for mlc: CPU, linker, runtime, cache, CUDA, TF_CONFIG; exit 2 if "
      "something needed is missing";
  doctor.flags = {valueFlag("cache_dir", FlagType::Path, "where trainers would be kept", "$XDG_CACHE_HOME/mlc")};
  append(doctor.flags, commonFlags());
  doctor.examples = {"doctor", "doctor --json"};
  table.verbs.push_back(run);
  table.verbs.push_back(launchVerb());
  table.verbs.push_back(tuneVerb());
  table.verbs.push_back(tuneKernelsVerb());
  table.verbs.push_back(timeline);
  table.verbs.push_back(doctor);
  VerbSpec completion, complete;
  completion.name = "completion";
  completion.summary = "write what a shell reads to complete mlc";
  completion.positionals = {{"SHELL", "bash, zsh or fish"}};
  completion.flags = commonFlags();
  completion.examples = {"completion bash", "completion zsh", "completion fish"};
  complete.name = "__complete";
  complete.summary = "what the last word may become, one per line";
  complete.positionals = {{"WORD", "words of the line after mlc", false, true}};
  complete.flags = commonFlags();
  complete.examples = {"__complete -- train census.pbtxt --set train."};
  complete.hidden = true;
  table.verbs.push_back(completion);
  table.verbs.push_back(complete);
  append(table.verbs, checkpointVerbs());
  append(table.verbs, specVerbs());
  return table;
}

std::vector<std::string> trainerArguments(const CommandLine &line, const std::vector<std::string> &sets) {
  std::vector<std::string> args = {line.verb};
  CommandTable table = trainerCommands("trainer");
  const VerbSpec *verb = table.find(line.verb);
  if (!verb)
    return {};
  for (const FlagSpec &flag : verb->flags)
    for (const std::string &value : flag.name == "set" ? sets : line.texts(flag.name))
      args.push_back("--" + flag.name + "=" + value);
  return args;
}

} // namespace mlc::common
