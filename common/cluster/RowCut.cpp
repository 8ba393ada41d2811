// Reading and checking which rows are held out for validation.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cluster/RowCut.h"

#include "common/settings/SettingError.h"

namespace mlc::common {

bool RowCut::holdsOut(uint64_t hash) const {
  // The finalizer of splitmix64: the seeds give independent cuts.
  uint64_t mixed = hash + static_cast<uint64_t>(seed) * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  mixed ^= mixed >> 31;
  return static_cast<double>(mixed >> 11) * 0x1p-53 < share;
}

bool readRowCut(const SettingsTable &settings, const std::vector<std::string> &evalSets, std::optional<RowCut> &cut,
                MessageList &messages) {
  static const std::string kPath = "train.validation";
  const bool byShare = hasValue(settings, kPath + ".share");
  const bool hasColumn = hasValue(settings, kPath + ".column"), hasFrom = hasValue(settings, kPath + ".from");
  cut.reset();
  if (byShare && (hasColumn || hasFrom)) {
    Message message = settingError(*settings.find(kPath + ".share"), "E0226", "rows are cut by share or by column");
    message.help = "--unset train.validation." + std::string(hasColumn ? "column" : "from");
    messages.add(std::move(message));
    return false;
  }
  if (hasColumn != hasFrom) {
    const char *set = hasColumn ? ".column" : ".from", *missing = hasColumn ? "from" : "column";
    Message message =
        settingError(*settings.find(kPath + set), "E0226", std::string("a cut by column needs '") + missing + "', too");
    message.expected = "the column, and its first value that is held out";
    messages.add(std::move(message));
    return false;
  }
  if (byShare || hasColumn) {
    cut.emplace();
    cut->share = settings.getFloat(kPath + ".share").value_or(0);
    cut->seed = settings.getInt(kPath + ".seed").value_or(0);
    cut->column = settings.getString(kPath + ".column").value_or("");
    cut->from = settings.getString(kPath + ".from").value_or("");
    return true;
  }
  for (const std::string &name : evalSets) {
    const std::string path = (name.empty() ? "eval" : "eval." + name) + ".on_validation";
    if (!settings.getBool(path).value_or(false))
      continue;
    Message message = settingError(*settings.find(path), "E0226", "no rows are held out for validation");
    message.help = "train { validation { share: 0.2 } }";
    messages.add(std::move(message));
    return false;
  }
  return true;
}

} // namespace mlc::common
