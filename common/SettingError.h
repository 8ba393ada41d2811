// Errors about settings that belong together. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_SETTINGERROR_H
#define MLC_COMMON_SETTINGERROR_H

#include "common/Settings.h"

#include <string>

namespace mlc::common {

/// An error about a setting, with the place where its value is from, if that is a line of a file.
Message settingError(const Setting &setting, const char *code, std::string what);

/// Whether the table has the setting `path`, and with a value.
bool hasValue(const SettingsTable &settings, const std::string &path);

} // namespace mlc::common

#endif // MLC_COMMON_SETTINGERROR_H
