// Types of results, inferred by the ops: one statement of each op's type rule, for builders and verifiers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFINFERENCE_H
#define DIALECTS_DF_IR_DFINFERENCE_H

#include "dialects/Df/IR/DfSizeRule.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace mlc::df {

/// What an op class infers the types of its results in (`inferTypes`, declared by `Df_InfersTypes`): from operands,
/// attributes and regions, of an op that is there or of one that is to be built. Errors name the op.
class TypeInference {
public:
  /// Of an op to be built; without a location it fails silently.
  TypeInference(std::optional<mlir::Location> location, mlir::MLIRContext *context, llvm::StringRef name)
      : location(location), context(context), name(name) {}
  /// Of an op that is verified.
  explicit TypeInference(mlir::Operation *op);

  mlir::MLIRContext *getContext() const { return context; }
  mlir::Type i1() const { return mlir::IntegerType::get(context, 1); }
  mlir::Type i64() const { return mlir::IntegerType::get(context, 64); }
  mlir::Type string() const;

  /// Begins an error at the op, with its name before it.
  mlir::InFlightDiagnostic error(const llvm::Twine &message = {}) const;
  /// Fails with `(C<n>) <what>: found A and B` unless `ok`.
  llvm::LogicalResult require(bool ok, llvm::StringRef constraint, mlir::Type found, mlir::Type other) const;
  /// Fails with (C1) unless `axes` are strictly ascending dimensions of `type`.
  llvm::LogicalResult requireAxes(mlir::Type type, llvm::ArrayRef<int64_t> axes) const;
  /// Fails with `constraint` unless `axis`, the last one where it is not given, is a dimension of `type`.
  llvm::LogicalResult requireAxis(mlir::Type type, std::optional<uint64_t> axis,
                                  llvm::StringRef constraint = "(C1)") const;
  /// Whether an operand may have a type: of an op that is there as `df::fits` says, else by the rule for sizes.
  bool fits(mlir::Value operand, mlir::Type type) const;

  /// The type that `values` have by the rule: what each of them knows of it; null after an error if they have not one.
  mlir::Type join(llvm::ArrayRef<mlir::Value> values, llvm::StringRef constraint) const;

  /// The next result has `type`. `constraint` is what the verifier says of an op whose result does not.
  llvm::LogicalResult result(mlir::Type type, llvm::StringRef constraint);
  /// It has the type that `values` have by the rule: what each of them knows of it.
  llvm::LogicalResult joined(llvm::ArrayRef<mlir::Value> values, llvm::StringRef constraint);
  /// It has the shape that `values` have by the rule, and elements of type `element`.
  llvm::LogicalResult sameShape(llvm::ArrayRef<mlir::Value> values, mlir::Type element, llvm::StringRef constraint);

  /// Nothing tells the types: of an op that is verified they are those it has, without a check; else it fails.
  llvm::LogicalResult unknown();

  struct Result {
    mlir::Type type;
    llvm::StringRef constraint;
  };
  llvm::ArrayRef<Result> getResults() const { return results; }

private:
  std::optional<mlir::Location> location;
  mlir::MLIRContext *context;
  llvm::StringRef name;
  mlir::Operation *op = nullptr;
  llvm::SmallVector<Result, 2> results;
};

namespace detail {
/// Fails unless the results of `op` have the types that `inferred` holds, by the rule for sizes.
llvm::LogicalResult verifyResults(mlir::Operation *op, const TypeInference &inferred);
} // namespace detail

/// Trait of ops that infer the types of their results, which implements `InferTypeOpInterface` by their one function
/// `inferTypes`; the verifier compares by the same. ODS does not know of it and so generates no builders that infer:
/// those end the process where an inference fails. `df::build` infers.
template <typename ConcreteType> class InfersTypes : public mlir::InferTypeOpInterface::Trait<ConcreteType> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    TypeInference inference(op);
    typename ConcreteType::Adaptor adaptor(llvm::cast<ConcreteType>(op));
    if (failed(ConcreteType::inferTypes(inference, adaptor)))
      return llvm::failure();
    return detail::verifyResults(op, inference);
  }
  // What upstream would compare, `verifyTrait` has.
  static llvm::LogicalResult verifyRegionTrait(mlir::Operation *) { return llvm::success(); }

  static llvm::LogicalResult inferReturnTypes(mlir::MLIRContext *context, std::optional<mlir::Location> location,
                                              mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                                              mlir::OpaqueProperties properties, mlir::RegionRange regions,
                                              llvm::SmallVectorImpl<mlir::Type> &types) {
    TypeInference inference(location, context, ConcreteType::getOperationName());
    typename ConcreteType::Adaptor adaptor(operands, attributes, properties, regions);
    if (failed(ConcreteType::inferTypes(inference, adaptor)))
      return llvm::failure();
    for (const TypeInference::Result &each : inference.getResults())
      types.push_back(each.type);
    return llvm::success();
  }
  static bool isCompatibleReturnTypes(mlir::TypeRange inferred, mlir::TypeRange found) {
    return agree(inferred, found);
  }
};

/// Trait of ops whose result types say something that nothing else of the op does.
template <typename ConcreteType>
class FreeResultType : public mlir::OpTrait::TraitBase<ConcreteType, FreeResultType> {};

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFINFERENCE_H
