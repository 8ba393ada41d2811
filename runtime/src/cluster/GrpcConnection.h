// The calling side of gRPC. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_GRPCCONNECTION_H
#define MLCRT_CLUSTER_GRPCCONNECTION_H

#include "runtime/src/cluster/GrpcEvents.h"

namespace mlcrt {

/// `peer` is what errors call the other side. Calls show `token`, if there is one, and complete on `events`.
std::unique_ptr<Connection> makeGrpcConnection(const std::shared_ptr<grpc::Channel> &channel,
                                               std::shared_ptr<EventQueue> events, std::string peer, std::string token,
                                               int64_t maxMessageBytes);

} // namespace mlcrt

#endif // MLCRT_CLUSTER_GRPCCONNECTION_H
