// Values of attributes as checkpoints keep them. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_MLC_IR_VALUETEXT_H
#define DIALECTS_MLC_IR_VALUETEXT_H

#include "mlir/IR/Attributes.h"

#include <string>

namespace mlc {

/// The value of an attribute, short: lists of more than 16 elements, as vocabularies are, by their size and a hash.
std::string valueText(mlir::Attribute value);

} // namespace mlc

#endif // DIALECTS_MLC_IR_VALUETEXT_H
