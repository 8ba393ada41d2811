// The version of a dialect in bytecode, and what makes programs of older versions current.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_SUPPORT_DIALECTVERSION_H
#define DIALECTS_SUPPORT_DIALECTVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Dialect.h"

namespace mlc {

struct DialectVersion : mlir::DialectVersion {
  explicit DialectVersion(uint64_t number) : number(number) {}
  uint64_t number;
};

/// Whether version `number` of the dialect, or a later one, has written what is read: asked by `readProperties` of an
/// op that got an attribute with that version.
template <typename Dialect> bool isWrittenBy(mlir::DialectBytecodeReader &reader, uint64_t number) {
  llvm::FailureOr<const mlir::DialectVersion *> version = reader.getDialectVersion<Dialect>();
  return failed(version) || static_cast<const DialectVersion *>(*version)->number >= number;
}

/// Writes the version of a dialect, refuses what a newer build has written and upgrades what an older one has. Version
/// 1 is the first; upgrade k, from 0, rewrites the ops of the dialect below an op from version k + 1 to k + 2, so there
/// is one version more than upgrades. Upgrades see ops before they are verified, as today's definitions read them: what
/// those cannot read (an op or an attribute that went) has to stay readable as long as there is an upgrade from it.
class VersionedBytecode : public mlir::BytecodeDialectInterface {
public:
  using Upgrade = llvm::LogicalResult (*)(mlir::Operation *root);

  explicit VersionedBytecode(mlir::Dialect *dialect, llvm::ArrayRef<Upgrade> upgrades = {})
      : BytecodeDialectInterface(dialect), upgrades(upgrades) {}

  /// The upgrade to a version that brought attributes alone: ops of the one before do not have them.
  static llvm::LogicalResult addNothing(mlir::Operation *) { return llvm::success(); }

  uint64_t getVersion() const { return upgrades.size() + 1; }

  void writeVersion(mlir::DialectBytecodeWriter &writer) const override { writer.writeVarInt(getVersion()); }

  std::unique_ptr<mlir::DialectVersion> readVersion(mlir::DialectBytecodeReader &reader) const override {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number >= 1 && number <= getVersion())
      return std::make_unique<DialectVersion>(number);
    reader.emitError() << "version " << number << " of the dialect '" << getDialect()->getNamespace()
                       << "' is unknown; expected one from 1 to " << getVersion()
                       << (number == 0 ? "" : ": a newer build has written it");
    return nullptr;
  }

  llvm::LogicalResult upgradeFromVersion(mlir::Operation *root, const mlir::DialectVersion &version) const override {
    for (Upgrade upgrade : upgrades.drop_front(static_cast<const DialectVersion &>(version).number - 1))
      if (failed(upgrade(root)))
        return llvm::failure();
    return llvm::success();
  }

private:
  llvm::ArrayRef<Upgrade> upgrades; ///< of static storage
};

} // namespace mlc

#endif // DIALECTS_SUPPORT_DIALECTVERSION_H
