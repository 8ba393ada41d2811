// How this process understands its environment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/RunConfigInfo.h"

#include "runtime/src/core/JsonText.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace mlcrt {

using mlc::common::RunConfig;

static std::string orNull(const std::optional<int64_t> &number) { return number ? jsonNumber(*number) : "null"; }
static std::string orNull(const std::string &text) { return text.empty() ? "null" : jsonString(text); }

/// Names and values as JSON text, in the order of the fields of RunConfig.
static std::vector<std::pair<std::string, std::string>> properties(const RunConfig &run,
                                                                   const Configuration &configuration) {
  const mlc::common::SettingsTable &settings = configuration.settings();
  std::string filters;
  for (const std::string &filter : run.deviceFilters)
    filters += (filters.empty() ? "" : ",") + jsonString(filter);
  auto setting = [&](const char *name) { return orNull(settings.getInt(std::string("run_config.") + name)); };
  std::optional<double> hours = settings.getFloat("run_config.keep_checkpoint_every_n_hours");
  return {{"model_dir", orNull(run.modelDir)},
          {"task_type", jsonString(run.taskType)},
          {"task_id", jsonNumber(run.taskId)},
          {"is_chief", run.isChief ? "true" : "false"},
          {"global_id_in_cluster", orNull(run.globalId)},
          {"cluster_spec", run.clusterSpec},
          {"num_worker_replicas", jsonNumber(run.numWorkerReplicas)},
          {"num_ps_replicas", jsonNumber(run.numPsReplicas)},
          {"master", jsonString(run.master)},
          {"evaluation_master", jsonString(run.evaluationMaster)},
          {"session_config", filters.empty() ? "null" : "{\"device_filters\":[" + filters + "]}"},
          {"service", run.service.empty() ? "null" : run.service},
          {"tf_random_seed", setting("seed")},
          {"save_summary_steps", setting("save_summary_steps")},
          {"save_checkpoints_steps", setting("save_checkpoints_steps")},
          {"save_checkpoints_secs", setting("save_checkpoints_secs")},
          {"keep_checkpoint_max", setting("keep_checkpoint_max")},
          {"keep_checkpoint_every_n_hours", hours ? jsonNumber(*hours) : "null"},
          {"log_step_count_steps", setting("log_step_count_steps")}};
}

std::string describeRunConfig(const RunConfig &run, const Configuration &configuration, bool json) {
  const auto all = properties(run, configuration);
  JsonObject object;
  std::string text;
  size_t width = 0;
  for (const auto &[name, value] : all)
    width = std::max(width, name.size());
  for (const auto &[name, value] : all) {
    object.raw(name, value);
    text += name + std::string(width + 2 - name.size(), ' ') + value + "\n";
  }
  return json ? object.str() + "\n" : text;
}

bool readRunConfig(const char *tfConfig, const std::string &modelDir, RunConfig &run,
                   mlc::common::MessageList &messages) {
  mlc::common::TfConfig config;
  if (tfConfig && *tfConfig && !parseTfConfig(tfConfig, config, messages))
    return false;
  run = runConfigOf(config);
  return chooseModelDir(config, modelDir, run.modelDir, messages);
}

} // namespace mlcrt
