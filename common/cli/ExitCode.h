// The exit codes of every command line of the project. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_EXITCODE_H
#define MLC_COMMON_EXITCODE_H

namespace mlc::common {

/// What a process of ours exits with. 1..127: trying again does not help; >= 128: it may.
enum class ExitCode {
  Success = 0,
  Internal = 1,          ///< a bug of ours
  Differs = 1,           ///< diff: the two are not equal, as diff(1) says it
  Usage = 2,             ///< command line or spec
  Corrupt = 3,           ///< corrupt or unreadable data, checkpoint or artifact
  Mismatch = 4,          ///< version, fingerprint or CPU features do not fit
  NanLoss = 5,           ///< the loss became NaN or infinite
  OutputNotWritable = 6, ///< model_dir or an output file
  CompileFailed = 7,
  Interrupted = 130, ///< SIGINT, after saving
  Terminated = 143,  ///< SIGTERM, after saving
  PeerLost = 193,    ///< a task of the cluster does not answer
  DiskFull = 194,    ///< trying again helps once there is room
  DeviceLost = 195,  ///< a GPU does not work any more; trying again may help
};

/// The number for exit().
constexpr int exitStatus(ExitCode code) { return static_cast<int>(code); }

} // namespace mlc::common

#endif // MLC_COMMON_EXITCODE_H
