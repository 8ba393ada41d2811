// Reading of TF_CONFIG.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cluster/TfConfig.h"

#include "common/cli/NearestMatch.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace mlc::common {

using Json = nlohmann::ordered_json;

static const std::vector<std::string> kRoles = {"chief", "evaluator", "worker", "ps"};

bool TfConfig::isChief() const {
  return !isDistributed() || self.role == "chief" || (workerIsChief && self.role == "worker" && self.index == 0);
}

int64_t TfConfig::globalId() const {
  for (size_t i = 0; i < tasks.size(); ++i)
    if (tasks[i].role == self.role && tasks[i].index == self.index)
      return static_cast<int64_t>(i);
  return -1;
}

/// Reads the whole of `text`.
template <typename T> static bool readNumber(const std::string &text, T &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

namespace {

class Reader {
public:
  Reader(TfConfig &config, MessageList &messages) : config_(config), messages_(messages) {}

  void read(const Json &root) {
    static const std::vector<std::string> known = {
        "cluster", "task", "service", "session_master", "eval_session_master", "model_dir", "rpc_layer", "environment"};
    for (const auto &[key, value] : root.items())
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        Message message = makeError("E0222", "key '" + key + "' means nothing", didYouMean(key, known));
        message.severity = Severity::Warning;
        add(message, key);
      }
    if (auto cluster = root.find("cluster"); cluster != root.end())
      readCluster(*cluster);
    checkCluster();
    readText(root, "model_dir", config_.modelDir);
    readText(root, "session_master", config_.sessionMaster);
    readText(root, "eval_session_master", config_.evalSessionMaster);
    readText(root, "rpc_layer", config_.rpcLayer);
    if (!config_.rpcLayer.empty() && config_.rpcLayer != kGrpcLayer)
      fail("rpc_layer", "'" + config_.rpcLayer + "'", "\"grpc\", or no key");
    if (root.contains("model_dir") && config_.modelDir.empty() && !messages_.hasErrors())
      fail("model_dir", "an empty path", "a directory, or no key");
    if (auto service = root.find("service"); service != root.end() && !service->is_object())
      fail("service", "found " + service->dump(), "an object");
    else if (service != root.end())
      config_.service = service->dump();
    if (auto task = root.find("task"); task != root.end())
      readTask(*task);
    else if (!config_.tasks.empty())
      fail("task", "a cluster without a task", "{\"type\": ..., \"index\": ...}: which of its tasks this process is");
    if (root.contains("eval_session_master") && config_.self.role != "evaluator" && !messages_.hasErrors())
      fail("eval_session_master", "set for a task that is no evaluator", "no such key");
  }

private:
  void add(Message message, const std::string &field) {
    message.place.file = "TF_CONFIG";
    message.field = field;
    messages_.add(std::move(message));
  }
  void fail(const std::string &field, std::string what, std::string expected, std::string help = {}) {
    Message message = makeError("E0222", std::move(what), std::move(help));
    message.expected = std::move(expected);
    add(std::move(message), field);
  }

  void readText(const Json &root, const char *key, std::string &text) {
    auto found = root.find(key);
    if (found != root.end() && found->is_string())
      text = found->get<std::string>();
    else if (found != root.end())
      fail(key, "found " + found->dump(), "a text");
  }

  /// The role of a name, "" after an error.
  std::string roleOf(const std::string &name, const std::string &field) {
    if (name == "master")
      return "chief";
    if (std::find(kRoles.begin(), kRoles.end(), name) != kRoles.end())
      return name;
    fail(field, "unknown role '" + name + "'", "chief, worker, ps or evaluator", didYouMean(name, kRoles));
    return "";
  }

  void addTask(const std::string &role, int64_t index, const Json &address, const std::string &field) {
    if (!address.is_string())
      return fail(field, "found " + address.dump(), "\"host:port\"");
    const std::string text = address.get<std::string>();
    if (text.compare(0, 5, "unix:") == 0) {
      if (text.size() < 7 || text[5] != '/' || text.size() - 5 > kLongestSocketPath)
        return fail(field, "'" + text + "' is no address",
                    "unix:PATH, a path from / of at most " + std::to_string(kLongestSocketPath) + " bytes");
    } else {
      const size_t colon = text.rfind(':');
      int port = 0;
      const bool isNumber = colon != std::string::npos && readNumber(text.substr(colon + 1), port);
      if (!isNumber || colon == 0 || port < 1 || port > 65535)
        return fail(field, "'" + text + "' is no address", "host:port with a port of 1 to 65535, or unix:PATH");
    }
    for (const ClusterTask &other : config_.tasks)
      if (other.address == text)
        return fail(field, "'" + text + "' is also the address of " + other.role + " " + std::to_string(other.index),
                    "an address of its own for each task");
    config_.tasks.push_back({role, index, text});
  }

  void readCluster(const Json &cluster) {
    if (!cluster.is_object())
      return fail("cluster", "found " + cluster.dump(), "an object of roles");
    if (cluster.contains("chief") && cluster.contains("master"))
      return fail("cluster", "both 'chief' and 'master', its old name, are set", "one of them");
    config_.chiefIsMaster = cluster.contains("master");
    if (config_.chiefIsMaster && cluster.contains("evaluator"))
      return fail("cluster", "an evaluator beside a 'master', which evaluates itself", "\"chief\" for \"master\"");
    for (const auto &[name, list] : cluster.items()) {
      const std::string field = "cluster." + name, role = roleOf(name, field);
      if (role.empty())
        continue;
      if (list.is_array()) {
        for (size_t i = 0; i < list.size(); ++i)
          addTask(role, static_cast<int64_t>(i), list[i], field + "[" + std::to_string(i) + "]");
      } else if (list.is_object()) {
        for (const auto &[key, address] : list.items()) {
          int64_t index = -1;
          if (!readNumber(key, index) || index < 0)
            fail(field, "'" + key + "' is no index", "an integer >= 0");
          else
            addTask(role, index, address, field + "." + key);
        }
      } else {
        fail(field, "found " + list.dump(), "a list of addresses, or an object of indices and addresses");
      }
    }
  }

  int64_t count(const std::string &role) const {
    return std::count_if(config_.tasks.begin(), config_.tasks.end(),
                         [&](const ClusterTask &task) { return task.role == role; });
  }

  void checkCluster() {
    auto rank = [](const ClusterTask &task) { return std::find(kRoles.begin(), kRoles.end(), task.role); };
    std::sort(config_.tasks.begin(), config_.tasks.end(), [&](const ClusterTask &a, const ClusterTask &b) {
      return rank(a) != rank(b) ? rank(a) < rank(b) : a.index < b.index;
    });
    if (config_.tasks.empty() || messages_.hasErrors())
      return;
    for (const char *role : {"chief", "evaluator"})
      if (count(role) > 1)
        fail(std::string("cluster.") + role, std::to_string(count(role)) + " tasks of role " + role, "one");
    if (count("chief") > 0)
      return;
    config_.workerIsChief = count("worker") > 0;
    if (!config_.workerIsChief)
      fail("cluster", "a cluster without a chief and without a worker", "\"chief\": [\"host:port\"]");
  }

  void readTask(const Json &task) {
    if (!task.is_object())
      return fail("task", "found " + task.dump(), "an object");
    const bool clustered = !config_.tasks.empty();
    if (auto type = task.find("type"); type != task.end() && type->is_string()) {
      const std::string role = roleOf(type->get<std::string>(), "task.type");
      if (role.empty())
        return;
      config_.self.role = role;
    } else if (clustered || type != task.end()) {
      return fail("task.type", "which role this process has is not set", "chief, worker, ps or evaluator");
    }
    if (auto index = task.find("index"); index != task.end() && readIndex(*index, config_.self.index)) {
    } else if (clustered || index != task.end()) {
      return fail("task.index", "which task of its role this process is, is not set", "an integer >= 0");
    }
    if (messages_.hasErrors())
      return;
    const std::string name = config_.self.role + " " + std::to_string(config_.self.index);
    if (!clustered) {
      if (config_.self.role != "worker" || config_.self.index != 0)
        fail("task", "this process is " + name + " of no cluster", "worker 0, or a cluster");
      return;
    }
    const int64_t id = config_.globalId();
    if (config_.self.role == "evaluator" && config_.chiefIsMaster)
      return fail("task.type", "an evaluator beside a 'master', which evaluates itself", "\"chief\" for \"master\"");
    if (config_.self.role == "evaluator" && config_.self.index != 0)
      return fail("task.index", "this process is " + name, "0: there is one evaluator");
    if (config_.self.role == "evaluator" && id < 0)
      return; // it need not be listed
    if (id < 0)
      return fail("task.index", "this process is " + name + ", which the cluster does not list",
                  "an index below " + std::to_string(count(config_.self.role)));
    config_.self.address = config_.tasks[static_cast<size_t>(id)].address;
  }

  /// Some schedulers write the index as a text.
  static bool readIndex(const Json &value, int64_t &index) {
    if (value.is_number_unsigned() && value.get<uint64_t>() <= INT64_MAX) {
      index = value.get<int64_t>();
      return true;
    }
    return value.is_string() && readNumber(value.get<std::string>(), index) && index >= 0;
  }

  TfConfig &config_;
  MessageList &messages_;
};

} // namespace

bool parseTfConfig(std::string_view text, TfConfig &config, MessageList &messages) {
  const Json root = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) {
    Message message = makeError("E0222", root.is_discarded() ? "is no JSON" : "is no object");
    message.place.file = "TF_CONFIG";
    message.expected = "{\"cluster\": {...}, \"task\": {\"type\": ..., \"index\": ...}}";
    messages.add(std::move(message));
    return false;
  }
  MessageList found;
  Reader(config, found).read(root);
  for (const Message &message : found.messages())
    messages.add(message);
  return !found.hasErrors();
}

bool chooseModelDir(const TfConfig &config, const std::string &flag, std::string &modelDir, MessageList &messages) {
  modelDir = flag.empty() ? config.modelDir : flag;
  if (flag.empty() || config.modelDir.empty() || flag == config.modelDir)
    return true;
  Message message = makeError("E0222", "'" + config.modelDir + "' is not the directory that --model_dir names");
  message.place.file = "TF_CONFIG";
  message.field = "model_dir";
  message.expected = "'" + flag + "'";
  messages.add(std::move(message));
  return false;
}

static std::string nameOf(const TfConfig &config, const std::string &role) {
  return role == "chief" && config.chiefIsMaster ? "master" : role;
}

/// The value of "cluster": lists of addresses, or objects where indices are missing.
static Json clusterJson(const TfConfig &config) {
  Json cluster = Json::object();
  for (const std::string &role : kRoles) {
    std::vector<const ClusterTask *> tasks;
    for (const ClusterTask &task : config.tasks)
      if (task.role == role)
        tasks.push_back(&task);
    // In the order of their indices: the last one tells whether some are missing.
    const bool isSparse = !tasks.empty() && tasks.back()->index + 1 != static_cast<int64_t>(tasks.size());
    for (const ClusterTask *task : tasks)
      if (Json &list = cluster[nameOf(config, role)]; isSparse)
        list[std::to_string(task->index)] = task->address;
      else
        list.push_back(task->address);
  }
  return cluster;
}

std::string formatTfConfig(const TfConfig &config) {
  Json root = Json::object();
  if (!config.tasks.empty())
    root["cluster"] = clusterJson(config);
  root["task"] = {{"type", nameOf(config, config.self.role)}, {"index", config.self.index}};
  for (const auto &[key, text] : {std::pair("model_dir", &config.modelDir),
                                  {"session_master", &config.sessionMaster},
                                  {"eval_session_master", &config.evalSessionMaster},
                                  {"rpc_layer", &config.rpcLayer}})
    if (!text->empty())
      root[key] = *text;
  if (!config.service.empty())
    root["service"] = Json::parse(config.service, nullptr, /*allow_exceptions=*/false);
  return root.dump();
}

std::vector<TfConfig> localCluster(const ClusterSize &size, const std::vector<std::string> &addresses) {
  TfConfig cluster;
  for (int64_t i = 0; i < size.addresses(); ++i) {
    ClusterTask task = {"chief", 0, addresses[i]};
    if (i >= size.trainers)
      task = {"ps", i - size.trainers, addresses[i]};
    else if (i > 0)
      task = {"worker", i - 1, addresses[i]};
    cluster.tasks.push_back(std::move(task));
  }
  std::vector<TfConfig> views;
  auto addView = [&](const ClusterTask &self) {
    views.push_back(cluster);
    views.back().self = self;
  };
  for (int64_t i = 0; i < size.trainers; ++i)
    addView(cluster.tasks[i]);
  if (size.evaluator)
    addView({"evaluator", 0, {}}); // it is no part of the cluster
  for (int64_t i = size.trainers; i < size.addresses(); ++i)
    addView(cluster.tasks[i]);
  return views;
}

RunConfig runConfigOf(const TfConfig &config) {
  RunConfig run;
  const ClusterTask &self = config.self;
  run.taskType = nameOf(config, self.role);
  run.taskId = self.index;
  run.service = config.service;
  run.modelDir = config.modelDir;
  run.evaluationMaster = config.evalSessionMaster;
  run.clusterSpec = "{}";
  if (config.tasks.empty()) {
    run.isChief = true;
    run.master = config.sessionMaster;
    run.numWorkerReplicas = 1;
    run.globalId = self.index;
    return run;
  }
  if (self.role == "evaluator") // it is no part of the cluster that trains
    return run;
  run.isChief = self.role == "chief" || config.isChief();
  run.clusterSpec = clusterJson(config).dump();
  run.globalId = config.globalId();
  for (const ClusterTask &task : config.tasks) {
    run.numPsReplicas += task.role == "ps";
    run.numWorkerReplicas += task.role == "chief" || task.role == "worker";
  }
  if (!config.sessionMaster.empty())
    run.master = config.sessionMaster;
  else if (config.tasks.size() > 1)
    run.master = "grpc://" + self.address;
  if (self.role == "chief")
    run.deviceFilters = {"/job:ps", "/job:" + run.taskType};
  else if (self.role == "worker")
    run.deviceFilters = {"/job:ps", "/job:worker/task:" + std::to_string(self.index)};
  else
    run.deviceFilters = {"/job:ps", "/job:worker", "/job:chief", "/job:master"};
  return run;
}

std::vector<std::string> explainTfConfig(const TfConfig &config) {
  if (!config.isDistributed())
    return {config.tasks.empty() ? "no cluster: this process trains alone"
                                 : "a cluster of one task: this process trains alone, without connections"};
  const int64_t id = config.globalId();
  std::string self = "this process is " + config.self.role + " " + std::to_string(config.self.index);
  if (id >= 0)
    self +=
        ", task " + std::to_string(id) + " of " + std::to_string(config.tasks.size()) + ", at " + config.self.address;
  if (config.isChief() && config.self.role != "chief")
    self += "; there is no chief, so it is the chief";
  std::vector<std::string> lines = {self};
  for (const std::string &role : kRoles) {
    std::string addresses;
    for (const ClusterTask &task : config.tasks)
      if (task.role == role)
        addresses += (addresses.empty() ? "" : ", ") + std::to_string(task.index) + " at " + task.address;
    if (!addresses.empty())
      lines.push_back(role + ": " + addresses);
  }
  return lines;
}

} // namespace mlc::common
