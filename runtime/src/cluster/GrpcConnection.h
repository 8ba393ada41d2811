// The calling side of gRPC. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_GRPCCONNECTION_H
#define MLCRT_CLUSTER_GRPCCONNECTION_H

#include "runtime/src/cluster/GrpcEvents.h"

namespace mlcrt {

/// Says why no connection comes about, if that is known and trying again does not help; may block for seconds.
using Diagnose = std::function<absl::Status()>;

/// `peer` is what errors call the other side. Calls show `token`, if there is one, and complete on `events`. Those that
/// do not reach the peer ask `diagnose`, if set, and get its error instead of kUnavailable.
std::unique_ptr<Connection> makeGrpcConnection(const std::shared_ptr<grpc::Channel> &channel,
                                               std::shared_ptr<EventQueue> events, std::string peer, std::string token,
                                               int64_t maxMessageBytes, Diagnose diagnose);

} // namespace mlcrt

#endif // MLCRT_CLUSTER_GRPCCONNECTION_H
