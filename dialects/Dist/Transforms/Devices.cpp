// The devices that a module names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Dist/Transforms/Devices.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Dist/IR/Dist.h"

#include <map>

using namespace mlir;
using namespace mlc;
using namespace mlc::dist;

/// Calls `visit` with each device spec of the module.
static void forEachSpec(ModuleOp module, llvm::function_ref<void(StringAttr)> visit) {
  module.walk([&](Operation *op) {
    if (auto spec = op->getAttrOfType<StringAttr>(DistDialect::kDeviceAttr))
      visit(spec);
    if (auto function = dyn_cast<df::FunctionOp>(op))
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (auto spec = function.getArgAttrOfType<StringAttr>(i, DistDialect::kDeviceAttr))
          visit(spec);
  });
}

bool mlc::dist::hasDevices(ModuleOp module) {
  bool found = false;
  forEachSpec(module, [&](StringAttr) { found = true; });
  module.walk([&](Operation *op) { found |= op->hasAttr(DistDialect::kColocateAttr); });
  return found;
}

llvm::SmallVector<DeviceSpec> mlc::dist::devicesOf(ModuleOp module) {
  std::map<std::string, int64_t> tasks;             // the largest of each job
  std::map<std::string, int64_t> types{{"CPU", 0}}; // the largest of each type
  forEachSpec(module, [&](StringAttr text) {
    // The dialect has checked that it parses.
    DeviceSpec spec = llvm::cantFail(DeviceSpec::parse(text.getValue()));
    if (spec.job)
      tasks[*spec.job] = std::max(tasks[*spec.job], spec.task.value_or(0));
    int64_t &last = types[spec.type.value_or("CPU")];
    last = std::max(last, spec.index.value_or(0));
  });
  auto rank = [](const std::string &job) { return job == "chief" ? 0 : job == "worker" ? 1 : job == "ps" ? 2 : 3; };
  std::vector<std::pair<std::string, int64_t>> jobs(tasks.begin(), tasks.end());
  llvm::stable_sort(jobs, [&](const auto &a, const auto &b) { return rank(a.first) < rank(b.first); });
  llvm::SmallVector<DeviceSpec> devices;
  auto addAll = [&](DeviceSpec spec) {
    for (const auto &[type, last] : types)
      for (int64_t i = 0; i <= last; ++i) {
        spec.type = type;
        spec.index = i;
        devices.push_back(spec);
      }
  };
  if (jobs.empty())
    addAll({});
  for (const auto &[job, last] : jobs)
    for (int64_t task = 0; task <= last; ++task) {
      DeviceSpec spec;
      spec.job = job;
      spec.task = task;
      addAll(spec);
    }
  return devices;
}
