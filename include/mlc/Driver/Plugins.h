// Plug-ins: shared libraries with dialects or passes, which are linked with libMLC.so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_PLUGINS_H
#define MLC_DRIVER_PLUGINS_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace mlc {

/// Loads a plug-in, for as long as the process lives, and adds its dialects, with what they extend others by, to
/// `registry`. Fails, with the file and the reason, where the file cannot be loaded, lacks the entry
/// (mlirGetDialectPluginInfo), or was built with another mlc or for another version of MLIR's interface.
llvm::Error loadDialectPlugin(llvm::StringRef path, mlir::DialectRegistry &registry);

/// Registers the passes of a plug-in, if it has any, with the registry of the process.
llvm::Error registerPluginPasses(llvm::StringRef path);

/// Loads the plug-ins that --load-dialect-plugin and --load-pass-plugin name in the arguments of a program of
/// MlirOptMain, and registers passes of the latter. MlirOptMain does the same, but tells no reason where it cannot, and
/// knows no flags of passes that come with plug-ins.
llvm::Error loadPluginArguments(llvm::ArrayRef<const char *> arguments);

/// Loads the plug-ins that --load-dialect-plugin names, their passes included, and takes these out of the arguments of
/// a program that does not know them.
llvm::Error takePluginArguments(llvm::SmallVectorImpl<char *> &arguments, mlir::DialectRegistry &registry);

} // namespace mlc

#endif // MLC_DRIVER_PLUGINS_H
