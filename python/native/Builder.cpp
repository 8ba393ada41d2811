// Modules that Python traces, op by op.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/Builder.h"

#include "mlc/Driver/ModuleBuilder.h"
#include "python/native/Errors.h"
#include "python/native/Process.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace mlc::python {

namespace {

/// ModuleBuilder, whose errors are exceptions.
class Builder {
  template <typename Fn> void check(Fn call) {
    common::MessageList messages;
    if (!call(messages))
      raise(messages, common::ExitCode::Usage);
  }
  template <typename Fn> auto value(Fn call) {
    common::MessageList messages;
    auto result = call(messages);
    if (!result)
      raise(messages, common::ExitCode::Usage);
    return *std::move(result);
  }

public:
  Builder() { checkProcess(); }

  void setAttributes(const std::string &attributes) {
    check([&](auto &messages) { return builder_.setAttributes(attributes, messages); });
  }
  void declare(const std::string &op, const std::string &attributes) {
    check([&](auto &messages) { return builder_.declare(op, attributes, origin_, messages); });
  }
  ModuleBuilder::Values beginFunction(const std::string &name, const std::string &role,
                                      const std::vector<std::tuple<std::string, std::string, std::string>> &arguments) {
    std::vector<ModuleBuilder::Argument> listed;
    for (const auto &[argument, type, attributes] : arguments)
      listed.push_back({argument, type, attributes});
    return value([&](auto &messages) { return builder_.beginFunction(name, role, listed, origin_, messages); });
  }
  void endFunction(const std::vector<std::pair<std::string, int64_t>> &outputs) {
    check([&](auto &messages) { return builder_.endFunction(outputs, messages); });
  }
  void importSpec(const std::string &spec, const std::string &file, bool tellsLoss) {
    check([&](auto &messages) { return builder_.importSpec(spec, file, tellsLoss, messages); });
  }
  std::pair<ModuleBuilder::NamedValues, ModuleBuilder::NamedValues> reopenFunction(const std::string &name) {
    ModuleBuilder::OpenFunction open = value([&](auto &messages) { return builder_.reopenFunction(name, messages); });
    return {open.arguments, open.outputs};
  }
  int64_t addArgument(const std::string &name, const std::string &type, const std::string &attributes) {
    return value([&](auto &messages) { return builder_.addArgument({name, type, attributes}, messages); });
  }
  ModuleBuilder::NamedValues inlineFunction(const std::string &name) {
    return value([&](auto &messages) { return builder_.inlineFunction(name, messages); });
  }
  void abandon() { builder_.abandon(); }
  ModuleBuilder::Values beginRegion(const std::vector<std::string> &types) {
    return value([&](auto &messages) { return builder_.beginRegion(types, messages); });
  }
  void endRegion(const std::string &terminator, const ModuleBuilder::Values &operands) {
    check([&](auto &messages) { return builder_.endRegion(terminator, operands, origin_, messages); });
  }
  ModuleBuilder::Values op(const std::string &name, const ModuleBuilder::Values &operands,
                           const std::string &attributes, const std::optional<std::vector<std::string>> &types,
                           unsigned numRegions) {
    return value(
        [&](auto &messages) { return builder_.op(name, operands, attributes, types, numRegions, origin_, messages); });
  }
  std::tuple<std::string, std::vector<int64_t>, bool> typeOf(int64_t value) const {
    std::optional<ModuleBuilder::TensorType> type = builder_.typeOf(value);
    if (!type)
      throw nb::value_error("no tensor has this number");
    return {type->element, type->shape, type->isRows};
  }
  bool isVisible(int64_t value) const { return builder_.isVisible(value); }
  std::optional<std::string> textAttribute(const std::string &name) const { return builder_.textAttribute(name); }
  void verify() {
    check([&](auto &messages) { return builder_.verify(messages); });
  }
  std::string text(bool origins) const { return builder_.text(origins); }
  void setOrigin(const std::string &file, int64_t line) { origin_ = {file, line}; }

private:
  ModuleBuilder builder_;
  ModuleBuilder::Origin origin_;
};

} // namespace

void addBuilder(nb::module_ &module) {
  nb::class_<Builder>(module, "Builder")
      .def(nb::init<>())
      .def("set_attributes", &Builder::setAttributes, nb::arg("attributes"))
      .def("declare", &Builder::declare, nb::arg("op"), nb::arg("attributes"))
      .def("begin_function", &Builder::beginFunction, nb::arg("name"), nb::arg("role"), nb::arg("arguments"))
      .def("end_function", &Builder::endFunction, nb::arg("outputs"))
      .def("import_spec", &Builder::importSpec, nb::arg("spec"), nb::arg("file"), nb::arg("tells_loss") = false)
      .def("reopen_function", &Builder::reopenFunction, nb::arg("name"))
      .def("add_argument", &Builder::addArgument, nb::arg("name"), nb::arg("type"), nb::arg("attributes"))
      .def("inline_function", &Builder::inlineFunction, nb::arg("name"))
      .def("abandon", &Builder::abandon)
      .def("begin_region", &Builder::beginRegion, nb::arg("types"))
      .def("end_region", &Builder::endRegion, nb::arg("terminator"), nb::arg("operands"))
      .def("op", &Builder::op, nb::arg("name"), nb::arg("operands"), nb::arg("attributes"),
           nb::arg("types").none() = nb::none(), nb::arg("num_regions") = 0)
      .def("type_of", &Builder::typeOf, nb::arg("value"))
      .def("is_visible", &Builder::isVisible, nb::arg("value"))
      .def("text_attribute", &Builder::textAttribute, nb::arg("name"))
      .def("verify", &Builder::verify)
      .def("text", &Builder::text, nb::arg("origins"))
      .def("set_origin", &Builder::setOrigin, nb::arg("file"), nb::arg("line"));
}

} // namespace mlc::python
