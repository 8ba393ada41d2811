// What a run finds, how it is told, and what a kernel costs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_REPORT_H
#define MLC_TEST_LIB_PTXEMU_REPORT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptxemu {

/// Results of the driver's calls that the emulator gives.
enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeinitialized = 4,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kUnsupportedPtxVersion = 222,
  kInvalidHandle = 400,
  kIllegalState = 401,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kPeerAccessAlreadyEnabled = 704,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kLaunchFailed = 719,
  kNotSupported = 801,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
  kStreamCaptureUnmatched = 903,
  kStreamCaptureUnjoined = 904,
  kStreamCaptureIsolation = 905,
  kStreamCaptureImplicit = 906,
  kCapturedEvent = 907,
  kGraphExecUpdateFailure = 910,
  kUnknown = 999,
};

/// A kind of mistake.
enum class Mistake : uint8_t {
  OutOfBounds,
  Misaligned,
  UseAfterFree,
  Uninitialized, ///< memory
  Undefined,     ///< a register
  Race,
  Deadlock,
  Barrier,  ///< mismatched
  InFlight, ///< an access to what an asynchronous operation still reads or writes
  Invalid,  ///< an operand that the instruction does not allow
  Trap,
  Launch,
  Hang,
};

/// One finding in a kernel.
struct Finding {
  Mistake mistake = Mistake::Invalid;
  std::string what; ///< e.g. "reads 4 bytes at 0x..."
  std::string kernel;
  int line = 0; ///< of the PTX; 0 if none
  unsigned block[3] = {0, 0, 0}, thread[3] = {0, 0, 0};
  bool hasThread = true;

  /// "kernel 'k', line 12, block (0,0,0), thread (3,0,0): race: ..."
  std::string text() const;
};

std::string_view nameOf(Mistake mistake);
/// The error that a launch ends with.
Result resultOf(Mistake mistake);

/// What launches of a kernel cost.
struct Counters {
  std::string kernel;
  uint64_t launches = 0;
  uint64_t blocks = 0;
  uint64_t instructions = 0; ///< of threads
  uint64_t warpInstructions = 0;
  uint64_t longestWarp = 0;    ///< instructions of the warp that had most
  uint64_t globalRequests = 0; ///< of warps, loads and stores
  uint64_t globalSectors = 0;  ///< of 32 bytes, that the requests touch
  uint64_t idealSectors = 0;   ///< that would hold as many bytes
  uint64_t sharedRequests = 0;
  uint64_t bankConflicts = 0; ///< wavefronts beyond the first of each request
  uint64_t matrixOps = 0;     ///< mma of warps, wgmma of warpgroups
  uint64_t atomics = 0;       ///< of threads
  uint64_t divergentBranches = 0;
  uint64_t barriers = 0;
  uint64_t asyncCopies = 0; ///< of threads; bulk copies

  void add(const Counters &other);
  std::string json() const;
};

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_REPORT_H
