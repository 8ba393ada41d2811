// Gradients of a compiled model from the rows alone that the artifact says they need, against those from whole tables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlc_pulled_rows MODEL.so SHARDS STEPS [FILES]: trains; before each step a second copy of the variables gets NaN in
// all rows of tables that are pulled by rows, then the rows that are pulled, and its gradients must have the same bits.
#include "runtime/src/core/RowPulls.h"
#include "runtime/src/core/Rows.h"
#include "runtime/src/train/BatchFeed.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlcrt;

namespace {

[[noreturn]] void fail(const std::string &what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  std::exit(1);
}
void check(const absl::Status &status) {
  if (!status.ok())
    fail(std::string(status.message()));
}
template <typename T> T check(absl::StatusOr<T> value) {
  check(value.status());
  return *std::move(value);
}

/// The bytes of all sums that count: of a sparse one its first "<table>.count" entries.
std::string bytesOf(const Artifact &artifact, const SumSet &sums) {
  const mlcrt_artifact &table = artifact.table();
  std::string bytes;
  for (int32_t i = 0; i < sums.size(); ++i) {
    const std::string name = table.sums[i].name, of = name.substr(0, name.rfind('.'));
    int64_t used = sums.sum(i).bytes();
    int64_t entries = 0, counted = -1;
    for (int32_t k = 0; k < sums.size(); ++k) {
      if (table.sums[k].name == of + ".ids")
        entries = sums.sum(k).elements();
      if (table.sums[k].name == of + ".count")
        counted = *sums.sum(k).as<int64_t>();
    }
    if (counted >= 0 && (name == of + ".ids" || name == of + ".rows") && entries > 0)
      used = used / entries * counted;
    bytes.append(sums.sum(i).as<char>(), static_cast<size_t>(used));
  }
  return bytes;
}

/// The gradients of a batch from the variables of one program.
class Gradients {
public:
  Gradients(Program &program, ThreadPool &pool, TrainMode mode)
      : program_(program), shards_(mode.virtualShards), step_(check(ShardStep::create(program, pool, mode))) {}

  std::string of(const BatchView &view, TrainSlots &slots, const CallContext &context) {
    check(step_->begin(view, slots, context));
    SumSet *sums = check(step_->sum({rootLevel(shards_), 0}));
    return sums ? bytesOf(program_.artifact(), *sums) : "";
  }

  void placeVariable(int32_t variable, void *data) { step_->placeVariable(variable, data); }

private:
  Program &program_;
  int64_t shards_;
  std::unique_ptr<ShardStep> step_;
};

/// All of the variables that are not pulled by rows.
void copyWhole(Program &from, Program &to, const RowPulls &pulls) {
  const std::vector<bool> byRows = pulls.areByRows();
  for (int32_t v = 0; v < from.state().size(); ++v)
    if (!byRows[v])
      check(to.state().write(v, from.state().storage(v)));
}

/// Makes all rows of the variables that are pulled by rows NaN.
void spoil(Program &program, const RowPulls &pulls) {
  for (size_t t = 0; t < pulls.size(); ++t) {
    const TensorView &table = program.state().storage(pulls.variable(t));
    std::memset(table.data, 0xff, static_cast<size_t>(byteCount(table)));
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4)
    fail("expected MODEL.so SHARDS STEPS [FILES]");
  const std::shared_ptr<const Artifact> artifact = check(Artifact::open(argv[1]));
  TrainMode mode;
  mode.virtualShards = std::atoi(argv[2]);
  mode.split = true;
  const int steps = std::atoi(argv[3]);

  Configuration configuration = check(Configuration::fromArtifact(*artifact));
  RunListener nobody;
  Reporter reporter(nobody);
  EntryDataOptions options;
  options.source = configuration.source("train.files");
  options.source.globs.insert(options.source.globs.end(), argv + 4, argv + argc);
  const mlcrt_entry &grad = *artifact->entry(MLCRT_ROLE_TRAIN_GRAD);
  const EntryData data = check(openEntryData(configuration, *artifact, grad, options, reporter));

  std::unique_ptr<Program> whole = check(Program::create(artifact)), part = check(Program::create(artifact));
  for (Program *program : {whole.get(), part.get()})
    check(configuration.bind(*program));
  ThreadPool pool(2), inputPool(1);
  check(whole->initialize(/*seed=*/3, pool));
  std::unique_ptr<TrainFeatures> features = check(TrainFeatures::create(*whole, inputPool, mode));
  TrainSlots slots = features->makeSlots();
  std::unique_ptr<TrainStep> train = check(TrainStep::create(*whole, pool, mode));
  Gradients ofAll(*whole, pool, mode), ofRows(*part, pool, mode);
  RowPulls pulls(*artifact);

  BatchOptions batches;
  batches.batchSize = configuration.number("train.batch_size");
  BatchReader reader(*data.dataset, batches);
  Batch batch;
  reader.prepare(batch);
  BatchView view;
  ReaderState state;
  int64_t ids = 0, rows = 0;
  for (CallContext context{/*seed=*/3, 0, 0}; context.step < steps; ++context.step) {
    state = reader.normalize(state);
    check(reader.read(state, batch));
    state = reader.next(state);
    fillView(*artifact, data, batch, view);
    check(features->run(view, slots, context));
    const std::string expected = ofAll.of(view, slots, context);
    copyWhole(*whole, *part, pulls);
    spoil(*part, pulls);
    if (context.step == 0 && pulls.size() > 0 && ofRows.of(view, slots, context) == expected)
      fail("rows of NaN change nothing");
    std::vector<AlignedBytes> bytes(pulls.size());
    pulls.find(slots, pool);
    for (size_t t = 0; t < pulls.size(); ++t) {
      const std::vector<int64_t> &needed = pulls.rows(t);
      const TensorView &from = whole->state().storage(pulls.variable(t));
      const auto count = static_cast<int64_t>(needed.size());
      bytes[t].reserve(count * bytesOfRow(from));
      check(gatherRows({from}, needed.data(), count, bytes[t].data()));
      check(scatterRows({part->state().storage(pulls.variable(t))}, needed.data(), count, bytes[t].data()));
      ids += pulls.idCount(t);
      rows += count;
    }
    if (ofRows.of(view, slots, context) != expected)
      fail("step " + std::to_string(context.step) + ": gradients from pulled rows have other bits");
    check(train->run(view, slots, context));
    // The same of rows that lie one after the other, wherever they may have other numbers.
    for (size_t t = 0; t < pulls.size(); ++t)
      if (pulls.isNumbered(t)) {
        const TensorView &table = part->state().storage(pulls.variable(t));
        std::memset(table.data, 0xff, static_cast<size_t>(byteCount(table)));
        ofRows.placeVariable(pulls.variable(t), bytes[t].data());
      }
    pulls.number(slots);
    if (ofRows.of(view, slots, context) != expected)
      fail("step " + std::to_string(context.step) + ": gradients from rows with other numbers have other bits");
    for (size_t t = 0; t < pulls.size(); ++t)
      ofRows.placeVariable(pulls.variable(t), nullptr);
  }
  std::printf("%d steps, %d shards: the same bits from %lld rows by %lld ids\n", steps, mode.virtualShards,
              static_cast<long long>(rows), static_cast<long long>(ids));
  for (size_t t = 0; t < pulls.size(); ++t)
    std::printf("by rows%s: %s\n", pulls.isNumbered(t) ? ", numbered" : "",
                artifact->table().variables[pulls.variable(t)].value.name);
}
