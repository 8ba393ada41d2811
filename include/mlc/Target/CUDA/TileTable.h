// The tiles that products on GPUs have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_CUDA_TILETABLE_H
#define MLC_TARGET_CUDA_TILETABLE_H

#include "common/kernels/KernelTable.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace mlc::cuda {

using common::Tile;

/// The tiles that there is code for of a kind of common::kKernelKinds, from large to small.
llvm::ArrayRef<Tile> tilesOf(llvm::StringRef kind);

/// Parts that an inner dimension of `k` is cut into where a line says `splits`: whole chunks of the tile, some at
/// least.
int64_t partsOf(const Tile &tile, int64_t splits, int64_t k);

/// What products have where no table is given, on any chip: the largest tile that is not mostly empty and of which
/// there are enough for all multiprocessors.
const common::KernelTable &builtInTiles();

/// Whether there are chips and tiles as the lines say; else `messages` has got what there is not (E0228).
bool checkTiles(const std::string &file, const common::KernelTable &table, common::MessageList &messages);

/// The lines of `table`, which is checked, for code of `chips` (none: those of chipsOrDefault): those of the class of
/// the latest one that it has lines of, else of any; launches are the same on all. False: there are none of a kind;
/// `messages` has got it.
bool selectTiles(const std::string &file, const common::KernelTable &table, const std::vector<std::string> &chips,
                 common::KernelTable &selected, common::MessageList &messages);

/// The table of an op's module (kern::kKernelTableAttr), or builtInTiles(). Fails with an error at the module if what
/// the attribute holds is none, or has no line for some products.
mlir::FailureOr<common::KernelTable> tilesFor(mlir::Operation *op);

} // namespace mlc::cuda

#endif // MLC_TARGET_CUDA_TILETABLE_H
