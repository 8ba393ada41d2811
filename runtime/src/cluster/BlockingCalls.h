// Calls that block, beside threads that must not. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_BLOCKINGCALLS_H
#define MLCRT_CLUSTER_BLOCKINGCALLS_H

#include <functional>

namespace mlcrt {

/// Calls of a name server or of a peer by OpenSSL, each on a thread of its own that gets no signals. Nobody waits for
/// them but the end of the process, which takes down what they use.
class BlockingCalls {
public:
  static void start(std::function<void()> call);

  /// Whether the process ends; a call that waits for a peer looks now and then, and returns.
  static bool isEnding();
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_BLOCKINGCALLS_H
