//===- Services.h - The table of services that compiled code calls ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_SERVICES_H
#define MLCRT_CORE_SERVICES_H

#include "mlcrt/abi.h"

namespace mlcrt {

/// Every service of services.def; their `env` must point to an Environment.
const mlcrt_services &services();

} // namespace mlcrt

#endif // MLCRT_CORE_SERVICES_H
