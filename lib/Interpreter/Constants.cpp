// Conversion of constant attributes to the interpreter's tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Interpreter/Constants.h"

using namespace mlir;
using namespace mlc::interp;

FailureOr<Tensor> mlc::interp::tensorOf(ElementsAttr elements) {
  auto type = dyn_cast<RankedTensorType>(elements.getType());
  if (!type || !type.hasStaticShape())
    return failure();
  FailureOr<ElementKind> kind = elementKindOf(type.getElementType());
  if (failed(kind))
    return failure();
  Tensor result(*kind, type.getShape());
  int64_t i = 0;
  if (*kind == ElementKind::String) {
    auto strings = elements.tryGetValues<StringRef>();
    if (!strings)
      return failure();
    for (StringRef text : *strings)
      result.setString(i++, text.str());
  } else if (isFloatKind(*kind)) {
    auto numbers = elements.tryGetValues<APFloat>();
    if (!numbers)
      return failure();
    for (APFloat number : *numbers) {
      bool inexact;
      number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
      result.setFloat(i++, number.convertToDouble());
    }
  } else {
    auto numbers = elements.tryGetValues<APInt>();
    if (!numbers)
      return failure();
    for (const APInt &number : *numbers)
      result.setInteger(i++, number.getSExtValue());
  }
  return result;
}
