//===- EstDialect.cpp - Registration and types of the est dialect --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "dialects/Est/IR/Est.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::est;

#include "dialects/Est/IR/EstDialect.cpp.inc"
#include "dialects/Est/IR/EstEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Est/IR/EstTypes.cpp.inc"

void EstDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Est/IR/EstTypes.cpp.inc"
      >();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Est/IR/Est.cpp.inc"
      >();
}

/// Fails unless `size`, the `what` of a type, is above 0.
static LogicalResult verifyPositive(function_ref<InFlightDiagnostic()> emitError, int64_t size, StringRef what) {
  if (size > 0)
    return success();
  return emitError() << what << " must be above 0; found " << size;
}

LogicalResult CategoricalType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t numBuckets) {
  return verifyPositive(emitError, numBuckets, "the number of buckets");
}

LogicalResult DenseType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t dimension) {
  return verifyPositive(emitError, dimension, "the dimension");
}

LogicalResult LogitsType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t dimension) {
  return verifyPositive(emitError, dimension, "the dimension");
}
