// The attributes `mlc.` of modules and functions, which say of a program what no op of it does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_MLC_IR_MLC_H
#define DIALECTS_MLC_IR_MLC_H

#include "mlir/IR/Dialect.h"

namespace mlc {

//===-- of modules ------------------------------------------------------------------===//

/// The model's name.
inline constexpr llvm::StringLiteral kNameAttr = "mlc.name";
/// What programs print or check of the model, a JSON text (docs/manifest.md).
inline constexpr llvm::StringLiteral kManifestAttr = "mlc.manifest";
/// Values of settings that a program gives itself, by path.
inline constexpr llvm::StringLiteral kSettingsAttr = "mlc.settings";
/// Names of the eval sets that settings of a run may speak of, besides the unnamed one: an array of strings.
inline constexpr llvm::StringLiteral kEvalSetsAttr = "mlc.eval_sets";
/// Variables whose rows (axis 0) or columns (axis 1) stand for the terms of a vocabulary: an array of dictionaries
/// {variable, axis, table}, where the first and the last are symbols.
inline constexpr llvm::StringLiteral kVocabulariesAttr = "mlc.vocabularies";
/// Names for outputs of the predict function, for exports: a dictionary of {method, outputs} by the names of
/// signatures, where outputs are names of outputs by key, and the method is "classify", "regress" or "predict".
inline constexpr llvm::StringLiteral kSignaturesAttr = "mlc.signatures";
/// A text for each feature column: what of it the state depends on.
inline constexpr llvm::StringLiteral kColumnsAttr = "mlc.columns";
/// The spec that an estimator was made from.
inline constexpr llvm::StringLiteral kSpecAttr = "mlc.spec";
/// On modules from segments on: planFingerprint of what they were lowered from.
inline constexpr llvm::StringLiteral kPlanAttr = "mlc.plan";
/// Kernels of devices (mlcrt_image): an array of dictionaries {device_kind, chip, kind, data}, of strings; predict has
/// those of that entry alone; chip_sums, a unit attribute: kernels add in an order of the chip.
inline constexpr llvm::StringLiteral kImagesAttr = "mlc.images";
/// On a module in one that is lowered: it declares that one's segments.
inline constexpr llvm::StringLiteral kSegmentsAttr = "mlc.segments";

//===-- of functions ----------------------------------------------------------------===//

/// On a bound segment: for each buffer the dimension symbol of each dimension, or the one whose value a scalar holds.
inline constexpr llvm::StringLiteral kSymbolsAttr = "mlc.symbols";
/// In the place of a symbol: the dimension is static, or only the call knows it.
inline constexpr int64_t kNoSymbol = -1;
/// On a bound segment whose operands are signalled: for each buffer whether the segment waits before it reads it, or
/// tells when it is final.
inline constexpr llvm::StringLiteral kSignalsAttr = "mlc.signals";
enum Signal : int64_t { kNoSignal = 0, kAwait = 1, kDone = 2 };
/// The bytes of a segment's temporaries in the host's memory, and, with a number after it ('mlc.workspace.1'), of
/// those in another memory space: the number of dimension symbols, then for each slot the bytes of each symbol and
/// those that are always there.
inline constexpr llvm::StringLiteral kWorkspaceAttr = "mlc.workspace";

//===-- of arguments of functions ---------------------------------------------------===//

/// Of an argument that is bound to several features side by side: name and type of each, in their order.
inline constexpr llvm::StringLiteral kMatrixAttr = "mlc.matrix";

//===-- of ops ----------------------------------------------------------------------===//

/// On calls of services that codegen-lower-services has to make end the segment with the code they return.
inline constexpr llvm::StringLiteral kServiceCallAttr = "mlc.service_call";
/// On a loop that was a df.scan: its `parallel_iterations`.
inline constexpr llvm::StringLiteral kUnrollAttr = "mlc.unroll";
/// On the end of the body of a df.scan that becomes a loop: how many values it carries.
inline constexpr llvm::StringLiteral kCarriedAttr = "mlc.carried";
/// What somebody notes at an op; nothing reads it.
inline constexpr llvm::StringLiteral kNoteAttr = "mlc.note";

/// Has no ops: it owns these attributes, and verifies them.
class MlcDialect : public mlir::Dialect {
public:
  explicit MlcDialect(mlir::MLIRContext *context);
  ~MlcDialect() override;
  static constexpr llvm::StringLiteral getDialectNamespace() { return "mlc"; }

  llvm::LogicalResult verifyOperationAttribute(mlir::Operation *op, mlir::NamedAttribute attribute) override;
  llvm::LogicalResult verifyRegionArgAttribute(mlir::Operation *op, unsigned region, unsigned argument,
                                               mlir::NamedAttribute attribute) override;
};

} // namespace mlc

MLIR_DECLARE_EXPLICIT_TYPE_ID(mlc::MlcDialect)

#endif // DIALECTS_MLC_IR_MLC_H
