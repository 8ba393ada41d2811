// Predictions as arrays, batch by batch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/DirectRows.h"
#include "python/native/Errors.h"
#include "python/native/Process.h"
#include "python/native/Runs.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/train/BatchFeed.h"
#include "runtime/src/train/MemoryCheck.h"
#include "runtime/src/train/RestoredModel.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace mlc::python {

namespace {
/// A prediction that is the same for each row, as an array without a copy for each.
class RepeatedRow {
public:
  explicit RepeatedRow(const mlcrt::PredictionConstant &constant) {
    nb::object numpy = nb::module_::import_("numpy");
    if (constant.texts.empty()) {
      row_ = numpy.attr("array")(nb::cast(constant.numbers), nb::arg("dtype") = "int64");
    } else {
      nb::list texts;
      for (const std::string &text : constant.texts)
        texts.append(nb::bytes(text.data(), text.size()));
      row_ = numpy.attr("array")(texts, nb::arg("dtype") = "O");
    }
    // All arrays of it share it.
    row_.attr("setflags")(nb::arg("write") = false);
    broadcast_ = numpy.attr("broadcast_to");
  }

  nb::object array(int64_t rows) {
    if (rows != rows_) {
      array_ = broadcast_(row_, nb::make_tuple(rows, nb::len(row_)));
      rows_ = rows;
    }
    return array_;
  }

private:
  nb::object row_, broadcast_, array_; ///< the one made last, as most calls are of as many rows
  int64_t rows_ = -1;
};

/// One pass over the data, and predictions of other rows between its batches. Each call runs in the thread that calls.
class Predictions {
public:
  /// `data`: null: files that the options name. `columns`: as DirectRows, of what of() reads. `feed`: a function that
  /// gives what replaces columns of the next batch, Arrays or None; or None. `observation`: null: nobody asked for it.
  Predictions(const Model &model, const nb::dict &options, nb::handle data, nb::object sink, mlcrt::StopToken &stop,
              nb::handle columns, nb::object feed, std::shared_ptr<mlcrt::RunObservation> observation)
      : session_(model, "predict", options, {{"predict.files", data}}, std::move(sink), stop),
        pool_(session_.options.threadCount()), ask_(std::move(feed)) {
    if (observation)
      session_.context.observation = std::move(observation);
    const absl::Status status = [&] {
      const GilRelease release;
      return open();
    }();
    session_.listener.deliver();
    if (!status.ok())
      raiseOf(status);
    const mlcrt_entry &entry = feed_->runner().entry();
    for (int32_t i = 0; i < entry.num_outputs; ++i)
      names_.push_back(nb::str(entry.outputs[i].name));
    for (const mlcrt::PredictionConstant &constant : session_.configuration.predictionConstants())
      constants_.emplace_back(nb::str(constant.name.c_str()), RepeatedRow(constant));
    if (nb::len(columns) > 0 && data_.dataset->stream())
      rows_ = DirectRows::create(*session_.context.artifact, entry, session_.configuration.input(), columns);
  }

  /// A dict of arrays; raises StopIteration at the end.
  nb::dict next() {
    absl::StatusOr<const mlcrt::Batch *> batch = [&]() -> absl::StatusOr<const mlcrt::Batch *> {
      const GilRelease release;
      if (session_.stop.isStopped())
        return nullptr;
      return feed_->next();
    }();
    session_.listener.deliver();
    if (!batch.ok() || session_.listener.raised()) // Ctrl-C in code that gives batches is their end
      raiseOf(batch.status());
    if (!*batch)
      throw nb::stop_iteration();
    return outputs((*batch)->rows());
  }

  /// The same of rows that are no batch of the data. None: they are not what DirectRows reads, or the model does not
  /// take them; as a batch of the data they are converted, or next() tells what is wrong.
  nb::object of(nb::handle features) {
    if (!rows_ || !rows_->read(features))
      return nb::none();
    const bool isTaken = [&] {
      const GilRelease release;
      return feed_->run(rows_->view()).ok();
    }();
    session_.listener.deliver();
    return isTaken ? outputs(rows_->view().rows) : nb::object(nb::none());
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

  /// What the entry made of `rows` rows.
  nb::dict outputs(int64_t rows) {
    nb::dict result;
    for (size_t i = 0; i < names_.size(); ++i)
      result[names_[i]] = toNumpy(feed_->runner().output(static_cast<int32_t>(i)));
    for (auto &[name, constant] : constants_)
      result[name] = constant.array(rows);
    return result;
  }

  /// What replaces columns of the next batch.
  absl::StatusOr<std::shared_ptr<const mlcrt::MemoryArrays>> asked() {
    std::shared_ptr<const mlcrt::MemoryArrays> arrays;
    if (absl::Status status = session_.listener.call([&] { arrays = arraysOf(ask_(), "feed()"); }); !status.ok())
      return status;
    return arrays;
  }

  absl::Status open() {
    const mlcrt::Artifact &artifact = *session_.context.artifact;
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
    std::shared_ptr<mlcrt::FedColumns> fed;
    if (!ask_.is_none())
      fed = std::make_shared<mlcrt::FedColumns>(artifact, session_.configuration.input(), [this] { return asked(); });
    feed_.emplace(*model_.program, entry, pool_, data_, batchSize, /*maxBatches=*/-1, call, model_.rows.get(),
                  /*dropBadRows=*/false, std::move(fed));
    return absl::OkStatus();
  }

  Session session_;
  mlcrt::ThreadPool pool_;
  nb::object ask_; ///< for what replaces columns
  mlcrt::RestoredModel model_;
  mlcrt::EntryData data_;
  std::optional<mlcrt::EntryFeed> feed_; // it refers to the others
  std::vector<nb::str> names_;           ///< of outputs
  std::vector<std::pair<nb::str, RepeatedRow>> constants_;
  std::unique_ptr<DirectRows> rows_; ///< null: no rows but batches of the data
};
} // namespace

void addPredictions(nb::module_ &module) {
  using Owned = OfProcess<Predictions>;
  nb::class_<Owned>(module, "Predictions", "Iterates over the predictions of batches: dicts of arrays.")
      .def("__iter__", [](nb::handle self) { return self; })
      .def("__next__", [](Owned &self) { return self->next(); })
      .def("of", [](Owned &self, nb::handle features) { return self->of(features); }, nb::arg("features").none());
  module.def(
      "predict",
      [](const Model &model, const nb::dict &options, nb::handle data, nb::object sink, mlcrt::StopToken &stop,
         const nb::list &columns, nb::object feed, std::shared_ptr<mlcrt::RunObservation> observation) {
        return new Owned(model, options, data, std::move(sink), stop, columns, std::move(feed), std::move(observation));
      },
      nb::arg("model"), nb::arg("options"), nb::arg("data").none(), nb::arg("sink").none(), nb::arg("stop"),
      nb::arg("columns") = nb::list(), nb::arg("feed").none() = nb::none(), nb::arg("observation").none() = nb::none(),
      nb::rv_policy::take_ownership, nb::keep_alive<0, 5>());
}

} // namespace mlc::python
