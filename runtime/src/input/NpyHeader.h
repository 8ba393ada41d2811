// The .npy format of numpy: its header and its texts. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "\x93NUMPY", version 1.0, 2.0 or 3.0, the length of a header, the header: a Python dict with the keys descr,
// fortran_order and shape, then the elements. Little-endian and row-major arrays only. bf16, which numpy lacks, is
// '|V2'. Texts have a fixed width: '|S7' bytes, '<U7' UTF-32; zeros at their end are no part of them.
#ifndef MLCRT_INPUT_NPYHEADER_H
#define MLCRT_INPUT_NPYHEADER_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mlcrt/abi.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// What the header of a .npy file says.
struct NpyHeader {
  mlcrt_dtype dtype = MLCRT_F32; ///< MLCRT_STRING: texts of elementBytes bytes
  int64_t elementBytes = 0;
  bool isWide = false; ///< texts are UTF-32
  std::vector<int64_t> shape;
  size_t begin = 0; ///< of the elements, from the start of the file
};

/// Whether `bytes` begin as a .npy file does.
bool isNpy(std::string_view bytes);

/// Reads the header of a whole file `bytes` and checks that the elements are there. kDataLoss (E0311) names `path`,
/// `array` (of a file with several; may be empty), what is wrong and what was expected.
absl::StatusOr<NpyHeader> readNpyHeader(std::string_view path, std::string_view array, std::string_view bytes);

/// numpy's name of a dtype: "<f4"; empty for MLCRT_STRING.
std::string_view npyDescr(int32_t dtype);
/// All that stands before the elements of a file; they begin at a multiple of 64 bytes.
std::string npyFront(std::string_view descr, const int64_t *dims, int32_t rank);

/// Whether every byte is 0 or 1.
bool areBools(std::string_view bytes);
/// Adds the text of one element to `out`; false if it has a character that is none.
bool appendNpyText(std::string_view cell, bool isWide, std::string &out);

/// The finding (E0311) about `array`, which may be empty, of file `path`.
absl::Status arrayError(std::string_view path, std::string_view array, std::string what, std::string_view expected = {},
                        std::string_view help = {});

} // namespace mlcrt

#endif // MLCRT_INPUT_NPYHEADER_H
