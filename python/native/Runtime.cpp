// mlc._runtime: exported models, without a compiler. The module of the package mlc.runtime, and of mlc_runtime.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/Arrays.h"
#include "python/native/Errors.h"
#include "python/native/Process.h"
#include "runtime/src/device/cuda/CudaKind.h"
#include "runtime/src/export/ArrayRows.h"
#include "runtime/src/export/CallPool.h"

#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <utility>

namespace nb = nanobind;

namespace mlc::python {

namespace {
/// A loaded export. Any number of threads may call it.
class Export {
public:
  /// Raises NativeError.
  Export(const std::string &directory, bool replay, int threads, const std::string &device) {
    checkProcess();
    const absl::Status status = [&] {
      const GilRelease release;
      mlcrt::registerCudaDevices();
      mlcrt::ExportLoadOptions options;
      options.replay = replay;
      options.device = device;
      absl::StatusOr<mlcrt::ExportedModel> model = mlcrt::loadExport(directory, options);
      if (!model.ok())
        return model.status();
      model_ = *std::move(model);
      calls_.emplace(model_, threads);
      return absl::OkStatus();
    }();
    if (!status.ok())
      raise(status);
  }
  Export(const Export &) = delete;
  Export &operator=(const Export &) = delete;

  /// signature.json without its checksum.
  std::string signature() const { return mlcrt::signatureToLine(model_.signature); }

  /// As mlcrt::deviceText.
  std::string device() const { return deviceText(model_); }

  /// Outputs by name, [rows, ...]. Raises NativeError.
  nb::dict call(const Arrays &arrays) {
    mlcrt::CallPool::Taken call;
    const absl::Status status = [&] {
      const GilRelease release;
      absl::StatusOr<mlcrt::ArrayRows> rows = mlcrt::ArrayRows::create(model_, *arrays.arrays());
      if (!rows.ok())
        return rows.status();
      call = calls_->take();
      return rows->locate(call->runner.run(rows->view(), model_.context()));
    }();
    if (!status.ok())
      raise(status);
    nb::dict outputs;
    for (int32_t i = 0; i < call->runner.numOutputs(); ++i)
      outputs[call->runner.entry().outputs[i].name] = toNumpy(call->runner.output(i));
    return outputs;
  }

private:
  mlcrt::ExportedModel model_;
  std::optional<mlcrt::CallPool> calls_; // it refers to the model
};
} // namespace

} // namespace mlc::python

NB_MODULE(_runtime, module) {
  using namespace mlc::python;
  module.doc() = "Exported models, without a compiler.";
  // What a program holds at its end is its own affair: a library prints nothing.
  nb::set_leak_warnings(false);
  module.def("version", [] { return std::string(MLC_VERSION); });
  addErrors(module);
  addArrays(module);
  watchEnd();
  using Owned = OfProcess<Export>;
  nb::class_<Owned>(module, "Export", "A loaded export.")
      .def(nb::init<const std::string &, bool, int, const std::string &>(), nb::arg("directory"), nb::arg("replay"),
           nb::arg("threads"), nb::arg("device") = "cpu")
      .def_prop_ro("signature", [](const Owned &self) { return self->signature(); })
      .def_prop_ro("device", [](const Owned &self) { return self->device(); })
      .def("__call__", [](const Owned &self, const Arrays &arrays) { return self->call(arrays); }, nb::arg("arrays"));
}
