// Reading and checking the policies of checkpoints of a part of the state.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/checkpoint/CheckpointPolicy.h"

#include "common/checkpoint/NameExpression.h"
#include "common/settings/SettingError.h"

#include <algorithm>

namespace mlc::common {

bool isDirectoryName(std::string_view name) {
  constexpr size_t kLongest = 100; // with the step and ".tmp" still a name that every file system takes
  auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  auto isInner = [&](char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !name.empty() && name.size() <= kLongest && isLetter(name[0]) &&
         std::all_of(name.begin(), name.end(), isInner);
}

bool isPolicyName(std::string_view name) { return isDirectoryName(name) && name != "ckpt" && name != "before"; }

/// Whether anything of a policy is set.
static bool isUsed(const SettingsTable &settings, const std::string &path) {
  for (const char *name : {".name", ".vars", ".every_n_steps"})
    if (hasValue(settings, path + name))
      return true;
  return false;
}

static bool readPolicy(const SettingsTable &settings, const std::vector<std::string> &variables,
                       const std::vector<CheckpointPolicy> &others, CheckpointPolicy &policy, MessageList &messages) {
  bool good = true;
  for (const char *needed : {"name", "vars", "every_n_steps"})
    if (const Setting *setting = settings.find(policy.path + "." + needed);
        !setting || !setting->value || setting->value->empty()) {
      Message message = makeError("E0223", std::string("a checkpoint policy needs '") + needed + "'");
      message.field = policy.path + "." + needed;
      messages.add(std::move(message));
      good = false;
    }
  if (!good)
    return false;
  const Setting &name = *settings.find(policy.path + ".name");
  policy.name = settings.getString(name.path).value_or("");
  auto isSame = [&](const CheckpointPolicy &other) { return other.name == policy.name; };
  if (!isPolicyName(policy.name)) {
    Message message = settingError(name, "E0223", "'" + policy.name + "' cannot begin names of directories here");
    message.expected = "a letter, then letters, digits, '_' and '-', at most 100; neither ckpt nor before";
    messages.add(std::move(message));
    good = false;
  } else if (std::any_of(others.begin(), others.end(), isSame)) {
    messages.add(settingError(name, "E0223", "two checkpoint policies are called '" + policy.name + "'"));
    good = false;
  }
  policy.everySteps = settings.getInt(policy.path + ".every_n_steps").value_or(1);
  policy.keep = settings.getInt(policy.path + ".keep").value_or(policy.keep);
  return chooseVariables(*settings.find(policy.path + ".vars"), "E0223", variables, policy.variables, messages) && good;
}

bool readCheckpointPolicies(const SettingsTable &settings, const std::vector<std::string> &variables,
                            std::vector<CheckpointPolicy> &policies, MessageList &messages) {
  bool good = true;
  for (int i = 0;; ++i) {
    CheckpointPolicy policy;
    policy.path = "train.checkpoint." + std::to_string(i);
    if (!settings.find(policy.path + ".name"))
      return good;
    if (!isUsed(settings, policy.path))
      continue;
    if (readPolicy(settings, variables, policies, policy, messages))
      policies.push_back(std::move(policy));
    else
      good = false;
  }
}

} // namespace mlc::common
