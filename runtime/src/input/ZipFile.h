// The members of a zip file, as numpy.savez writes it. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members that are stored or deflated, with or without zip64; neither encrypted nor spread over several files.
#ifndef MLCRT_INPUT_ZIPFILE_H
#define MLCRT_INPUT_ZIPFILE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/src/input/Unpack.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// A member of a zip file.
struct ZipMember {
  std::string name;
  bool isDeflated = false;
  uint32_t crc = 0;        ///< CRC-32 of the unpacked bytes
  int64_t size = 0;        ///< unpacked
  std::string_view stored; ///< as they stand in the file
};

/// Whether `bytes` begin as a zip file does.
bool isZip(std::string_view bytes);

/// The members of the whole file `bytes`, in the order of its directory. Nothing in it is trusted. kDataLoss (E0311)
/// names `path` and what is wrong: no directory, a member outside the file, an unknown method, two of one name.
absl::StatusOr<std::vector<ZipMember>> listZip(std::string_view path, std::string_view bytes);

/// Gives the unpacked bytes of a member to `sink`. kDataLoss (E0311): a damaged stream, or bytes whose number or
/// checksum is not the recorded one.
absl::Status unpackMember(std::string_view path, const ZipMember &member, const UnpackSink &sink);

} // namespace mlcrt

#endif // MLCRT_INPUT_ZIPFILE_H
