// Messages of compiler and runtime as Python's exceptions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/Errors.h"

#include "runtime/src/checkpoint/StatusMessage.h"

#include <nanobind/stl/string.h>

#include <string>

namespace nb = nanobind;

namespace mlc::python {

static PyObject *nativeError = nullptr; // of the module, which is never unloaded

nb::object messageDict(const common::Message &message) {
  nb::object dict = nb::module_::import_("json").attr("loads")(nb::str(messageToJson(message).c_str()));
  std::string text = formatMessage(message);
  dict["text"] = nb::str(text.c_str(), text.size());
  return dict;
}

nb::list messageList(const common::MessageList &messages) {
  nb::list list;
  for (const common::Message &message : messages.messages())
    list.append(messageDict(message));
  return list;
}

void addErrors(nb::module_ &module) {
  const std::string name = nb::cast<std::string>(module.attr("__name__")) + ".NativeError";
  nativeError = PyErr_NewExceptionWithDoc(
      name.c_str(), "What compiler and runtime found wrong: args are a text, a list of messages, an exit status.",
      nullptr, nullptr);
  module.attr("NativeError") = nb::borrow(nativeError);
}

void raise(const common::MessageList &messages, common::ExitCode code) {
  const std::string text = messages.format();
  PyErr_SetObject(nativeError,
                  nb::make_tuple(nb::str(text.c_str(), text.size()), messageList(messages), exitStatus(code)).ptr());
  throw nb::python_error();
}

void raise(const absl::Status &status) {
  common::MessageList messages;
  messages.add(mlcrt::messageOf(status));
  raise(messages, mlcrt::exitCodeOf(status));
}

} // namespace mlc::python
