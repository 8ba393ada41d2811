// Values as the text of a CSV cell. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_PARQUET_VALUETEXT_H
#define MLC_COMMON_PARQUET_VALUETEXT_H

#include "common/parquet/ValueReader.h"

namespace mlc::common::parquet {

/// Appends a value as pandas writes it to CSV: "True", "-3", "0.1", "3.0", "1e-05", "nan", "2026-11-28 09:30:00+00:00";
/// the digits of a number are as many as make the same number when they are read. `isWhole`: real numbers are read as
/// integers: "3", not "3.0". False for a decimal of more than 16 bytes.
bool appendValue(const Column &column, const Value &value, bool isWhole, std::string &out);

} // namespace mlc::common::parquet

#endif // MLC_COMMON_PARQUET_VALUETEXT_H
