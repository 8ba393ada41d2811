// Messages over gRPC. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generic method /mlc.Task/METHOD whose request and reply are messages in byte buffers (GrpcMessage.h): one each way,
// or several where the payload is large. Slices of the payload are handed to gRPC where they lie.
#ifndef MLCRT_CLUSTER_GRPCTRANSPORT_H
#define MLCRT_CLUSTER_GRPCTRANSPORT_H

#include "runtime/src/cluster/SocketAddress.h"
#include "runtime/src/cluster/Transport.h"

namespace mlcrt {

/// kInvalidArgument if only some of the files are named or one cannot be read. `maxMessageBytes` bounds what is
/// received: larger messages are refused with kResourceExhausted. A reply of more than 2 GiB needs a place.
absl::StatusOr<std::unique_ptr<Transport>> makeGrpcTransport(const TransportSecurity &security,
                                                             int64_t maxMessageBytes);

} // namespace mlcrt

#endif // MLCRT_CLUSTER_GRPCTRANSPORT_H
