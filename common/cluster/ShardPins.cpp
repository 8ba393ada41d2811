// Reading and checking where servers are to hold variables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cluster/ShardPins.h"

#include "common/checkpoint/NameExpression.h"
#include "common/settings/SettingError.h"

#include <algorithm>

namespace mlc::common {

static bool readPin(const SettingsTable &settings, const std::vector<std::string> &variables, ShardPin &pin,
                    MessageList &messages) {
  const Setting *vars = settings.find(pin.path + ".vars");
  const bool hasPlace = hasValue(settings, pin.path + ".count") || hasValue(settings, pin.path + ".servers");
  if (!vars->value || vars->value->empty() || !hasPlace) {
    Message message = makeError("E0225", hasPlace ? "shards of what?" : "neither count nor servers is set");
    message.field = pin.path + (hasPlace ? ".vars" : ".count");
    message.expected = hasPlace ? "expressions that match names of variables" : "a number of shards, or servers";
    messages.add(std::move(message));
    return false;
  }
  pin.count = settings.getInt(pin.path + ".count").value_or(0);
  bool good = true;
  if (const Setting *servers = settings.find(pin.path + ".servers"); servers && servers->value) {
    for (const SettingScalar &scalar : *servers->value) {
      const int64_t server = std::get<int64_t>(scalar);
      if (std::find(pin.servers.begin(), pin.servers.end(), server) != pin.servers.end()) {
        messages.add(settingError(*servers, "E0225", "server " + std::to_string(server) + " is there twice"));
        good = false;
      }
      pin.servers.push_back(server);
    }
    if (pin.count && !pin.servers.empty() && pin.count != static_cast<int64_t>(pin.servers.size())) {
      messages.add(settingError(*servers, "E0225",
                                std::to_string(pin.count) + " shards on " + std::to_string(pin.servers.size()) +
                                    " servers: a server holds one shard of a variable"));
      good = false;
    }
  }
  return chooseVariables(*vars, "E0225", variables, pin.variables, messages) && good;
}

bool readShardPins(const SettingsTable &settings, const std::vector<std::string> &variables,
                   std::vector<ShardPin> &pins, MessageList &messages) {
  bool good = true;
  for (int i = 0;; ++i) {
    ShardPin pin;
    pin.path = "train.shards." + std::to_string(i);
    if (!settings.find(pin.path + ".vars"))
      return good;
    if (!hasValue(settings, pin.path + ".vars") && !hasValue(settings, pin.path + ".count") &&
        !hasValue(settings, pin.path + ".servers"))
      continue;
    if (readPin(settings, variables, pin, messages))
      pins.push_back(std::move(pin));
    else
      good = false;
  }
}

} // namespace mlc::common
