// Messages of compiler and runtime as Python's exceptions. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYTHON_NATIVE_ERRORS_H
#define PYTHON_NATIVE_ERRORS_H

#include "absl/status/status.h"
#include "common/cli/ExitCode.h"
#include "common/cli/Message.h"

#include <nanobind/nanobind.h>

namespace mlc::python {

/// A message as a dict with the keys of messageToJson, and "text": all of it, as a program prints it. Needs the GIL.
nanobind::object messageDict(const common::Message &message);
/// All of them, as a list.
nanobind::list messageList(const common::MessageList &messages);

/// Adds the class NativeError: args are a text, a list of dicts, and what a program would exit with.
void addErrors(nanobind::module_ &module);
/// Raises it.
[[noreturn]] void raise(const common::MessageList &messages, common::ExitCode code);
[[noreturn]] void raise(const absl::Status &status);

} // namespace mlc::python

#endif // PYTHON_NATIVE_ERRORS_H
