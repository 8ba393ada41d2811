//===- SpecTesting.h - What the tests of specs share -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TEST_UNIT_COMPILER_FRONTEND_SPECTESTING_H
#define TEST_UNIT_COMPILER_FRONTEND_SPECTESTING_H

#include "mlc/Frontend/EstimatorSpec/Import.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <string>

namespace mlc::frontend {

/// A spec that is right, on 9 lines; tests change a piece of it.
inline std::string goodSpec() {
  return R"(name: "good"
input {
  csv { header: true }
  column { name: ["x", "z"]  dtype: FLOAT32 }
  column { name: "job"  dtype: STRING }
  column { name: "label"  dtype: INT64 }
}
feature_column { numeric { key: "x" } }
feature_column { categorical_with_hash_bucket { key: "job"  hash_bucket_size: 10 } }
feature_column { embedding { categorical_column: "job"  dimension: 4 } }
model { dnn { feature_columns: ["x", "job_embedding"]  hidden_units: [3] } }
head { label: "label"  binary_class {} }
)";
}

/// goodSpec() with `from`, which it must contain, replaced by `to`.
inline std::string changedSpec(const std::string &from, const std::string &to) {
  std::string text = goodSpec();
  size_t place = text.find(from);
  return place == std::string::npos ? "goodSpec() has no " + from : text.replace(place, from.size(), to);
}

/// The messages of importing `text` as file s.pbtxt, printed.
inline std::string messagesOf(const std::string &text) {
  mlir::MLIRContext context;
  common::MessageList messages;
  auto module = importEstimatorSpec(text, &context, {"s.pbtxt", "/specs"}, messages);
  return module ? "imported" : messages.format();
}

/// The directory of the repository.
inline std::string sourceDirectory() {
  const char *directory = std::getenv("MLC_SOURCE_DIR");
  return directory ? directory : ".";
}

/// A module as text.
inline std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

} // namespace mlc::frontend

#endif // TEST_UNIT_COMPILER_FRONTEND_SPECTESTING_H
