// A transport that counts, and tells a timeline of, the calls that go through it. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_OBSERVEDTRANSPORT_H
#define MLCRT_CLUSTER_OBSERVEDTRANSPORT_H

#include "runtime/src/cluster/Transport.h"

#include <memory>

namespace mlcrt {

class RunObservation;

/// Does what `transport` does. Of each call to a peer it counts bytes by direction, the time that the peer had it
/// ("wait") and the time on the way, which push (request) and pull (reply) share by their bytes; the same as spans of a
/// track for each peer. Of each call that is answered here, the method, bytes and the time until the answer. Counts
/// into `run`, which answers that come late keep.
std::unique_ptr<Transport> observeTransport(std::unique_ptr<Transport> transport, std::shared_ptr<RunObservation> run);

} // namespace mlcrt

#endif // MLCRT_CLUSTER_OBSERVEDTRANSPORT_H
