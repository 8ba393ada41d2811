// The serving side of sockets. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_SOCKETLISTENER_H
#define MLCRT_CLUSTER_SOCKETLISTENER_H

#include "runtime/src/cluster/SocketAddress.h"
#include "runtime/src/cluster/SocketLoop.h"
#include "runtime/src/cluster/Transport.h"

namespace mlcrt {

/// `bound`: what is bound for `address`. Of `security` the token counts, and who is told of refusals. Calls are read
/// and handled on these threads, those of a connection on one.
absl::StatusOr<std::unique_ptr<Listener>> makeSocketListener(const std::string &address, const std::string &bound,
                                                             Service &service, const TransportSecurity &security,
                                                             int64_t maxMessageBytes,
                                                             std::vector<std::shared_ptr<SocketThread>> threads);

} // namespace mlcrt

#endif // MLCRT_CLUSTER_SOCKETLISTENER_H
