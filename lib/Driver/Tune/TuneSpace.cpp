// Reading what to try, and drawing trials.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Driver/Tune/TuneSpace.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace mlc;

static std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

/// One mark of the metadata.
static bool readMark(llvm::StringRef path, llvm::StringRef text, std::vector<TuneSetting> &space,
                     common::MessageList &messages) {
  TuneSetting setting;
  setting.path = path.str();
  llvm::StringRef range = text.trim();
  setting.isLog = range.consume_back(" log");
  auto [low, high] = range.split(" to ");
  bool good = !high.empty() && !low.trim().getAsDouble(setting.min) && !high.trim().getAsDouble(setting.max) &&
              setting.min < setting.max && (!setting.isLog || setting.min > 0);
  if (!good && !setting.isLog) {
    llvm::SmallVector<llvm::StringRef> parts;
    text.split(parts, '|');
    for (llvm::StringRef part : parts)
      setting.values.push_back(part.trim().str());
    good = parts.size() > 1;
  }
  if (good) {
    space.push_back(std::move(setting));
    return true;
  }
  common::Message message = common::makeError("E0227", "'" + text.str() + "' is nothing to try");
  message.field = "metadata.tune:" + path.str();
  message.expected = "\"A | B | C\", \"MIN to MAX\", or \"MIN to MAX log\" of numbers above 0";
  messages.add(std::move(message));
  return false;
}

/// Learning rates and penalties within a factor of 8 of those that a message has.
static void addRates(const llvm::json::Object &message, const std::string &path, std::vector<TuneSetting> &space) {
  std::vector<std::pair<std::string, const llvm::json::Object *>> children;
  for (const auto &field : message)
    if (const llvm::json::Object *child = field.second.getAsObject())
      children.emplace_back(field.first.str(), child);
  std::sort(children.begin(), children.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  if (std::optional<double> rate = message.getNumber("learning_rate"); rate && *rate > 0)
    space.push_back({path + ".learning_rate", {}, *rate / 8, *rate * 8, true});
  if (std::optional<double> l2 = message.getNumber("l2"); l2 && *l2 > 0)
    space.push_back({path + ".l2", {}, *l2 / 8, *l2 * 8, true});
  for (auto &[name, child] : children)
    addRates(*child, path + "." + name, space);
}

static void addDefaults(const llvm::json::Object &spec, std::vector<TuneSetting> &space) {
  const llvm::json::Object *model = spec.getObject("model");
  std::string path = "model";
  if (const llvm::json::Object *both = model ? model->getObject("dnn_linear_combined") : nullptr) {
    model = both;
    path += ".dnn_linear_combined";
  }
  if (model)
    addRates(*model, path, space);
  if (model && model->getObject("dnn")) {
    space.push_back({path + ".dnn.dropout", {"0", "0.1", "0.2", "0.3", "0.5"}});
    space.push_back({path + ".dnn.hidden_units", {"32", "64,32", "128,64", "256,128,64"}});
  }
  const llvm::json::Object *train = spec.getObject("train");
  const int64_t batch = train ? train->getInteger("batch_size").value_or(128) : 128;
  space.push_back(
      {"train.batch_size",
       {std::to_string(std::max<int64_t>(1, batch / 2)), std::to_string(batch), std::to_string(2 * batch)}});
}

bool mlc::readTuneSpace(const llvm::json::Object &spec, std::vector<TuneSetting> &space,
                        common::MessageList &messages) {
  bool good = true;
  if (const llvm::json::Object *metadata = spec.getObject("metadata")) {
    std::vector<std::pair<llvm::StringRef, llvm::StringRef>> marks;
    for (const auto &[key, value] : *metadata)
      if (llvm::StringRef path = key; path.consume_front("tune:"))
        marks.emplace_back(path, value.getAsString().value_or(""));
    std::sort(marks.begin(), marks.end());
    for (auto [path, text] : marks)
      good &= readMark(path, text, space, messages);
  }
  if (good && space.empty())
    addDefaults(spec, space);
  return good;
}

/// A number in [0, 1) of seed, trial and setting (splitmix64).
static double uniform(uint64_t seed, uint64_t trial, uint64_t setting) {
  uint64_t mixed = seed;
  for (uint64_t part : {trial, setting}) {
    mixed += 0x9e3779b97f4a7c15u * (part + 1);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
  }
  return static_cast<double>(mixed >> 11) * 0x1p-53;
}

std::vector<std::pair<std::string, std::string>> mlc::drawTrial(const std::vector<TuneSetting> &space, uint64_t seed,
                                                                int64_t trial) {
  std::vector<std::pair<std::string, std::string>> values;
  for (size_t i = 0; trial > 0 && i < space.size(); ++i) {
    const TuneSetting &setting = space[i];
    const double u = uniform(seed, static_cast<uint64_t>(trial), i);
    std::string text;
    if (!setting.values.empty())
      text = setting.values[static_cast<size_t>(u * static_cast<double>(setting.values.size()))];
    else if (setting.isLog)
      text = numberText(setting.min * std::pow(setting.max / setting.min, u));
    else
      text = numberText(setting.min + u * (setting.max - setting.min));
    values.emplace_back(setting.path, std::move(text));
  }
  return values;
}
