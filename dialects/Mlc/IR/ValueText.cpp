// Values of attributes as checkpoints keep them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Mlc/IR/ValueText.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <farmhash.h>

using namespace mlir;

std::string mlc::valueText(Attribute value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto list = dyn_cast<ArrayAttr>(value);
  if (auto string = dyn_cast<StringAttr>(value)) {
    stream << string.getValue();
  } else if (auto numbers = dyn_cast<DenseF32ArrayAttr>(value)) {
    llvm::interleave(numbers.asArrayRef(), stream, [&](float number) { stream << llvm::format("%.9g", number); }, ",");
  } else if (auto number = dyn_cast<IntegerAttr>(value)) {
    stream << number.getValue();
  } else if (list && list.size() > 16) {
    std::string whole;
    llvm::raw_string_ostream(whole) << value;
    stream << list.size() << " of hash " << llvm::format_hex_no_prefix(util::Fingerprint64(whole), 16);
  } else {
    stream << value;
  }
  return text;
}
