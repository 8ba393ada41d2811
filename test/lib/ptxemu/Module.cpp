// Loading of modules: variables get memory, entries are decoded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Decoder.h"
#include "test/lib/ptxemu/DeviceMemory.h"

#include <cstring>

namespace ptxemu {

const Kernel *Module::find(const std::string &name) const {
  for (const std::unique_ptr<Kernel> &kernel : kernels)
    if (kernel->name == name)
      return kernel.get();
  return nullptr;
}

static std::string at(int line, const std::string &what) { return "line " + std::to_string(line) + ": " + what; }

/// Allocates and initializes variables. What has no initial value holds zeros.
static std::string placeVariables(Module &module, DeviceMemory &memory) {
  for (const std::shared_ptr<Variable> &variable : module.syntax.variables) {
    if (variable->space == Space::Shared || variable->external)
      continue;
    if (variable->size == 0)
      return at(variable->line, "variable '" + variable->name + "' without a size");
    Allocation *allocation = memory.allocate(variable->size, variable->name);
    if (!allocation)
      return at(variable->line, "out of memory for variable '" + variable->name + "'");
    memset(allocation->data, 0, variable->size);
    if (!variable->init.empty())
      memcpy(allocation->data, variable->init.data(), variable->init.size());
    allocation->init.set(0, variable->size);
    allocation->readOnly = variable->space == Space::Const;
    module.variables[variable->name] = {allocation->base, variable->size};
  }
  for (const std::shared_ptr<Variable> &variable : module.syntax.variables)
    for (const Variable::Address &address : variable->addresses) {
      auto of = module.variables.find(address.of);
      if (of == module.variables.end())
        return at(variable->line, "address of unknown variable '" + address.of + "'");
      const uint64_t value = of->second.first + static_cast<uint64_t>(address.add);
      memcpy(memory.find(module.variables[variable->name].first)->data + address.at, &value, sizeof value);
    }
  return "";
}

std::unique_ptr<Module> loadModule(std::string_view text, DeviceMemory &memory) {
  auto module = std::make_unique<Module>();
  module->syntax = parseText(text);
  module->error = module->syntax.error;
  if (module->error.empty())
    module->error = placeVariables(*module, memory);
  for (const std::shared_ptr<Function> &function : module->syntax.functions) {
    if (!module->error.empty())
      break;
    if (!function->entry || !function->defined)
      continue;
    auto kernel = std::make_unique<Kernel>();
    kernel->name = function->name;
    kernel->entry = function.get();
    module->error = Decoder(*module, *kernel).run();
    module->kernels.push_back(std::move(kernel));
  }
  if (!module->error.empty())
    unloadModule(*module, memory);
  return module;
}

void unloadModule(Module &module, DeviceMemory &memory) {
  for (const auto &[name, place] : module.variables)
    memory.release(place.first);
  module.variables.clear();
}

} // namespace ptxemu
