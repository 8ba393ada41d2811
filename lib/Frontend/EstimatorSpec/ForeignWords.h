// Words of tf.estimator and Keras, and what they are called in a spec. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_FRONTEND_ESTIMATORSPEC_FOREIGNWORDS_H
#define LIB_FRONTEND_ESTIMATORSPEC_FOREIGNWORDS_H

#include "google/protobuf/descriptor.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlc::frontend {

/// The help for a name that message `type` does not have and that tf.estimator or Keras uses: "numeric_column",
/// "LinearClassifier", "num_epochs", "keys". Empty for other words.
std::string foreignWordHelp(const google::protobuf::Descriptor &type, llvm::StringRef name);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_FOREIGNWORDS_H
