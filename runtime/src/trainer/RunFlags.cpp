// The options of a run from a command line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/trainer/RunFlags.h"

#include "common/cli/ShellText.h"
#include "runtime/src/train/Preflight.h"

#include <cstdlib>

namespace mlcrt {

static std::string environment(const char *name) {
  const char *text = std::getenv(name);
  return text ? text : "";
}

static ClusterOptions clusterOptions(const mlc::common::CommandLine &line) {
  ClusterOptions options;
  options.tfConfig = environment("TF_CONFIG");
  options.sync = line.on("sync");
  options.backupWorkers = line.text("backup_workers", options.backupWorkers);
  options.backupPolicy = line.text("backup_policy", options.backupPolicy);
  options.overlap = line.text("overlap", options.overlap);
  options.hasEvaluator = line.on("evaluator");
  const auto seconds = [&](const char *flag, std::chrono::seconds absent) {
    return std::chrono::seconds(line.integer(flag).value_or(absent.count()));
  };
  options.startTimeout = seconds("start_timeout", options.startTimeout);
  options.stallTimeout = seconds("stall_timeout", options.stallTimeout);
  options.heartbeat = seconds("heartbeat", options.heartbeat);
  options.grace = seconds("grace", options.grace);
  options.messageMemory = line.integer("message_memory").value_or(options.messageMemory);
  options.certificate = line.text("tls_certificate");
  options.key = line.text("tls_key");
  options.authority = line.text("tls_authority");
  options.insecure = line.on("insecure");
  options.tokenFile = line.text("token_file");
  if (!line.has("token_file")) {
    // Tasks that `mlc launch` starts have a file of their job.
    options.tokenFile = environment("MLC_TOKEN_FILE");
    options.tokenOrigin = "MLC_TOKEN_FILE=";
  }
  return options;
}

RunOptions runOptions(const mlc::common::CommandLine &line, std::vector<std::string> command) {
  RunOptions options;
  options.verb = line.verb;
  const std::string program = mlc::common::shellWord(command.front());
  options.calledAs = line.text("called_as", program + " VERB");
  options.program = line.has("called_as") ? "mlc" : program;
  options.command = std::move(command);
  options.modelDir = line.text("model_dir");
  options.checkpoint = line.text("checkpoint");
  options.set = line.texts("set");
  options.trainFiles = line.texts("train_files");
  options.evalFiles = line.texts("eval_files");
  options.predictFiles = line.texts("predict_files");
  options.keys = line.texts("keys");
  options.forward = line.texts("forward");
  options.batchSize = line.integer("batch_size");
  options.maxSteps = line.integer("max_steps");
  options.epochs = line.integer("epochs");
  options.seed = line.integer("seed");
  options.steps = line.integer("steps");
  options.virtualShards = line.integer("virtual_shards");
  options.threads = static_cast<int>(line.integer("threads").value_or(0));
  options.gpus = line.integer("gpus").value_or(1);
  options.gpuSums = line.text("gpu_sums", options.gpuSums);
  options.device = line.text("device", options.device);
  options.fresh = line.on("fresh");
  options.growVocabularies = line.on("grow_vocabularies");
  options.dryRun = line.on("dry_run");
  options.force = line.on("force");
  if (line.has("name"))
    options.name = line.text("name");
  options.report = line.on("report");
  options.output = line.text("output");
  options.format = line.text("format", options.format);
  options.onBadRow = line.text("on_bad_row", options.onBadRow);
  options.goldenFiles = line.texts("golden_files");
  options.goldenRows = line.integer("golden_rows");
  options.inputs = line.texts("input");
  options.entries = line.texts("entry");
  options.fetches = line.texts("fetch");
  options.feeds = line.texts("feed");
  options.json = line.on("json");
  options.observation.timeline = line.text("timeline");
  options.observation.timelineSteps = line.text("timeline_steps");
  options.observation.metricsPort = line.text("metrics_port");
  options.cluster = clusterOptions(line);
  return options;
}

bool checkFlagsBeforeCompile(const mlc::common::CommandLine &line, const std::string &manifest,
                             mlc::common::MessageList &messages, mlc::common::ExitCode &code) {
  return checkBeforeCompile(runOptions(line, {"mlc"}), manifest, messages, code);
}

} // namespace mlcrt
