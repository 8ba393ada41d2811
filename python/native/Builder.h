// Modules that Python traces, op by op. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYTHON_NATIVE_BUILDER_H
#define PYTHON_NATIVE_BUILDER_H

#include <nanobind/nanobind.h>

namespace mlc::python {

/// Adds the class Builder: mlc::ModuleBuilder, whose errors are NativeError.
void addBuilder(nanobind::module_ &module);

} // namespace mlc::python

#endif // PYTHON_NATIVE_BUILDER_H
