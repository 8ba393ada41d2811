// What is wrong with certificates, in words. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gRPC says of a handshake that failed no more than that it did. These look for themselves, with OpenSSL, which gRPC
// stands on.
#ifndef MLCRT_CLUSTER_TLSCHECK_H
#define MLCRT_CLUSTER_TLSCHECK_H

#include "runtime/src/cluster/SocketAddress.h"

#include <chrono>
#include <string>
#include <string_view>

namespace mlcrt {

/// Whether a task's own files make sense: kInvalidArgument names the file and what is wrong with it. The key is that of
/// the certificate, which the authority signed and whose time has come and is not over. `listensAt`, if not empty:
/// "host:port" that peers will look for in it.
absl::Status checkOwnCertificate(const TransportSecurity &security, const std::string &listensAt);

/// Tries a handshake with who listens at an address. kFailedPrecondition: what one side finds wrong with the other's
/// certificate, or that it does not speak TLS, which trying again does not mend. OK if all is well, or nobody answers
/// there. Blocks for `patience` at most.
absl::Status diagnoseTls(const TransportSecurity &security, const std::string &address,
                         std::chrono::milliseconds patience);

/// The same of a task without TLS: kFailedPrecondition if who listens there speaks TLS.
absl::Status diagnosePlain(const std::string &address, std::chrono::milliseconds patience);

/// An alert by which who listens without TLS tells who calls with it.
std::string_view noTlsAlert();

} // namespace mlcrt

#endif // MLCRT_CLUSTER_TLSCHECK_H
