// Successive halving over the settings of a spec (Jamieson and Talwalkar 2016).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Tune.h"
#include "lib/Driver/OutputFile.h"
#include "lib/Driver/Tune/Trial.h"
#include "lib/Driver/Tune/TrialRunner.h"
#include "lib/Driver/Tune/TuneSpace.h"
#include "mlc/Driver/Compile.h"
#include "mlc/Driver/SpecVerbs.h"
#include "mlc/Driver/Verbs.h"
#include "mlc/Frontend/EstimatorSpec/Import.h"
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <deque>
#include <map>

using namespace mlc;
using common::ExitCode;
using Clock = std::chrono::steady_clock;

/// Of the trials of a bracket, one of kKeep goes on for kKeep times as long, until the last has all the spec gives.
static constexpr int64_t kKeep = 3, kBracket = 9;

/// Trials that are compared with the spec, at most, on cuts that have not chosen them: one where there are so many rows
/// that one cut chose.
static constexpr size_t mostChecks(int64_t cuts) { return cuts > 1 ? 3 : 1; }

namespace {
class Tuner {
public:
  Tuner(const common::CommandLine &line, common::MessageList &messages)
      : line_(line), messages_(messages), spec_(line.positionals.front()) {}

  int run(std::string &text);

private:
  bool fail(const char *code, std::string what, std::string help = {}) {
    common::Message error = common::makeError(code, std::move(what), std::move(help));
    error.place.file = spec_;
    messages_.add(std::move(error));
    return false;
  }
  bool readSpec();
  bool chooseCuts();
  bool prepareDirectory();
  bool compileTrial(Trial &trial);
  /// Adds what trainers run on to their arguments.
  void addDevice(std::vector<std::string> &arguments) const {
    for (const char *flag : {"device", "gpu_memory"})
      if (line_.has(flag))
        arguments.insert(arguments.end(), {std::string("--") + flag, line_.text(flag)});
  }
  bool runBracket(int64_t first, int64_t count);
  void runRung(const std::vector<Trial *> &chosen, int64_t budget, bool isLast);
  /// Whether a is better than b: full ones first, then by value, then by number.
  bool isBetter(const Trial &a, const Trial &b) const;
  /// The spec, unless one of the best is better on other cuts, too; the best trial where there is no other cut.
  const Trial &choose(TuneTable &table);
  bool writeBest(const Trial &best);

  const common::CommandLine &line_;
  common::MessageList &messages_;
  const std::string spec_;
  std::vector<TuneSetting> space_;
  std::string metric_, evalSet_;
  bool isGreaterBetter_ = false;
  /// The share of the rows that a cut holds out, which have how many, and the seed of the first cut; 0: the spec's cut
  /// is not by share, and the only one.
  double share_ = 0;
  int64_t heldOut_ = 0, firstSeed_ = 0, cuts_ = 1;
  const char *budgetFlag_ = "--epochs";
  int64_t budget_ = 0;
  std::string output_;
  llvm::SmallString<128> directory_;
  unsigned jobs_ = 1;
  /// Trials, and those of them by what is compiled in.
  std::deque<Trial> trials_;
  std::map<std::string, std::string> programs_;
};
} // namespace

bool Tuner::readSpec() {
  frontend::ShowOptions show;
  show.resolved = show.json = true;
  std::string text;
  if (!frontend::showSpec(spec_, changesOf(line_), show, messages_, text))
    return false;
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(text);
  if (!json)
    return llvm::consumeError(json.takeError()), fail("E0199", "the spec as JSON cannot be read");
  const llvm::json::Object &spec = *json->getAsObject();
  const llvm::json::Object *train = spec.getObject("train");
  const llvm::json::Array *rules = train ? train->getArray("early_stopping") : nullptr;
  const llvm::json::Object *rule = rules && !rules->empty() ? rules->front().getAsObject() : nullptr;
  if (!rule)
    return fail("E0227", "the spec has no train.early_stopping: nothing says which trial is the best",
                "mlc spec init writes a validation cut, and early stopping on it");
  metric_ = rule->getString("metric").value_or("").str();
  evalSet_ = rule->getString("eval").value_or("").str();
  const llvm::StringRef stopIf = rule->getString("stop_if").value_or("");
  isGreaterBetter_ = stopIf == "NO_INCREASE" || stopIf == "HIGHER";
  if (std::optional<int64_t> epochs = train->getInteger("epochs")) {
    budget_ = *epochs;
  } else if (std::optional<int64_t> steps = train->getInteger("max_steps")) {
    budgetFlag_ = "--max_steps";
    budget_ = *steps;
  } else {
    return fail("E0206", "neither train.epochs nor train.max_steps says how long a trial lasts",
                "--set train.epochs=N");
  }
  const llvm::json::Object *validation = train->getObject("validation");
  const llvm::json::Array *sets = spec.getArray("eval");
  const bool isOnCut = sets && llvm::any_of(*sets, [&](const llvm::json::Value &value) {
                         const llvm::json::Object *set = value.getAsObject();
                         return set && set->getString("name").value_or("") == evalSet_ &&
                                set->getBoolean("on_validation").value_or(false);
                       });
  if (validation && isOnCut) {
    share_ = validation->getNumber("share").value_or(0);
    firstSeed_ = validation->getInteger("seed").value_or(0);
  }
  return readTuneSpace(spec, space_, messages_);
}

/// Asks the spec's own trainer how many rows are held out.
bool Tuner::chooseCuts() {
  if (share_ <= 0)
    return true;
  Trial spec;
  if (!compileTrial(spec))
    return false;
  TrialRun run{spec.program,
               {"train", "--dry_run", "--json", "--threads", "1"},
               (directory_ + "/rows.json").str(),
               evalSet_,
               metric_};
  addDevice(run.arguments);
  for (const std::string &set : spec.sets)
    run.arguments.insert(run.arguments.end(), {"--set", set});
  // What is wrong with the data is told where the spec is tried.
  heldOut_ = runTrials({run}, 1).front().heldOut;
  if (heldOut_ > 0)
    cuts_ = cutsFor(heldOut_);
  return true;
}

/// Where the trials' model_dirs are: a directory of ours that goes with us, or the one that is asked for.
bool Tuner::prepareDirectory() {
  std::error_code error;
  if (line_.has("work_dir")) {
    directory_ = line_.text("work_dir");
    llvm::sys::fs::directory_iterator first(directory_, error), end;
    if (!error && first != end)
      return fail("E0601", "--work_dir: '" + directory_.str().str() + "' is not empty", "another directory");
    error = llvm::sys::fs::create_directories(directory_);
  } else {
    error = llvm::sys::fs::createUniqueDirectory("mlc-tune", directory_);
  }
  return !error || fail("E0601", "cannot make a directory for the trials: " + error.message(), "--work_dir DIR");
}

bool Tuner::compileTrial(Trial &trial) {
  std::vector<frontend::SpecChange> changes = changesOf(line_);
  for (const auto &[path, value] : trial.values)
    changes.push_back({frontend::SpecChange::Set, path + "=" + value});
  // What is wrong with one trial is wrong with the space: each value is checked before anything runs.
  if (!frontend::checkSpec(spec_, changes, messages_))
    return false;
  CompileOptions options;
  options.input = spec_;
  options.cpu = line_.text("cpu", "native");
  if (!readTarget(line_, options, messages_))
    return false;
  options.plugins = line_.texts("load");
  options.changes = changes;
  trial.sets = frontend::takeStartChanges(spec_, options.changes);
  options.cacheDirectory = line_.text("cache_dir", defaultCacheDirectory());
  std::string structure;
  for (const frontend::SpecChange &change : options.changes)
    structure += change.text + "\n";
  std::string &program = programs_[structure];
  if (program.empty()) {
    std::string none;
    CompileResult compiled = compile(options, messages_, none);
    if (compiled.code != ExitCode::Success)
      return false;
    program = compiled.path;
  }
  trial.program = program;
  return true;
}

bool Tuner::isBetter(const Trial &a, const Trial &b) const {
  if (a.isFull != b.isFull)
    return a.isFull;
  if (a.reached.has_value() != b.reached.has_value())
    return a.reached.has_value();
  if (!a.reached)
    return a.number < b.number;
  const double x = a.reached->mean(), y = b.reached->mean();
  if (x != y)
    return isGreaterBetter_ ? x > y : x < y;
  return a.number < b.number;
}

/// Trains the trials on their cuts up to a budget, from where they are.
void Tuner::runRung(const std::vector<Trial *> &chosen, int64_t budget, bool isLast) {
  std::vector<TrialRun> runs;
  std::vector<CutTraining *> which;
  for (Trial *trial : chosen) {
    for (auto [number, cut] : llvm::enumerate(trial->cuts)) {
      if (cut.reason == "early_stopping" || (cut.status != 0 && !cut.directory.empty()))
        continue; // over, one way or the other
      if (cut.directory.empty()) {
        cut.directory = (directory_ + "/trial-" + std::to_string(trial->number)).str();
        if (const int64_t seed = cut.seed - firstSeed_; seed > 0)
          cut.directory += "-cut-" + std::to_string(seed);
      }
      TrialRun run;
      run.program = trial->program;
      run.log = cut.directory + ".json";
      run.evalSet = evalSet_;
      run.metric = metric_;
      run.arguments = {"train",     "--json", "--model_dir", cut.directory, budgetFlag_, std::to_string(budget),
                       "--threads", "1"};
      addDevice(run.arguments);
      for (const std::string &set : trial->sets)
        run.arguments.insert(run.arguments.end(), {"--set", set});
      if (share_ > 0)
        run.arguments.insert(run.arguments.end(), {"--set", "train.validation.seed=" + std::to_string(cut.seed)});
      runs.push_back(std::move(run));
      which.push_back(&cut);
    }
  }
  std::vector<TrialEnd> ends = runTrials(runs, jobs_);
  for (auto [cut, end] : llvm::zip_equal(which, ends)) {
    cut->status = end.status;
    cut->reason = end.reason;
    cut->curve.insert(end.curve.begin(), end.curve.end());
  }
  for (Trial *trial : chosen) {
    std::vector<Curve> curves;
    trial->isFull = true;
    for (const CutTraining &cut : trial->cuts) {
      trial->isFull &= cut.status == 0 && (isLast || cut.reason == "early_stopping");
      curves.push_back(cut.curve);
    }
    trial->reached = valuesOverCuts(curves, isGreaterBetter_);
  }
}

/// Runs trials [first, first + count): fewer and fewer of them for longer and longer. The spec itself is never dropped.
bool Tuner::runBracket(int64_t first, int64_t count) {
  std::vector<Trial *> chosen;
  for (int64_t number = first; number < first + count && !receivedSignal(); ++number) {
    Trial &trial = trials_.emplace_back();
    trial.number = number;
    trial.values = drawTrial(space_, static_cast<uint64_t>(line_.integer("seed").value_or(0)), number);
    for (int64_t cut = 0; cut < cuts_; ++cut)
      trial.cuts.emplace_back().seed = firstSeed_ + cut;
    if (!compileTrial(trial))
      return false;
    chosen.push_back(&trial);
  }
  int64_t rungs = 1;
  for (int64_t left = count; left >= kKeep; left /= kKeep)
    ++rungs;
  int64_t share = 1;
  for (int64_t i = 1; i < rungs; ++i)
    share *= kKeep;
  for (; share >= 1 && !receivedSignal(); share /= kKeep) {
    const int64_t budget = std::max<int64_t>(1, (budget_ + share - 1) / share);
    runRung(chosen, budget, /*isLast=*/share == 1);
    if (!line_.on("quiet"))
      llvm::errs() << "tune     trials " << first << " to " << first + count - 1 << ": " << chosen.size() << " had "
                   << budget << (budgetFlag_ == llvm::StringRef("--epochs") ? " epochs" : " steps") << " at most"
                   << (cuts_ > 1 ? " on each of " + std::to_string(cuts_) + " cuts" : "") << "\n";
    // Those that were over early are compared as all are.
    std::stable_sort(chosen.begin(), chosen.end(), [&](const Trial *a, const Trial *b) {
      if (!a->reached || !b->reached)
        return a->reached.has_value() && !b->reached;
      const double x = a->reached->mean(), y = b->reached->mean();
      return isGreaterBetter_ ? x > y : x < y;
    });
    chosen.resize(std::max<size_t>(1, chosen.size() / kKeep));
    if (first == 0 && !llvm::is_contained(chosen, &trials_.front()))
      chosen.push_back(&trials_.front());
  }
  return true;
}

const Trial &Tuner::choose(TuneTable &table) {
  const Trial &best = *table.order.front();
  // An interrupted search has no time for more, and a spec that was not evaluated nothing to stay for.
  if (share_ <= 0 || receivedSignal() || best.number == 0 || !trials_.front().reached || !best.isFull)
    return best;
  std::vector<const Trial *> candidates = {&trials_.front()};
  for (const Trial *trial : table.order)
    if (trial->number != 0 && trial->isFull && trial->reached && candidates.size() <= mostChecks(cuts_))
      candidates.push_back(trial);
  // The best of many is so by chance in part. Cuts that have chosen nothing tell which part.
  std::vector<Trial> again;
  std::vector<Trial *> chosen;
  for (const Trial *candidate : candidates) {
    again.push_back(*candidate);
    again.back().cuts.assign(static_cast<size_t>(checkCutsFor(cuts_)), CutTraining());
    for (auto [number, cut] : llvm::enumerate(again.back().cuts))
      cut.seed = firstSeed_ + cuts_ + static_cast<int64_t>(number);
  }
  for (Trial &trial : again)
    chosen.push_back(&trial);
  runRung(chosen, budget_, /*isLast=*/true);
  const Trial *taken = &trials_.front();
  double most = 0;
  for (size_t i = 1; i < again.size() && again.front().reached && !receivedSignal(); ++i) {
    if (!again[i].reached)
      continue;
    const Advantage found = advantage(*again[i].reached, *again.front().reached, isGreaterBetter_, share_);
    table.checks.push_back({candidates[i]->number, found});
    if (found.isSure() && found.mean > most) {
      most = found.mean;
      taken = candidates[i];
    }
  }
  return *taken;
}

/// What a trainer said first of what is wrong.
static std::string firstError(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  llvm::StringRef rest = buffer ? (*buffer)->getBuffer() : llvm::StringRef();
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    if (line.contains("error"))
      return "the first trial says: " + line.str();
    rest = next;
  }
  return "evaluations that are nearer: eval.every_n_steps";
}

/// Writes the spec with the settings of a trial, and what is known of them.
bool Tuner::writeBest(const Trial &best) {
  std::vector<frontend::SpecChange> changes = changesOf(line_);
  for (const auto &[path, value] : best.values)
    changes.push_back({frontend::SpecChange::Set, path + "=" + value});
  std::string text;
  if (!frontend::showSpec(spec_, changes, frontend::ShowOptions(), messages_, text))
    return false;
  std::string content;
  llvm::raw_string_ostream stream(content);
  stream << "# mlc tune of " << llvm::sys::path::filename(spec_) << ": trial " << best.number << " of "
         << trials_.size() << ", seed " << line_.integer("seed").value_or(0) << "; " << metric_ << " "
         << llvm::formatv("{0:f6}", best.reached->mean()).str();
  if (trials_.front().reached && best.number != 0)
    stream << ", of the spec " << llvm::formatv("{0:f6}", trials_.front().reached->mean()).str();
  if (cuts_ > 1)
    stream << ", means of " << cuts_ << " cuts";
  stream << "\n" << text;
  const std::error_code error = writeOutputFile(output_, content);
  return !error || fail("E0601", "cannot write '" + output_ + "': " + error.message());
}

int Tuner::run(std::string &text) {
  auto status = [&](ExitCode code) { return exitStatus(code); };
  const bool byTime = line_.has("time");
  llvm::SmallString<128> output(spec_);
  llvm::sys::path::replace_extension(output, "tuned.pbtxt");
  output_ = line_.text("output", output.str().str());
  llvm::SmallString<128> from(spec_), to(output_);
  llvm::sys::fs::make_absolute(from);
  llvm::sys::fs::make_absolute(to);
  if (llvm::sys::path::parent_path(from) != llvm::sys::path::parent_path(to))
    return fail("E0203", "-o: the paths in a spec are relative to its directory; '" + output_ + "' is in another",
                "a file beside '" + spec_ + "'"),
           status(ExitCode::Usage);
  if (!line_.on("force") && llvm::sys::fs::exists(output_))
    return fail("E0405", "'" + output_ + "': the file exists", "--force, or another -o"),
           status(ExitCode::OutputNotWritable);
  if (!readSpec())
    return status(ExitCode::Usage);
  if (!prepareDirectory())
    return status(ExitCode::OutputNotWritable);
  auto clean = llvm::scope_exit([&] {
    if (!line_.has("work_dir"))
      llvm::sys::fs::remove_directories(directory_);
  });
  jobs_ = static_cast<unsigned>(
      line_.integer("jobs").value_or(std::max(1u, llvm::hardware_concurrency().compute_thread_count())));
  keepInterrupts();
  const Clock::time_point start = Clock::now();
  if (!chooseCuts())
    return status(ExitCode::Usage);
  const std::chrono::duration<double> limit(static_cast<double>(line_.integer("time").value_or(0)));
  const int64_t most = line_.integer("trials").value_or(INT64_MAX);
  for (int64_t first = 0; first < most && !receivedSignal(); first += kBracket) {
    const Clock::time_point began = Clock::now();
    if (!runBracket(first, std::min(kBracket, most - first)))
      return status(ExitCode::Usage);
    // A bracket that would end too late is not begun; other cuts take about as long as one, or two.
    if (byTime && Clock::now() + (Clock::now() - began) * (share_ <= 0 ? 1 : cuts_ > 1 ? 2 : 3) > start + limit)
      break;
  }
  TuneTable table{metric_, isGreaterBetter_, share_, cuts_, checkCutsFor(cuts_), heldOut_, firstSeed_, {}, {}, {}};
  for (const Trial &trial : trials_)
    table.order.push_back(&trial);
  llvm::sort(table.order, [&](const Trial *a, const Trial *b) { return isBetter(*a, *b); });
  auto tell = [&] { text = line_.on("json") ? tuneEvents(table) : tuneText(table); };
  if (table.order.empty() || !table.order.front()->reached) {
    tell();
    if (!receivedSignal())
      fail("E0227", "no trial was evaluated", firstError(trials_.front().cuts.front().directory + ".json.err"));
    return receivedSignal() ? 128 + receivedSignal() : status(ExitCode::Usage);
  }
  const Trial &taken = choose(table);
  table.taken = taken.number;
  tell();
  if (!writeBest(taken))
    return status(ExitCode::OutputNotWritable);
  if (!line_.on("quiet"))
    llvm::errs() << "tuned    " << trials_.size() << " trials"
                 << (receivedSignal() ? ", interrupted"
                     : byTime         ? " (--trials makes the same)"
                                      : "")
                 << ": trial " << taken.number << "      " << output_ << "      next: mlc train " << output_
                 << " --model_dir DIR\n";
  return receivedSignal() ? 128 + receivedSignal() : 0;
}

int mlc::runTune(const common::CommandLine &line, common::MessageList &messages, std::string &text) {
  return Tuner(line, messages).run(text);
}
