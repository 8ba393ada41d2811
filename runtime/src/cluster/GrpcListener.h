// The serving side of gRPC. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_GRPCLISTENER_H
#define MLCRT_CLUSTER_GRPCLISTENER_H

#include "runtime/src/cluster/SocketAddress.h"
#include "runtime/src/cluster/Transport.h"

#include <grpcpp/security/server_credentials.h>

namespace mlcrt {

/// `bound` is the address that is bound, `address` what peers call it. Calls show the token of `security`, if there is
/// one.
/// kUnavailable if it cannot be bound.
absl::StatusOr<std::unique_ptr<Listener>> makeGrpcListener(const std::string &address, const std::string &bound,
                                                           Service &service,
                                                           const std::shared_ptr<grpc::ServerCredentials> &credentials,
                                                           const TransportSecurity &security, int64_t maxMessageBytes);

} // namespace mlcrt

#endif // MLCRT_CLUSTER_GRPCLISTENER_H
