// Predictions as arrays, batch by batch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/Errors.h"
#include "python/native/Runs.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/train/BatchFeed.h"
#include "runtime/src/train/MemoryCheck.h"
#include "runtime/src/train/RestoredModel.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace nb = nanobind;

namespace mlc::python {

namespace {
/// One pass over the data. Each call of next() runs one batch in the thread that calls it.
class Predictions {
public:
  /// `data`: null: files that the options name.
  Predictions(const Model &model, const nb::dict &options, nb::handle data, nb::object sink, mlcrt::StopToken &stop)
      : session_(model, "predict", options, {{"predict.files", data}}, std::move(sink), stop),
        pool_(session_.options.threadCount()) {
    const absl::Status status = [&] {
      nb::gil_scoped_release release;
      return open(model);
    }();
    session_.listener.deliver();
    if (!status.ok())
      raiseOf(status);
  }

  /// A dict of arrays; raises StopIteration at the end.
  nb::dict next() {
    absl::StatusOr<const mlcrt::Batch *> batch = [&]() -> absl::StatusOr<const mlcrt::Batch *> {
      nb::gil_scoped_release release;
      if (session_.stop.isStopped())
        return nullptr;
      return feed_->next();
    }();
    session_.listener.deliver();
    if (!batch.ok())
      raiseOf(batch.status());
    if (!*batch)
      throw nb::stop_iteration();
    nb::dict result;
    const mlcrt::EntryRunner &runner = feed_->runner();
    for (int32_t i = 0; i < runner.numOutputs(); ++i)
      result[runner.entry().outputs[i].name] = toNumpy(runner.output(i));
    for (const mlcrt::PredictionConstant &constant : session_.configuration.predictionConstants())
      result[constant.name.c_str()] = repeated(constant, (*batch)->rows());
    return result;
  }

  Predictions(const Predictions &) = delete;
  Predictions &operator=(const Predictions &) = delete;

private:
  /// What code of Python raised, or the error.
  [[noreturn]] void raiseOf(const absl::Status &status) {
    if (session_.listener.raised())
      std::rethrow_exception(session_.listener.raised());
    raise(status);
  }

  absl::Status open(const Model &model) {
    const mlcrt::Artifact &artifact = *model.artifact();
    if (absl::Status status = artifact.require({MLCRT_ROLE_PREDICT}); !status.ok())
      return status;
    absl::StatusOr<mlcrt::RestoredModel> restored = restoreModel(session_.context);
    if (!restored.ok())
      return restored.status();
    model_ = *std::move(restored);
    const mlcrt_entry &entry = *artifact.entry(MLCRT_ROLE_PREDICT);
    mlcrt::EntryDataOptions options;
    options.source = session_.configuration.source("predict.files");
    options.threads = pool_.threads();
    absl::StatusOr<mlcrt::EntryData> data =
        openEntryData(session_.configuration, artifact, entry, options, session_.reporter);
    if (!data.ok())
      return data.status();
    data_ = *std::move(data);
    const int64_t batchSize = session_.configuration.batchSize("predict");
    if (absl::Status status = checkReadMemory(session_.context, mlcrt::readNeed(artifact), &entry,
                                              std::min(batchSize, data_.dataset->size()));
        !status.ok())
      return status;
    mlcrt::CallContext call;
    call.seed = model_.seed;
    call.step = model_.step;
    feed_.emplace(*model_.program, entry, pool_, data_, batchSize, /*maxBatches=*/-1, call, model_.rows.get());
    return absl::OkStatus();
  }

  /// The same for each row, without a copy.
  static nb::object repeated(const mlcrt::PredictionConstant &constant, int64_t rows) {
    nb::object numpy = nb::module_::import_("numpy");
    nb::object row;
    if (constant.texts.empty()) {
      row = numpy.attr("array")(nb::cast(constant.numbers), nb::arg("dtype") = "int64");
    } else {
      nb::list texts;
      for (const std::string &text : constant.texts)
        texts.append(nb::bytes(text.data(), text.size()));
      row = numpy.attr("array")(texts, nb::arg("dtype") = nb::module_::import_("builtins").attr("object"));
    }
    return numpy.attr("broadcast_to")(row, nb::make_tuple(rows, nb::len(row)));
  }

  Session session_;
  mlcrt::ThreadPool pool_;
  mlcrt::RestoredModel model_;
  mlcrt::EntryData data_;
  std::optional<mlcrt::EntryFeed> feed_; // last: it refers to the others
};
} // namespace

void addPredictions(nb::module_ &module) {
  nb::class_<Predictions>(module, "Predictions", "Iterates over the predictions of batches: dicts of arrays.")
      .def("__iter__", [](nb::handle self) { return self; })
      .def("__next__", &Predictions::next);
  module.def(
      "predict",
      [](const Model &model, const nb::dict &options, nb::handle data, nb::object sink, mlcrt::StopToken &stop) {
        return new Predictions(model, options, data, std::move(sink), stop);
      },
      nb::arg("model"), nb::arg("options"), nb::arg("data").none(), nb::arg("sink").none(), nb::arg("stop"),
      nb::rv_policy::take_ownership, nb::keep_alive<0, 5>());
}

} // namespace mlc::python
