// What the compiled update of a server reaches of hand-written loops over the same memory, for each optimizer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A spec with one wide layer and one embedding is compiled with the update over ranges of rows; its functions for the
// kernel (dense) and the table (rows of a sparse gradient) run on one thread, in turn with loops for x86-64-v3 and with
// the same ones for this machine. Before that all update the same numbers and are compared.
#include "UpdateLoops.h"
#include "benchmarks/cluster/Times.h"
#include "mlc/Driver/Compile.h"
#include "mlcrt/abi.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <time.h>
#include <unistd.h>
#include <vector>

static constexpr int64_t kColumns = 8192, kTableRows = 1000000, kWidth = 32, kIds = 65536, kInputs = 1024;
static const Hyper kHyper = {0.05f, 0.9f, 1e-7f, 0.9f, 0.999f, 0.01f, 0.01f, 20};

struct Optimizer {
  const char *name;
  Rule rule;
  const char *text;
  int slots;
  const char *embedding = ""; ///< fields of the table
};
static const Optimizer kOptimizers[] = {
    {"sgd", Rule::Sgd, "sgd { learning_rate: 0.05 }", 0},
    {"momentum", Rule::Momentum, "momentum { learning_rate: 0.05 momentum: 0.9 }", 1},
    {"adagrad", Rule::Adagrad, "adagrad { learning_rate: 0.05 }", 1},
    {"adam", Rule::Adam, "adam { learning_rate: 0.05 }", 2},
    {"adam-lazy", Rule::Adam, "adam { learning_rate: 0.05 }", 2, "sparse_update: LAZY"},
    {"ftrl", Rule::Ftrl,
     "ftrl { learning_rate: 0.05 l1_regularization_strength: 0.01 l2_regularization_strength: 0.01 }", 2},
};

[[noreturn]] static void fail(const std::string &what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

static std::string specOf(const Optimizer &optimizer) {
  return R"(name: "update"
input {
  csv { header: true }
  column { name: "id"  dtype: INT64 }
  column { name: "label"  dtype: INT64 }
}
feature_column { categorical_with_identity { key: "id"  num_buckets: )" +
         std::to_string(kTableRows) + R"( } }
feature_column { embedding { categorical_column: "id"  dimension: )" +
         std::to_string(kWidth) + " " + optimizer.embedding + R"( } }
model { dnn { feature_columns: ["id_embedding"]  hidden_units: [)" +
         std::to_string(kInputs) + ", " + std::to_string(kColumns) + "]  optimizer { " + optimizer.text + R"( } } }
head { label: "label"  binary_class {} }
train { batch_size: 128 }
)";
}

static const mlcrt_artifact *compileSpec(const Optimizer &optimizer, const std::string &cpu) {
  const std::string base = "/tmp/mlc-update-" + std::to_string(::getpid()) + "-" + optimizer.name;
  std::ofstream(base + ".pbtxt") << specOf(optimizer);
  mlc::CompileOptions options;
  options.input = base + ".pbtxt";
  options.output = base + ".so";
  options.phase = mlc::Phase::Shared;
  options.cpu = cpu;
  mlc::common::MessageList messages;
  std::string unused;
  if (mlc::compile(options, messages, unused).code != mlc::common::ExitCode::Success)
    fail(messages.format());
  void *handle = dlopen(options.output.c_str(), RTLD_NOW | RTLD_LOCAL);
  ::unlink(options.input.c_str());
  ::unlink(options.output.c_str());
  if (!handle)
    fail(dlerror());
  auto query = reinterpret_cast<mlcrt_artifact_query_fn>(dlsym(handle, MLCRT_ARTIFACT_QUERY_SYMBOL));
  return query(MLCRT_ABI_VERSION, nullptr);
}

namespace {
/// Memory aligned as the ABI has it.
class Memory {
public:
  explicit Memory(int64_t bytes) : data_(std::aligned_alloc(MLCRT_ALIGNMENT, (bytes + 127) / 64 * 64)) {
    std::memset(data_, 0, static_cast<size_t>((bytes + 127) / 64 * 64));
  }
  Memory(Memory &&other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  ~Memory() { std::free(data_); }
  template <typename T> T *as() const { return static_cast<T *>(data_); }

private:
  void *data_;
};

/// The operands of an artifact's update functions, and calls of these on one thread. Each range is all rows.
class Updates {
public:
  explicit Updates(const mlcrt_artifact &artifact);

  /// Runs function `index`.
  void run(int64_t index);
  void runAll() {
    for (int64_t u = 0; u < artifact_.num_updates; ++u)
      run(u);
  }
  /// The function that writes a variable whose name ends so.
  int64_t updateOf(std::string_view ending) const;
  float *variable(const std::string &name);
  /// The sum of the gradient of a variable, or a part of it.
  template <typename T> T *sum(int64_t update, std::string_view ending);
  const mlcrt_artifact &artifact() const { return artifact_; }

private:
  struct Call {
    std::vector<mlcrt_buffer> buffers;
    std::unique_ptr<Memory> workspace;
    mlcrt_memory workspaces = {};
    mlcrt_frame frame = {};
  };
  mlcrt_buffer &bufferOf(const mlcrt_operand &operand, const mlcrt_value &value, const mlcrt_update &update);
  void fill(const mlcrt_operand &operand, const mlcrt_value &value, mlcrt_buffer &buffer);

  const mlcrt_artifact &artifact_;
  mlcrt_services services_ = {};
  std::vector<int64_t> symbols_;
  std::map<std::array<int32_t, 3>, mlcrt_buffer> buffers_;
  std::deque<std::vector<int64_t>> dims_;
  std::vector<Memory> memory_;
  std::vector<Call> calls_;
  std::mt19937 random_{7};
};
} // namespace

static int64_t sizeOf(int32_t dtype) {
  switch (dtype) {
  case MLCRT_F32:
  case MLCRT_I32:
    return 4;
  case MLCRT_F64:
  case MLCRT_I64:
    return 8;
  default:
    fail("an update has an operand of dtype " + std::to_string(dtype));
  }
}

static bool endsWith(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

void Updates::fill(const mlcrt_operand &operand, const mlcrt_value &value, mlcrt_buffer &buffer) {
  int64_t n = 1;
  for (int32_t d = 0; d < buffer.rank; ++d)
    n *= buffer.dims[d];
  auto *floats = static_cast<float *>(buffer.data);
  auto *integers = static_cast<int64_t *>(buffer.data);
  if (operand.source == MLCRT_SOURCE_SETTING) {
    const mlcrt_setting &setting = artifact_.settings[operand.index];
    if (setting.dtype == MLCRT_I64)
      *integers = setting.i64;
    else
      *floats = static_cast<float>(setting.f64);
  } else if (operand.source == MLCRT_SOURCE_DIMENSION) {
    *integers = symbols_.at(operand.index);
  } else if (endsWith(value.name, ".ids")) {
    for (int64_t i = 0; i < n; ++i)
      integers[i] = i * (kTableRows / n) + static_cast<int64_t>(random_() % (kTableRows / n));
  } else if (buffer.dtype == MLCRT_I64) {
    std::fill(integers, integers + n, endsWith(value.name, ".count") ? kIds : 1);
  } else if (buffer.dtype == MLCRT_F32 && operand.source != MLCRT_SOURCE_SHARED) {
    for (int64_t i = 0; i < n; ++i)
      floats[i] = operand.source == MLCRT_SOURCE_VARIABLE ? 0.1f + static_cast<float>(random_() >> 8) * 0x1p-24f
                  : buffer.rank == 0                      ? 1
                                                          : static_cast<float>(random_() >> 8) * 0x1p-24f - 0.5f;
  }
}

mlcrt_buffer &Updates::bufferOf(const mlcrt_operand &operand, const mlcrt_value &value, const mlcrt_update &update) {
  // A dimension is that of the call.
  const int32_t of = operand.source == MLCRT_SOURCE_DIMENSION ? update.entry : -1;
  auto [it, isNew] = buffers_.try_emplace({operand.source, operand.index, of});
  mlcrt_buffer &buffer = it->second;
  if (!isNew)
    return buffer;
  buffer.dtype = value.dtype;
  buffer.rank = value.rank;
  buffer.dims = dims_.emplace_back(value.rank).data();
  int64_t bytes = sizeOf(value.dtype);
  for (int32_t d = 0; d < value.rank; ++d)
    bytes *= buffer.dims[d] = value.dims[d] >= 0                                      ? value.dims[d]
                              : value.dims[d] == MLCRT_DIM_SYMBOL(update.rows_symbol) ? update.rows
                                                                                      : kIds;
  memory_.emplace_back(bytes);
  buffer.data = memory_.back().as<void>();
  fill(operand, value, buffer);
  return buffer;
}

Updates::Updates(const mlcrt_artifact &artifact) : artifact_(artifact) {
  services_.struct_size = sizeof(services_);
  services_.version = MLCRT_ABI_VERSION;
  services_.parallel_for = [](void *, mlcrt_task_fn fn, void *args, int64_t tasks) { return fn(args, 0, tasks, 0); };
  for (int64_t u = 0; u < artifact.num_updates; ++u) {
    symbols_.resize(std::max<size_t>(symbols_.size(), artifact.updates[u].rows_symbol + 1));
    for (int64_t i = 0; i < artifact.updates[u].num_operands; ++i)
      for (int32_t d = 0; d < artifact.updates[u].operands[i].rank; ++d)
        if (const int64_t dim = artifact.updates[u].operands[i].dims[d]; dim < 0 && dim > -1000)
          symbols_.resize(std::max<size_t>(symbols_.size(), -dim));
  }
  calls_.resize(artifact.num_updates);
  for (int64_t u = 0; u < artifact.num_updates; ++u) {
    const mlcrt_update &update = artifact.updates[u];
    const mlcrt_segment &segment = artifact.entries[update.entry].segments[0];
    std::fill(symbols_.begin(), symbols_.end(), kIds);
    if (update.rows_symbol > 0)
      symbols_.at(update.rows_symbol) = update.rows;
    Call &call = calls_[u];
    for (int32_t i = 0; i < segment.num_operands; ++i)
      call.buffers.push_back(bufferOf(segment.operands[i], update.operands[i], update));
    const int64_t bytes = segment.num_workspaces ? segment.workspaces[0].size(symbols_.data(), 1) : 0;
    call.workspace = std::make_unique<Memory>(bytes);
    call.workspaces = {call.workspace->as<void>(), bytes};
    call.frame = {sizeof(mlcrt_frame), 1, &services_, this, call.buffers.data(), &call.workspaces};
  }
}

void Updates::run(int64_t index) {
  const mlcrt_segment &segment = artifact_.entries[artifact_.updates[index].entry].segments[0];
  if (segment.run(&calls_[index].frame) != MLCRT_OK)
    fail(std::string(segment.name) + " fails");
}

int64_t Updates::updateOf(std::string_view ending) const {
  for (int64_t u = 0; u < artifact_.num_updates; ++u) {
    const mlcrt_entry &entry = artifact_.entries[artifact_.updates[u].entry];
    for (int32_t i = 0; entry.role == MLCRT_ROLE_TRAIN_UPDATE && i < entry.segments[0].num_operands; ++i)
      if (entry.segments[0].operands[i].source == MLCRT_SOURCE_VARIABLE &&
          endsWith(artifact_.updates[u].operands[i].name, ending))
        return u;
  }
  fail("no function updates " + std::string(ending));
}

float *Updates::variable(const std::string &name) {
  for (int32_t v = 0; v < artifact_.num_variables; ++v)
    if (artifact_.variables[v].value.name == name)
      return static_cast<float *>(buffers_.at({MLCRT_SOURCE_VARIABLE, v, -1}).data);
  fail("no variable " + name);
}

template <typename T> T *Updates::sum(int64_t update, std::string_view ending) {
  const mlcrt_segment &segment = artifact_.entries[artifact_.updates[update].entry].segments[0];
  for (int32_t i = 0; i < segment.num_operands; ++i)
    if (segment.operands[i].source == MLCRT_SOURCE_SUM_A && calls_[update].buffers[i].rank > 0 &&
        endsWith(artifact_.updates[update].operands[i].name, ending))
      return static_cast<T *>(calls_[update].buffers[i].data);
  fail("no sum " + std::string(ending));
}

/// Of this thread, so that what else runs on the machine only counts as far as it takes memory's time.
static double threadSeconds() {
  timespec now;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
template <typename Run> static double timeOf(Run run) {
  const double start = threadSeconds();
  run();
  return threadSeconds() - start;
}

/// `ending` of the variable's name; `rows` of it; its gradient is sparse or dense.
static void measure(Updates &updates, const Optimizer &optimizer, const std::string &ending, int64_t rows,
                    int64_t columns, bool isSparse, int rounds) {
  const int64_t index = updates.updateOf(ending), n = rows * columns;
  const mlcrt_artifact &artifact = updates.artifact();
  std::vector<std::string> names;
  for (int32_t v = 0; v < artifact.num_variables; ++v)
    if (endsWith(artifact.variables[v].value.name, ending))
      for (int32_t s = 0; s < artifact.num_variables; ++s)
        if (s == v || artifact.variables[s].slot_of == v)
          names.push_back(artifact.variables[s].value.name);
  if (static_cast<int>(names.size()) != 1 + optimizer.slots)
    fail(std::string(optimizer.name) + " has " + std::to_string(names.size() - 1) + " slots");
  // A copy for each of the loops: what one leaves in caches is nothing to the next.
  struct Peer {
    const Loops &loops;
    std::vector<float *> state;
  };
  Peer portable = {kPortableLoops, std::vector<float *>(3)}, native = {kNativeLoops, std::vector<float *>(3)};
  std::vector<float *> ours(3, nullptr);
  std::vector<Memory> copies;
  for (size_t k = 0; k < names.size(); ++k) {
    ours[k] = updates.variable(names[k]);
    for (Peer *peer : {&portable, &native}) {
      copies.emplace_back(n * 4);
      peer->state[k] = copies.back().as<float>();
      std::memcpy(peer->state[k], ours[k], static_cast<size_t>(n) * 4);
    }
  }
  Hyper hyper = kHyper;
  if (optimizer.rule == Rule::Adam) // the step is 1, and this the second one
    hyper.eta *= std::sqrt(1 - hyper.beta2 * hyper.beta2) / (1 - hyper.beta1 * hyper.beta1);
  const float *g = updates.sum<float>(index, isSparse ? ".rows" : "");
  const int64_t *ids = isSparse ? updates.sum<int64_t>(index, ".ids") : nullptr;
  // Slots of Adam decay in every row, unless they are lazy.
  const bool isWhole = isSparse && optimizer.rule == Rule::Adam && !*optimizer.embedding;
  auto loop = [&](const Peer &peer) {
    const auto &[loops, state] = peer;
    if (!isSparse)
      loops.dense(optimizer.rule, hyper, 1, g, state[0], state[1], state[2], n);
    else if (isWhole)
      loops.table(optimizer.rule, hyper, 1, ids, kIds, rows, columns, g, state[0], state[1], state[2]);
    else
      loops.rows(optimizer.rule, hyper, 1, ids, kIds, columns, g, state[0], state[1], state[2]);
  };
  updates.run(index);
  for (const Peer *peer : {&portable, &native}) {
    loop(*peer);
    for (size_t k = 0; k < names.size(); ++k)
      for (int64_t i = 0; i < n; ++i)
        if (const float hand = peer->state[k][i]; !(std::fabs(ours[k][i] - hand) <= 1e-5f + 1e-4f * std::fabs(hand)))
          fail(std::string(optimizer.name) + ": " + names[k] + "[" + std::to_string(i) + "] is " +
               std::to_string(ours[k][i]) + " and by hand " + std::to_string(hand));
  }
  std::vector<double> own, portableTimes, nativeTimes, portableRatios, nativeRatios;
  for (int r = 0; r < rounds; ++r) {
    own.push_back(timeOf([&] { updates.run(index); }));
    portableTimes.push_back(timeOf([&] { loop(portable); }));
    nativeTimes.push_back(timeOf([&] { loop(native); }));
    portableRatios.push_back(portableTimes.back() / own.back());
    nativeRatios.push_back(nativeTimes.back() / own.back());
  }
  const double elements = static_cast<double>(isSparse && !isWhole ? kIds * columns : n);
  auto rate = [&](const std::vector<double> &times) { return elements / median(times) / 1e6; };
  std::printf("%-10s %-7s %9.1f %9.1f %6.2f %9.1f %6.2f%s\n", optimizer.name, isSparse ? "rows" : "dense", rate(own),
              rate(portableTimes), median(portableRatios), rate(nativeTimes), median(nativeRatios),
              isWhole ? "  (all rows)" : "");
  std::fflush(stdout);
}

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  const std::string cpu = argc > 2 ? argv[2] : "x86-64-v3", only = argc > 3 ? argv[3] : "";
  double load = 0;
  if (::getloadavg(&load, 1) == 1)
    std::printf(
        "load %.2f, one thread, compiled for %s; medians of %d rounds, Melements/s of CPU time, ratios of times\n",
        load, cpu.c_str(), rounds);
  std::printf("%-18s %9s %16s %16s\n", "", "compiled", "x86-64-v3 loops", "native loops");
  for (const Optimizer &optimizer : kOptimizers) {
    if (!only.empty() && only != optimizer.name)
      continue;
    Updates updates(*compileSpec(optimizer, cpu));
    updates.runAll(); // what all rows share
    if (!*optimizer.embedding)
      measure(updates, optimizer, "hiddenlayer_1/kernel", kInputs, kColumns, false, rounds);
    measure(updates, optimizer, "embedding_weights", kTableRows, kWidth, true, rounds);
  }
  return 0;
}
