// Changes of the arguments and results of functions, with their bindings.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_SIGNATURE_H
#define DIALECTS_DF_UTILS_SIGNATURE_H

#include "dialects/Df/IR/DfFunctionOps.h"

namespace mlc::df {

/// Arguments that a function gets one by one, at its end. Its body has each at once; its type and the attributes of its
/// arguments, which are made anew as a whole, follow with finish(), which the destructor calls: until then nothing may
/// ask for them.
class AppendedArguments {
public:
  explicit AppendedArguments(FunctionOp function) : function(function) {}
  ~AppendedArguments() { finish(); }
  AppendedArguments(const AppendedArguments &) = delete;
  AppendedArguments &operator=(const AppendedArguments &) = delete;

  /// One with `df.binding` = (`kind`, `name`). `symbols` are those of its dynamic dimensions
  /// (SymbolicSizes::getSymbols); none: a first one is the rows of the batch.
  mlir::BlockArgument append(mlir::Type type, BindingKind kind, llvm::StringRef name, mlir::Location loc,
                             llvm::ArrayRef<int64_t> symbols = {});
  mlir::BlockArgument append(mlir::Type type, mlir::DictionaryAttr attributes, mlir::Location loc);
  void finish();

private:
  FunctionOp function;
  llvm::SmallVector<mlir::DictionaryAttr> attributes; ///< of those appended since the last finish()
};

/// Sets attributes of all arguments at once, as `update` changes them.
void updateArgAttrs(FunctionOp function, llvm::function_ref<void(unsigned, mlir::NamedAttrList &)> update);
/// The same of all results.
void updateResultAttrs(FunctionOp function, llvm::function_ref<void(unsigned, mlir::NamedAttrList &)> update);

/// A result of a function: the value returned and the attributes of the result.
struct FunctionResult {
  mlir::Value value;
  mlir::DictionaryAttr attributes;
};

/// A result bound to (`kind`, `name`), with the symbols of its dynamic dimensions.
FunctionResult boundResult(mlir::Value value, BindingKind kind, llvm::StringRef name,
                           llvm::ArrayRef<int64_t> symbols = {});

/// What `function` returns now.
llvm::SmallVector<FunctionResult> getFunctionResults(FunctionOp function);

/// Makes `function` return `results`: its type, result attributes and `df.return`.
void setFunctionResults(FunctionOp function, llvm::ArrayRef<FunctionResult> results);

/// `value` under another shape of as many elements; itself if it has the type.
mlir::Value reshapeTo(mlir::OpBuilder &builder, mlir::Value value, mlir::RankedTensorType type);

/// The `df.return` of `function`.
ReturnOp getReturn(FunctionOp function);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_SIGNATURE_H
