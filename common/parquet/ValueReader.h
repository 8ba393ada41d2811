// The values of a page. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_PARQUET_VALUEREADER_H
#define MLC_COMMON_PARQUET_VALUEREADER_H

#include "common/parquet/Footer.h"
#include "common/parquet/Runs.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mlc::common::parquet {

/// One value: an integer or a bool, a real number, or bytes, as its column has them.
struct Value {
  int64_t integer = 0;
  double real = 0;
  float single = 0;
  /// Valid until the next value is read, and as long as the page.
  std::string_view bytes;
};

/// Reads values one after the other, all but those of dictionaries, which are numbers of values.
class ValueReader {
public:
  ValueReader() = default;
  /// The values of `bytes`, at most `most`. An encoding that such values cannot have, or a damaged head: `why` is set.
  ValueReader(const Column &column, Encoding encoding, std::string_view bytes, uint64_t most, std::string &why);

  /// False: damaged, or there is no further value.
  bool next(Value &value);

private:
  bool nextPlain(Value &value);
  bool nextLength(DeltaReader &lengths, std::string_view &value);
  bool nextFront(Value &value);
  bool nextSplit(Value &value);
  void store(const char *bytes, Value &value) const;

  Physical physical_ = Physical::Int32;
  Encoding encoding_ = Encoding::Plain;
  std::string_view bytes_; ///< that are left
  size_t width_ = 0;       ///< of values of a fixed size
  uint64_t number_ = 0;    ///< of the next value
  RunReader runs_;
  DeltaReader deltas_;  ///< integers; lengths; of DELTA_BYTE_ARRAY, what values share with the one before
  DeltaReader lengths_; ///< of DELTA_BYTE_ARRAY, of what comes after that
  std::string last_;
};

} // namespace mlc::common::parquet

#endif // MLC_COMMON_PARQUET_VALUEREADER_H
