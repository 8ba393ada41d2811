// The calling side of sockets. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_SOCKETCONNECTION_H
#define MLCRT_CLUSTER_SOCKETCONNECTION_H

#include "runtime/src/cluster/SocketLoop.h"
#include "runtime/src/cluster/Transport.h"

namespace mlcrt {

/// `peer` is what errors call the other side. It reads, and calls back, on that thread.
std::unique_ptr<Connection> makeSocketConnection(std::shared_ptr<SocketThread> thread, const std::string &address,
                                                 const std::string &peer, const std::string &token,
                                                 int64_t maxMessageBytes);

} // namespace mlcrt

#endif // MLCRT_CLUSTER_SOCKETCONNECTION_H
