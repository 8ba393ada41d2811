// Plug-ins: shared libraries with dialects or passes, which are linked with libMLC.so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_PLUGINS_H
#define MLC_DRIVER_PLUGINS_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace mlc {

/// What a plug-in is loaded for: mlirGetDialectPluginInfo or mlirGetPassPluginInfo is its entry.
enum class PluginKind { Dialect, Pass };

/// Loads a plug-in for as long as the process lives, without registering anything of it. Fails, with the file and the
/// reason, where the file cannot be loaded, lacks the entry, or was built for another version of MLIR's interface.
llvm::Error checkPlugin(llvm::StringRef path, PluginKind kind);

/// Loads a plug-in and adds its dialects, with what they extend others by, to `registry`.
llvm::Error loadDialectPlugin(llvm::StringRef path, mlir::DialectRegistry &registry);

/// Checks the plug-ins that --load-dialect-plugin and --load-pass-plugin name in the arguments of a program of
/// MlirOptMain, which loads them, but tells no reason where it cannot.
llvm::Error checkPluginArguments(llvm::ArrayRef<const char *> arguments);

/// Loads the plug-ins that --load-dialect-plugin names, and takes these out of the arguments of a program that does not
/// know them.
llvm::Error takePluginArguments(llvm::SmallVectorImpl<char *> &arguments, mlir::DialectRegistry &registry);

} // namespace mlc

#endif // MLC_DRIVER_PLUGINS_H
