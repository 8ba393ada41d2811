// The runtime's services as mlcrt/services.def declares them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_IR_KERNSERVICES_H
#define DIALECTS_KERN_IR_KERNSERVICES_H

#include "dialects/Kern/IR/Kern.h"

namespace mlc::kern {

/// A parameter of a service's C function, after `env`.
struct ServiceParameter {
  enum class Kind {
    In,   ///< a pointer to constant elements
    Out,  ///< a pointer to elements that the service writes
    Text, ///< a null-terminated text
    I32,
    I64,
    Other ///< what no operand of kern.service is: a function
  };
  /// What a pointer points to.
  enum class Element { Any, I8, I64, F32, F64, String };

  Kind kind;
  Element element = Element::Any;
};

struct ServiceDescription {
  llvm::StringLiteral name;
  llvm::SmallVector<ServiceParameter> parameters;
};

/// The service called `name`, or null.
const ServiceDescription *lookupService(llvm::StringRef name);

/// (C3) of kern.service: its letters and operands fit the C function.
llvm::LogicalResult verifyServiceCall(ServiceOp op, const ServiceDescription &service);

} // namespace mlc::kern

#endif // DIALECTS_KERN_IR_KERNSERVICES_H
