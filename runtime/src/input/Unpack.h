// Unpacking of gzip and zstd streams. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_UNPACK_H
#define MLCRT_INPUT_UNPACK_H

#include "absl/status/status.h"
#include "runtime/src/input/InputFormat.h"

#include <functional>
#include <string_view>

namespace mlcrt {

/// Takes the next piece of the unpacked text.
using UnpackSink = std::function<absl::Status(std::string_view piece)>;

/// The compression that the first bytes of a file tell: Gzip, Zstd or None.
Compression detectCompression(std::string_view start);

/// Unpacks `packed`, all members (gzip) or frames (zstd) of it, into `sink`. `path` is for messages. Data errors: a
/// stream that ends early or is damaged, with the byte; anything that is no stream after the last one.
absl::Status unpack(std::string_view path, std::string_view packed, Compression compression, const UnpackSink &sink);

} // namespace mlcrt

#endif // MLCRT_INPUT_UNPACK_H
