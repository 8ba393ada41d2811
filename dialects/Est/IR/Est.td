//===- The est dialect: umbrella of its TableGen files. -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_EST
#define MLC_EST

include "dialects/Est/IR/EstColumnOps.td"
include "dialects/Est/IR/EstModelOps.td"
include "dialects/Est/IR/EstTrainingOps.td"

#endif // MLC_EST
