//===- EstDialect.cpp - Registration and types of the est dialect --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "dialects/Est/IR/Est.h"
#include "dialects/Est/IR/EstNames.h"
#include "dialects/Support/DialectVersion.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlc::est;

#include "dialects/Est/IR/EstDialect.cpp.inc"
#include "dialects/Est/IR/EstEnums.cpp.inc"

/// "28x28xfloat32"; "float32" for an empty shape.
static ParseResult parseShapedDType(AsmParser &parser, SmallVector<int64_t> &shape, DType &dtype) {
  if (parser.parseDimensionList(shape, /*allowDynamic=*/true, /*withTrailingX=*/true))
    return failure();
  FailureOr<DType> parsed = FieldParser<DType>::parse(parser);
  if (failed(parsed))
    return failure();
  dtype = *parsed;
  return success();
}

static void printShapedDType(AsmPrinter &printer, ArrayRef<int64_t> shape, DType dtype) {
  for (int64_t size : shape)
    (ShapedType::isDynamic(size) ? printer << '?' : printer << size) << 'x';
  printer << stringifyDType(dtype);
}

#define GET_TYPEDEF_CLASSES
#include "dialects/Est/IR/EstTypes.cpp.inc"

/// Version 2: est.estimator got a precision.
static constexpr mlc::VersionedBytecode::Upgrade kUpgrades[] = {mlc::VersionedBytecode::addNothing};

void EstDialect::initialize() {
  addInterface<mlc::VersionedBytecode>(kUpgrades);
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

LogicalResult EstDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  if (attr.getName() == names::kBackupInitializers && isa<EstimatorOp>(op)) {
    auto backups = dyn_cast<DictionaryAttr>(attr.getValue());
    const bool isGood = backups && llvm::all_of(backups, [](NamedAttribute each) {
                          return isa<EstDialect>(each.getValue().getDialect());
                        });
    return isGood ? success()
                  : op->emitOpError() << attr.getName().getValue()
                                      << " must be a dictionary of initializers, such as {\"w\" = #est.glorot_uniform}";
  }
  if (llvm::is_contained({names::kTellsLoss, names::kNamesInMetrics}, attr.getName()) && isa<EstimatorOp>(op))
    return isa<UnitAttr>(attr.getValue())
               ? success()
               : op->emitOpError() << attr.getName().getValue() << " must be a unit attribute";
  return op->emitOpError("has the attribute '")
         << attr.getName().getValue() << "', which the est dialect does not have";
}

/// Fails unless `size`, the `what` of a type, is above 0.
static LogicalResult verifyPositive(function_ref<InFlightDiagnostic()> emitError, int64_t size, StringRef what) {
  if (size > 0)
    return success();
  return emitError() << what << " must be above 0; found " << size;
}

int64_t FeatureType::getNumElements() const {
  int64_t elements = 1;
  for (int64_t size : getShape())
    elements *= size;
  return elements;
}

LogicalResult FeatureType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape, DType) {
  if (shape == ArrayRef<int64_t>(ShapedType::kDynamic))
    return success();
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      return emitError() << "a multi-valued feature has the shape '?' and no other dimension";
    if (failed(verifyPositive(emitError, size, "a dimension")))
      return failure();
    if (llvm::MulOverflow(elements, size, elements))
      return emitError() << "the shape has more elements than 64 bits count";
  }
  return success();
}

LogicalResult CategoricalType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t numBuckets) {
  return verifyPositive(emitError, numBuckets, "the number of buckets");
}

LogicalResult DenseType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t dimension) {
  return verifyPositive(emitError, dimension, "the dimension");
}

LogicalResult SequenceType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t dimension) {
  return verifyPositive(emitError, dimension, "the dimension");
}

LogicalResult LogitsType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t dimension) {
  return verifyPositive(emitError, dimension, "the dimension");
}

LogicalResult StepLogitsType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t dimension) {
  return verifyPositive(emitError, dimension, "the dimension");
}
