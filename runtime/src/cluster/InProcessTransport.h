// Messages between tasks of one process. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_INPROCESSTRANSPORT_H
#define MLCRT_CLUSTER_INPROCESSTRANSPORT_H

#include "runtime/src/cluster/Transport.h"

namespace mlcrt {

/// Tasks of one process by the names that they listen on; calls are handled on threads of the transport. What is sent
/// is what is received: nothing is copied but by who reads. Outlives its listeners and connections.
std::unique_ptr<Transport> makeInProcessTransport();

} // namespace mlcrt

#endif // MLCRT_CLUSTER_INPROCESSTRANSPORT_H
