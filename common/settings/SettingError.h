// Errors about settings that belong together. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_SETTINGERROR_H
#define MLC_COMMON_SETTINGERROR_H

#include "common/settings/Settings.h"

#include <cstddef>
#include <string>
#include <vector>

namespace mlc::common {

/// An error about a setting, with the place where its value is from, if that is a line of a file.
Message settingError(const Setting &setting, const char *code, std::string what);

/// The variables, by their indices in `names`, that any of the setting's regular expressions matches from its
/// beginning. One that matches none is an error of this code; false after one.
bool chooseVariables(const Setting &setting, const char *code, const std::vector<std::string> &names,
                     std::vector<size_t> &variables, MessageList &messages);

/// Whether the table has the setting `path`, and with a value.
bool hasValue(const SettingsTable &settings, const std::string &path);

} // namespace mlc::common

#endif // MLC_COMMON_SETTINGERROR_H
