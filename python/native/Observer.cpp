// What sees the steps of a run on behalf of Python, and what it writes beside it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/Observer.h"

#include "python/native/Errors.h"
#include "python/native/Process.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/RunObservation.h"
#include "runtime/src/summary/EventWriter.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <csignal>

namespace nb = nanobind;

namespace mlc::python {

namespace {

/// The variables after a step, while an observer is called for it.
class LiveState {
public:
  explicit LiveState(mlcrt::ObservedState &state) : state_(&state) {}
  /// The call is over.
  void close() { state_ = nullptr; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const mlcrt::StateTensor &tensor : open().tensors())
      if (!tensor.isEval())
        names.emplace_back(tensor.value.name);
    return names;
  }
  nb::object read(const std::string &name) const {
    if (open().tensors().find(name) < 0)
      throw nb::key_error(name.c_str());
    absl::StatusOr<mlcrt::Tensor> value = [&] {
      const GilRelease release;
      return state_->read(name);
    }();
    if (!value.ok())
      raise(value.status());
    return toNumpy(value->buffer());
  }

private:
  mlcrt::ObservedState &open() const {
    if (!state_)
      throw std::runtime_error("the step is over: variables are read while a hook is called for it");
    return *state_;
  }
  mlcrt::ObservedState *state_;
};

/// Spans of the run go to a new file. Raises RuntimeError if they go to one already, OSError if it
/// cannot be written.
void beginTimeline(mlcrt::RunObservation &run, const std::string &path, const std::string &process, int64_t step) {
  mlcrt::TimelineOptions options;
  options.path = path;
  options.process = process;
  options.step = step;
  const absl::Status status = run.beginTimeline(options);
  if (status.ok())
    return;
  PyErr_SetString(absl::IsAlreadyExists(status) ? PyExc_RuntimeError : PyExc_OSError,
                  std::string(status.message()).c_str());
  throw nb::python_error();
}

/// Scalars for TensorBoard.
class EventFile {
public:
  explicit EventFile(const std::string &directory) {
    absl::StatusOr<std::unique_ptr<mlcrt::EventWriter>> writer = mlcrt::EventWriter::create(directory);
    if (!writer.ok())
      raise(writer.status());
    writer_ = *std::move(writer);
  }
  void scalars(int64_t step, const std::map<std::string, double> &values) {
    mlcrt::Summary summary;
    for (const auto &[tag, value] : values)
      summary.scalar(tag, value);
    check(writer_->write(step, summary));
  }
  void flush() { check(writer_->flush()); }

private:
  static void check(const absl::Status &status) {
    if (!status.ok())
      raise(status);
  }
  std::unique_ptr<mlcrt::EventWriter> writer_;
};

} // namespace

Observer::Observer(nb::object observer, QueueListener &listener, mlcrt::StopToken &stop)
    : observer_(std::move(observer)), listener_(listener), stop_(stop) {
  for (const std::string &name : nb::cast<std::vector<std::string>>(observer_.attr("eval_sets")))
    sets_.insert(name);
  feeds_ = nb::cast<bool>(nb::bool_(observer_.attr("feeds")));
  firstAwaited_ = nb::cast<int64_t>(observer_.attr("first_awaited"));
  if (nb::object observation = observer_.attr("observation"); !observation.is_none())
    observation_ = nb::cast<std::shared_ptr<mlcrt::RunObservation>>(observation);
}

absl::StatusOr<std::shared_ptr<const mlcrt::MemoryArrays>> Observer::feed() {
  std::shared_ptr<const mlcrt::MemoryArrays> arrays;
  absl::Status status = ask([&] { arrays = arraysOf(observer_.attr("feed")(), "feed()"); });
  if (!status.ok())
    return status;
  return arrays;
}

absl::Status Observer::ask(const std::function<void()> &call) {
  return listener_.call([&] {
    try {
      call();
    } catch (nb::python_error &error) {
      if (error.matches(PyExc_KeyboardInterrupt))
        stop_.raise(SIGINT);
      throw;
    }
  });
}

absl::StatusOr<bool> Observer::afterStep(int64_t steps, const mlcrt::EntryOutputs &outputs,
                                         const mlcrt::EntryOutputs *own, mlcrt::ObservedState *state) {
  bool ends = false;
  absl::Status status = ask([&] {
    nb::dict values;
    for (const mlcrt::EntryOutputs *each : {&outputs, own})
      for (int32_t i = 0; each && i < each->size(); ++i)
        values[each->type(i).name] = toNumpy(each->value(i).buffer());
    std::shared_ptr<LiveState> live = state ? std::make_shared<LiveState>(*state) : nullptr;
    struct Closing {
      std::shared_ptr<LiveState> &live;
      ~Closing() {
        if (live)
          live->close();
      }
    } closing{live};
    ends = nb::cast<bool>(nb::bool_(observer_.attr("after_step")(steps, values, live)));
  });
  if (!status.ok())
    return status;
  return !ends;
}

absl::Status Observer::beforeSave(int64_t steps) {
  return ask([&] { observer_.attr("before_save")(steps); });
}

absl::StatusOr<bool> Observer::afterSave(int64_t steps) {
  bool ends = false;
  absl::Status status = ask([&] { ends = nb::cast<bool>(nb::bool_(observer_.attr("after_save")(steps))); });
  if (!status.ok())
    return status;
  return !ends;
}

absl::StatusOr<std::vector<mlcrt::Metric>> Observer::evaluate(const std::string &set, int64_t step,
                                                              const std::string &checkpoint) {
  std::vector<mlcrt::Metric> metrics;
  absl::Status status = ask([&] {
    for (const auto &[key, value] : nb::cast<nb::dict>(observer_.attr("evaluate")(set, step, checkpoint))) {
      mlcrt::Metric metric;
      metric.name = nb::cast<std::string>(key);
      const double number = nb::cast<double>(nb::float_(value));
      metric.isFloat = !PyLong_Check(value.ptr());
      metric.json = metric.isFloat ? mlcrt::jsonNumber(number) : mlcrt::jsonNumber(nb::cast<int64_t>(value));
      metric.text = metric.isFloat ? mlcrt::numberText(number) : metric.json;
      metric.values = {number};
      metrics.push_back(std::move(metric));
    }
  });
  if (!status.ok())
    return status;
  return metrics;
}

void addObservers(nb::module_ &module) {
  nb::class_<LiveState>(module, "LiveState", "The variables after a step, while an observer is called for it.")
      .def_prop_ro("names", &LiveState::names)
      .def("read", &LiveState::read, nb::arg("name"));
  nb::class_<mlcrt::RunObservation>(module, "RunObservation",
                                    "What one run shows of itself: its numbers, and its timeline.")
      .def(nb::init<>())
      .def("metrics", [](const mlcrt::RunObservation &run) { return run.metrics().registry.text(); })
      .def("begin_timeline", beginTimeline, nb::arg("path"), nb::arg("process"), nb::arg("step"))
      .def("end_timeline", &mlcrt::RunObservation::endTimeline);
  nb::class_<EventFile>(module, "EventFile", "A new file of events, which TensorBoard reads, in a directory.")
      .def(nb::init<const std::string &>(), nb::arg("directory"))
      .def("scalars", &EventFile::scalars, nb::arg("step"), nb::arg("values"))
      .def("flush", &EventFile::flush);
}

} // namespace mlc::python
