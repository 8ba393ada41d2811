// Runs of a model on behalf of Python.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/Runs.h"

#include "common/machine/MachineLimits.h"
#include "python/native/Errors.h"
#include "python/native/Files.h"
#include "python/native/Observer.h"
#include "python/native/Process.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/device/cuda/CudaKind.h"
#include "runtime/src/export/CodeChoice.h"
#include "runtime/src/train/EvaluateRun.h"
#include "runtime/src/train/ExportRun.h"
#include "runtime/src/train/PredictRun.h"
#include "runtime/src/train/Preflight.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <new>
#include <optional>
#include <thread>

namespace nb = nanobind;

namespace mlc::python {

//===----------------------------------------------------------------------===//
// What is said
//===----------------------------------------------------------------------===//

void QueueListener::add(Kind kind, std::string_view text) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Of how far the work is only the last word counts.
    if (kind == Kind::Progress && !items_.empty() && items_.back().kind == Kind::Progress)
      items_.pop_back();
    items_.push_back({kind, std::string(text), {}});
  }
  said_.notify_all();
}

void QueueListener::message(const common::Message &message) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    items_.push_back({Kind::Message, {}, message});
  }
  said_.notify_all();
}

void QueueListener::wait(const std::function<bool()> &isDone) {
  // Signals come to Python between waits.
  constexpr std::chrono::milliseconds kMoment{50};
  std::unique_lock<std::mutex> lock(mutex_);
  said_.wait_for(lock, kMoment, [&] { return !items_.empty() || isDone(); });
}

absl::Status QueueListener::call(const std::function<void()> &action) {
  Call call{action};
  if (std::this_thread::get_id() == caller_) {
    nb::gil_scoped_acquire gil;
    answer(call);
  } else {
    std::unique_lock<std::mutex> lock(mutex_);
    items_.push_back({Kind::Call, {}, {}, &call});
    said_.notify_all();
    answered_.wait(lock, [&] { return call.state != CallState::Waiting; });
  }
  return call.state == CallState::Done ? absl::OkStatus() : absl::CancelledError("the caller's code raised");
}

void QueueListener::answer(Call &call) {
  CallState state = CallState::Done;
  try {
    call.action();
  } catch (...) {
    state = CallState::Failed;
    if (!raised_)
      raised_ = std::current_exception();
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    call.state = state;
  }
  answered_.notify_all();
}

void QueueListener::deliver() {
  // One at a time: what a sink raises leaves the others here, and a call among them waits for its answer.
  const auto take = [this]() -> std::optional<Item> {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (items_.empty())
      return std::nullopt;
    Item item = std::move(items_.front());
    items_.pop_front();
    return item;
  };
  while (const std::optional<Item> taken = take()) {
    const Item &item = *taken;
    if (item.call) {
      answer(*item.call);
      continue;
    }
    if (sink_.is_none())
      continue;
    if (item.kind == Kind::Message) {
      sink_.attr("message")(messageDict(item.message));
      continue;
    }
    const char *method = item.kind == Kind::Line ? "line" : item.kind == Kind::Progress ? "progress" : "event";
    // Paths are bytes, and may be no UTF-8.
    sink_.attr(method)(
        nb::steal(PyUnicode_DecodeUTF8(item.text.data(), static_cast<Py_ssize_t>(item.text.size()), "replace")));
  }
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Sets the field of a name; false: there is none.
static bool setOption(mlcrt::RunOptions &options, const std::string &name, nb::handle value) {
  const auto text = [&](std::string &field) { field = nb::cast<std::string>(value); };
  const auto texts = [&](std::vector<std::string> &field) { field = nb::cast<std::vector<std::string>>(value); };
  const auto number = [&](std::optional<int64_t> &field) { field = nb::cast<int64_t>(value); };
  const auto flag = [&](bool &field) { field = nb::cast<bool>(value); };
  const auto bytes = [&](int64_t &field) {
    absl::StatusOr<int64_t> given = mlcrt::parseGpuMemory(name, nb::cast<std::string>(nb::str(value)));
    if (!given.ok())
      raise(mlcrt::messageStatus(absl::StatusCode::kInvalidArgument,
                                 common::makeError("E0203", std::string(given.status().message()))));
    field = *given;
  };
  const auto seconds = [&](std::chrono::seconds &field) { field = std::chrono::seconds(nb::cast<int64_t>(value)); };
  mlcrt::ClusterOptions &cluster = options.cluster;
  const std::map<std::string, std::function<void()>> fields = {
      {"model_dir", [&] { text(options.modelDir); }},
      {"checkpoint", [&] { text(options.checkpoint); }},
      {"step", [&] { options.checkpoint = std::to_string(nb::cast<int64_t>(value)); }},
      {"settings", [&] { texts(options.set); }},
      {"train_files", [&] { texts(options.trainFiles); }},
      {"eval_files", [&] { texts(options.evalFiles); }},
      {"predict_files", [&] { texts(options.predictFiles); }},
      {"keys", [&] { texts(options.keys); }},
      {"forward", [&] { texts(options.forward); }},
      {"format", [&] { text(options.format); }},
      {"on_bad_row", [&] { text(options.onBadRow); }},
      {"batch_size", [&] { number(options.batchSize); }},
      {"max_steps", [&] { number(options.maxSteps); }},
      {"steps", [&] { number(options.steps); }},
      {"epochs", [&] { number(options.epochs); }},
      {"seed", [&] { number(options.seed); }},
      {"virtual_shards", [&] { number(options.virtualShards); }},
      {"threads", [&] { options.threads = nb::cast<int>(value); }},
      {"device", [&] { text(options.device); }},
      {"gpus", [&] { options.gpus = nb::cast<int64_t>(value); }},
      {"gpu_sums", [&] { text(options.gpuSums); }},
      {"gpu_memory", [&] { bytes(options.gpuMemory); }},
      {"fresh", [&] { flag(options.fresh); }},
      {"grow_vocabularies", [&] { flag(options.growVocabularies); }},
      {"may_be_initial", [&] { flag(options.mayBeInitial); }},
      {"part_of_state", [&] { flag(options.partOfState); }},
      {"force", [&] { flag(options.force); }},
      {"name", [&] { options.name = nb::cast<std::string>(value); }},
      {"events", [&] { options.events = nb::cast<std::string>(value); }},
      {"output", [&] { text(options.output); }},
      {"golden_rows", [&] { number(options.goldenRows); }},
      {"tf_config", [&] { text(cluster.tfConfig); }},
      {"sync", [&] { flag(cluster.sync); }},
      {"backup_workers", [&] { text(cluster.backupWorkers); }},
      {"backup_policy", [&] { text(cluster.backupPolicy); }},
      {"overlap", [&] { text(cluster.overlap); }},
      {"evaluator", [&] { flag(cluster.hasEvaluator); }},
      {"start_timeout", [&] { seconds(cluster.startTimeout); }},
      {"stall_timeout", [&] { seconds(cluster.stallTimeout); }},
      {"heartbeat", [&] { seconds(cluster.heartbeat); }},
      {"grace", [&] { seconds(cluster.grace); }},
      {"message_memory", [&] { cluster.messageMemory = nb::cast<int64_t>(value); }},
      {"token_file", [&] { text(cluster.tokenFile); }},
      {"tls_certificate", [&] { text(cluster.certificate); }},
      {"tls_key", [&] { text(cluster.key); }},
      {"tls_authority", [&] { text(cluster.authority); }},
      {"insecure", [&] { flag(cluster.insecure); }},
  };
  const auto found = fields.find(name);
  if (found == fields.end())
    return false;
  if (!value.is_none())
    found->second();
  return true;
}

static mlcrt::RunOptions runOptions(const std::string &verb, const nb::dict &given) {
  checkProcess();
  mlcrt::RunOptions options;
  options.verb = verb;
  options.command = {"mlc." + verb};
  for (const auto &[key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    try {
      if (setOption(options, name, value))
        continue;
    } catch (const nb::cast_error &) {
      throw nb::type_error(("option '" + name + "' is " + nb::cast<std::string>(nb::repr(value))).c_str());
    }
    throw nb::type_error(("a run has no option '" + name + "'").c_str());
  }
  mlcrt::registerCudaDevices();
  return options;
}

Stream::~Stream() {
  // The last one to let go may be a thread of a run.
  if (!canTakeGil()) {
    next_.release();
    rewind_.release();
    return;
  }
  nb::gil_scoped_acquire gil;
  next_.reset();
  rewind_.reset();
}

/// Calls `action` in the caller's thread; Ctrl-C there stops the run.
absl::Status Stream::call(const std::function<void()> &action) {
  absl::Status status = listener_->call([&] {
    try {
      action();
    } catch (nb::python_error &error) {
      if (error.matches(PyExc_KeyboardInterrupt))
        stop_->raise(SIGINT);
      throw;
    }
  });
  return stop_->isStopped() ? absl::OkStatus() : status;
}

absl::Status Stream::rewind() {
  return call([&] { rewind_(); });
}

std::shared_ptr<const mlcrt::MemoryArrays> arraysOf(const nb::object &object, const std::string &what) {
  const Arrays *given = nullptr;
  if (nb::try_cast(object, given) && given)
    return given->arrays();
  if (!object.is_none())
    throw nb::type_error((what + " gave no Arrays").c_str());
  return nullptr;
}

absl::StatusOr<std::shared_ptr<const mlcrt::MemoryArrays>> Stream::next() {
  std::shared_ptr<const mlcrt::MemoryArrays> arrays;
  absl::Status status = call([&] { arrays = arraysOf(next_(), name_); });
  if (!status.ok())
    return status;
  return arrays;
}

static mlcrt::Configuration configurationOf(const Model &model) {
  absl::StatusOr<mlcrt::Configuration> configuration = mlcrt::Configuration::fromArtifact(*model.artifact());
  if (!configuration.ok())
    raise(configuration.status());
  return *std::move(configuration);
}

//===----------------------------------------------------------------------===//
// Session
//===----------------------------------------------------------------------===//

Session::Session(const Model &model, const std::string &verb, const nb::dict &given, const Sources &sources,
                 nb::object sink, mlcrt::StopToken &stop)
    : configuration(configurationOf(model)), options(runOptions(verb, given)), listener(std::move(sink)),
      reporter(listener), stop(stop), context{model.chosen(options, whyHost), configuration, options, reporter, stop} {
  if (!whyHost.empty()) {
    common::Message message;
    message.severity = common::Severity::Warning;
    message.what = "device   cpu: " + whyHost;
    reporter.message(message);
  }
  for (const auto &[setting, source] : sources) {
    const Arrays *arrays = nullptr;
    const Files *files = nullptr;
    std::shared_ptr<Stream> stream;
    if (source.is_none())
      continue;
    if (nb::try_cast(source, stream)) {
      stream->use(listener, stop);
      configuration.useStream(setting, std::move(stream));
    } else if (nb::try_cast(source, arrays)) {
      configuration.useArrays(setting, arrays->arrays());
    } else if (nb::try_cast(source, files)) {
      configuration.useFiles(setting, files->source());
    } else {
      throw nb::type_error((setting + ": expected Arrays, Files, a Stream or None").c_str());
    }
  }
  common::MessageList messages;
  if (!configuration.apply(options, messages))
    raise(messages, common::ExitCode::Usage);
  if (absl::Status status = mlcrt::checkRun(options, configuration); !status.ok())
    raise(status);
}

void Session::observe(Observer &observer) {
  context.observer = &observer;
  if (observer.observation())
    context.observation = observer.observation();
}

void Session::run(const std::function<absl::Status(mlcrt::RunContext &)> &body) {
  absl::Status status;
  std::atomic<bool> isDone{false};
  std::optional<ActiveRun> active(std::in_place, stop);
  std::thread thread([&] {
    try {
      status = body(context);
    } catch (const std::bad_alloc &) {
      common::Message message = common::makeError("E0502", "memory ran out");
      message.expected = machineText(common::machineLimits());
      status = mlcrt::messageStatus(absl::StatusCode::kInvalidArgument, message);
    } catch (const std::exception &error) { // no thread can be made, or so
      status = absl::InternalError(error.what());
    }
    isDone = true;
    listener.wake();
  });
  // What code of Python raises ends the run, and is raised when that has ended.
  std::exception_ptr raised;
  auto guarded = [&](const auto &action) {
    try {
      action();
    } catch (...) { // the thread has to be waited for first
      if (!raised)
        raised = std::current_exception();
      stop.raise(SIGINT);
    }
  };
  while (!isDone) {
    {
      const GilRelease release;
      listener.wait([&] { return isDone.load(); });
    }
    guarded([&] { listener.deliver(); });
    guarded([&] {
      if (PyErr_CheckSignals() != 0)
        throw nb::python_error();
    });
  }
  {
    const GilRelease release;
    thread.join();
  }
  active.reset();
  guarded([&] { listener.deliver(); });
  if (!raised)
    raised = listener.raised();
  if (raised)
    std::rethrow_exception(raised);
  checkProcess(); // it may be the end of the interpreter that stopped it
  if (!status.ok() && !(absl::IsCancelled(status) && stop.isStopped()))
    raise(status);
}

//===----------------------------------------------------------------------===//
// Verbs
//===----------------------------------------------------------------------===//

static nb::dict train(const Model &model, const nb::dict &options, nb::handle data, const nb::dict &evalData,
                      nb::object sink, mlcrt::StopToken &stop, nb::object observer) {
  Sources sources{{"train.files", data}};
  for (const auto &[key, each] : evalData) {
    const auto name = nb::cast<std::string>(key);
    sources[name.empty() ? "eval.files" : "eval." + name + ".files"] = each;
  }
  Session session(model, "train", options, sources, std::move(sink), stop);
  common::ExitCode code = common::ExitCode::Success;
  std::optional<Observer> observing;
  if (!observer.is_none())
    session.observe(observing.emplace(std::move(observer), session.listener, stop));
  session.run([&](mlcrt::RunContext &context) { return runTrain(context, code); });
  nb::dict result;
  const mlcrt::RunOutcome outcome = session.context.outcome.value_or(mlcrt::RunOutcome{});
  result["step"] = outcome.step;
  result["reason"] = outcome.reason;
  result["exit"] = exitStatus(code);
  return result;
}

/// A metric's value: a float or int, a text, or lists of them.
static nb::object metricValue(const mlcrt::Metric &metric) {
  // JSON has no NaN.
  if (metric.isScalar && metric.isFloat)
    return nb::float_(metric.values.front());
  return nb::module_::import_("json").attr("loads")(metric.json);
}

static nb::dict evaluate(const Model &model, const nb::dict &options, nb::handle data, nb::object sink,
                         mlcrt::StopToken &stop, nb::object observer, const Arrays *state,
                         std::optional<int64_t> step) {
  Sources sources;
  if (!data.is_none()) {
    const mlcrt::Configuration configuration = configurationOf(model);
    const std::string name = options.contains("name") ? nb::cast<std::string>(options["name"]) : "";
    for (const mlcrt::EvalSet &set : configuration.evalSets())
      if (name.empty() || set.name == name) {
        sources[set.prefix + ".files"] = data;
        break;
      }
  }
  Session session(model, "evaluate", options, sources, std::move(sink), stop);
  std::optional<Observer> observing;
  if (!observer.is_none())
    session.observe(observing.emplace(std::move(observer), session.listener, stop));
  mlcrt::GivenState given;
  if (state) {
    given = {state->arrays(), step};
    session.context.given = &given;
  }
  std::vector<mlcrt::Metric> found;
  session.run([&](mlcrt::RunContext &context) {
    return runEvaluate(context, [&](const mlcrt::EvalSet &, const std::vector<mlcrt::Metric> &metrics) {
      if (found.empty())
        found = metrics;
    });
  });
  nb::dict result;
  for (const mlcrt::Metric &metric : found)
    result[metric.name.c_str()] = metricValue(metric);
  return result;
}

static void predictToFile(const Model &model, const nb::dict &options, nb::handle data, nb::object sink,
                          mlcrt::StopToken &stop) {
  Session session(model, "predict", options, {{"predict.files", data}}, std::move(sink), stop);
  session.run([](mlcrt::RunContext &context) { return runPredict(context); });
}

static std::string exportModel(const Model &model, const nb::dict &options, nb::object sink, mlcrt::StopToken &stop,
                               nb::handle rows) {
  Session session(model, "export", options, {{"predict.files", rows}}, std::move(sink), stop);
  std::string path;
  session.run([&](mlcrt::RunContext &context) {
    absl::StatusOr<mlcrt::ExportRunResult> made = runExport(context);
    if (made.ok())
      path = made->path;
    return made.status();
  });
  return path;
}

Model::Model(const std::string &path) {
  checkProcess();
  absl::StatusOr<std::shared_ptr<const mlcrt::Artifact>> artifact = [&] {
    const GilRelease release;
    return mlcrt::Artifact::open(path);
  }();
  if (!artifact.ok())
    raise(artifact.status());
  artifact_ = *std::move(artifact);
  absl::StatusOr<std::shared_ptr<const mlcrt::Artifact>> onHost = hostPart(artifact_);
  if (!onHost.ok())
    raise(onHost.status());
  onHost_ = *std::move(onHost);
}

std::shared_ptr<const mlcrt::Artifact> Model::chosen(const mlcrt::RunOptions &options, std::string &whyHost) const {
  absl::StatusOr<mlcrt::CodeChoice> choice = [&] {
    const GilRelease release; // a driver starts
    return mlcrt::chooseCode(artifact_->table(), options.device, options.gpus);
  }();
  if (!choice.ok())
    raise(choice.status());
  whyHost = std::move(choice->whyHost);
  return onHost_ && choice->table == artifact_->table().on_host ? onHost_ : artifact_;
}

static std::vector<std::tuple<std::string, std::string, std::vector<int64_t>>> featuresOf(const Model &model) {
  std::vector<std::tuple<std::string, std::string, std::vector<int64_t>>> features;
  const mlcrt_artifact &table = model.artifact()->table();
  for (int32_t i = 0; i < table.num_features; ++i) {
    const mlcrt_value &value = table.features[i];
    std::vector<int64_t> dims(value.dims, value.dims + value.rank);
    for (int64_t &dim : dims)
      dim = std::max<int64_t>(dim, -1);
    features.emplace_back(value.name, std::string(mlcrt::dtypeName(value.dtype)), std::move(dims));
  }
  return features;
}

/// Names of what a task computes of its own rows in a step beside sums; none: the step has no parts.
static std::optional<std::vector<std::string>> ownOutputs(const Model &model) {
  const mlcrt_entry *grad = model.artifact()->entry(MLCRT_ROLE_TRAIN_GRAD);
  if (!grad)
    return std::nullopt;
  std::vector<std::string> names;
  for (int32_t i = 0; i < grad->num_outputs; ++i)
    names.emplace_back(grad->outputs[i].name);
  return names;
}

void addRuns(nb::module_ &module) {
  nb::class_<mlcrt::StopToken>(module, "StopToken", "Asks a run, from any thread, to save and to end.")
      .def(nb::init<>())
      .def("request", [](mlcrt::StopToken &token) { token.raise(SIGTERM); })
      .def("suspend", [](mlcrt::StopToken &token) { token.request(SIGTSTP); })
      .def_prop_ro("requested", &mlcrt::StopToken::isStopped);
  nb::class_<Model>(module, "Model", "A compiled model, loaded.")
      .def(nb::init<const std::string &>(), nb::arg("path"))
      .def_prop_ro("manifest",
                   [](const Model &model) {
                     const char *manifest = model.artifact()->table().manifest;
                     return nb::str(manifest ? manifest : "");
                   })
      .def_prop_ro("features", featuresOf)
      .def_prop_ro("own_outputs", ownOutputs);
  nb::class_<Stream>(module, "Stream", "Batches that a function gives, one after the other, until it returns None.")
      .def(nb::init<nb::object, std::string, nb::object, bool, int64_t>(), nb::arg("next"), nb::arg("name"),
           nb::arg("rewind").none() = nb::none(), nb::arg("is_resumed") = false, nb::arg("batch_rows") = 0);
  module.def("train", train, nb::arg("model"), nb::arg("options"), nb::arg("data").none(), nb::arg("eval_data"),
             nb::arg("sink").none(), nb::arg("stop"), nb::arg("observer").none() = nb::none());
  module.def("evaluate", evaluate, nb::arg("model"), nb::arg("options"), nb::arg("data").none(), nb::arg("sink").none(),
             nb::arg("stop"), nb::arg("observer").none() = nb::none(), nb::arg("state").none() = nb::none(),
             nb::arg("step").none() = nb::none());
  module.def("predict_to_file", predictToFile, nb::arg("model"), nb::arg("options"), nb::arg("data").none(),
             nb::arg("sink").none(), nb::arg("stop"));
  module.def("export", exportModel, nb::arg("model"), nb::arg("options"), nb::arg("sink").none(), nb::arg("stop"),
             nb::arg("rows").none() = nb::none());
}

} // namespace mlc::python
