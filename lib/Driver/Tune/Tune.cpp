// Successive halving over the settings of a spec (Jamieson and Talwalkar 2016).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Tune.h"
#include "lib/Driver/OutputFile.h"
#include "lib/Driver/Tune/TrialRunner.h"
#include "lib/Driver/Tune/TuneSpace.h"
#include "mlc/Driver/Compile.h"
#include "mlc/Driver/SpecVerbs.h"
#include "mlc/Frontend/EstimatorSpec/Import.h"
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"

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
#include <map>

using namespace mlc;
using common::ExitCode;
using Clock = std::chrono::steady_clock;

/// Of the trials of a bracket, one of kKeep goes on for kKeep times as long, until the last has all the spec gives.
static constexpr int64_t kKeep = 3, kBracket = 9;

namespace {
struct Trial {
  int64_t number = 0;
  std::vector<std::pair<std::string, std::string>> values;
  std::string program;           ///< compiled for it
  std::vector<std::string> sets; ///< what that takes at its start
  std::string directory;
  TrialEnd end;
  bool isFull = false; ///< it had all that the spec gives
};

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
  bool prepareDirectory();
  bool compileTrial(Trial &trial);
  bool runBracket(int64_t first, int64_t count);
  void runRung(const std::vector<size_t> &chosen, int64_t budget, bool isLast);
  /// Whether a is better than b: full ones first, then by value, then by number.
  bool isBetter(const Trial &a, const Trial &b) const;
  bool isLessBetter(double a, double b) const { return isGreaterBetter_ ? a > b : a < b; }
  bool writeBest(const Trial &best);
  std::string table(const std::vector<const Trial *> &order) const;
  std::string events(const std::vector<const Trial *> &order) const;

  const common::CommandLine &line_;
  common::MessageList &messages_;
  const std::string spec_;
  std::vector<TuneSetting> space_;
  std::string metric_;
  bool isGreaterBetter_ = false;
  const char *budgetFlag_ = "--epochs";
  int64_t budget_ = 0;
  std::string output_;
  llvm::SmallString<128> directory_;
  unsigned jobs_ = 1;
  /// Trials, and those of them by what is compiled in.
  std::vector<Trial> trials_;
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
  return readTuneSpace(spec, space_, messages_);
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
  if (a.end.best.has_value() != b.end.best.has_value())
    return a.end.best.has_value();
  if (a.end.best && *a.end.best != *b.end.best)
    return isLessBetter(*a.end.best, *b.end.best);
  return a.number < b.number;
}

/// Trains the trials up to a budget, from where they are.
void Tuner::runRung(const std::vector<size_t> &chosen, int64_t budget, bool isLast) {
  std::vector<TrialRun> runs;
  std::vector<size_t> which;
  for (size_t i : chosen) {
    Trial &trial = trials_[i];
    if (trial.end.reason == "early_stopping" || (trial.end.status != 0 && !trial.directory.empty())) {
      trial.isFull = trial.end.reason == "early_stopping";
      continue; // over, one way or the other
    }
    if (trial.directory.empty())
      trial.directory = (directory_ + "/trial-" + std::to_string(trial.number)).str();
    TrialRun run;
    run.trial = trial.number;
    run.program = trial.program;
    run.log = trial.directory + ".json";
    run.arguments = {"train",     "--json", "--model_dir", trial.directory, budgetFlag_, std::to_string(budget),
                     "--threads", "1"};
    for (const std::string &set : trial.sets) {
      run.arguments.push_back("--set");
      run.arguments.push_back(set);
    }
    runs.push_back(std::move(run));
    which.push_back(i);
  }
  std::vector<TrialEnd> ends = runTrials(runs, jobs_);
  for (size_t k = 0; k < ends.size(); ++k) {
    Trial &trial = trials_[which[k]];
    // What was interrupted keeps what it had.
    if (!ends[k].best && trial.end.best)
      ends[k].best = trial.end.best;
    trial.end = std::move(ends[k]);
    trial.isFull = trial.end.status == 0 && (isLast || trial.end.reason == "early_stopping");
  }
}

/// Runs trials [first, first + count): fewer and fewer of them for longer and longer. The spec itself is never dropped.
bool Tuner::runBracket(int64_t first, int64_t count) {
  std::vector<size_t> chosen;
  for (int64_t number = first; number < first + count && !receivedSignal(); ++number) {
    Trial trial;
    trial.number = number;
    trial.values = drawTrial(space_, static_cast<uint64_t>(line_.integer("seed").value_or(0)), number);
    if (!compileTrial(trial))
      return false;
    chosen.push_back(trials_.size());
    trials_.push_back(std::move(trial));
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
                   << budget << (budgetFlag_ == llvm::StringRef("--epochs") ? " epochs" : " steps") << " at most\n";
    std::stable_sort(chosen.begin(), chosen.end(), [&](size_t a, size_t b) {
      const Trial &x = trials_[a], &y = trials_[b];
      if (x.end.best.has_value() != y.end.best.has_value())
        return x.end.best.has_value();
      return x.end.best && isLessBetter(*x.end.best, *y.end.best);
    });
    chosen.resize(std::max<size_t>(1, chosen.size() / kKeep));
    if (first == 0 && std::find(chosen.begin(), chosen.end(), 0) == chosen.end())
      chosen.push_back(0);
  }
  return true;
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

static std::string valuesText(const Trial &trial) {
  std::string text;
  for (const auto &[path, value] : trial.values)
    text += (text.empty() ? "" : "  ") + path + "=" + value;
  return text.empty() ? "the spec as it is" : text;
}

std::string Tuner::table(const std::vector<const Trial *> &order) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::formatv("{0,5}  {1,12}  {2,9}  {3,-14}  settings\n", "trial", metric_, "at step", "ended");
  for (const Trial *trial : order) {
    const TrialEnd &end = trial->end;
    std::string value = "-";
    if (end.best)
      value = llvm::formatv("{0:f6}", *end.best).str();
    std::string why = end.reason.empty() ? "-" : trial->isFull || end.status != 0 ? end.reason : "halved";
    stream << llvm::formatv(
        "{0,5}  {1,12}  {2,9}  {3,-14}  {4}\n", trial->number, value, end.bestStep,
        end.status != 0 && end.status != 130 && end.status != 143 ? "exit " + std::to_string(end.status) : why,
        valuesText(*trial));
  }
  return text;
}

std::string Tuner::events(const std::vector<const Trial *> &order) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const Trial *trial : order) {
    llvm::json::Object values;
    for (const auto &[path, value] : trial->values)
      values[path] = value;
    llvm::json::Object object{{"event", "trial"},
                              {"trial", trial->number},
                              {"full", trial->isFull},
                              {"reason", trial->end.reason},
                              {"step", trial->end.step},
                              {"best_step", trial->end.bestStep},
                              {"settings", std::move(values)}};
    if (trial->end.best)
      object[metric_] = *trial->end.best;
    stream << llvm::json::Value(std::move(object)) << '\n';
  }
  return text;
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
         << llvm::formatv("{0:f6}", *best.end.best).str();
  if (trials_.front().end.best && best.number != 0)
    stream << ", of the spec " << llvm::formatv("{0:f6}", *trials_.front().end.best).str();
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
  const std::chrono::duration<double> limit(static_cast<double>(line_.integer("time").value_or(0)));
  const int64_t most = line_.integer("trials").value_or(INT64_MAX);
  for (int64_t first = 0; first < most && !receivedSignal(); first += kBracket) {
    const Clock::time_point began = Clock::now();
    if (!runBracket(first, std::min(kBracket, most - first)))
      return status(ExitCode::Usage);
    // A bracket that would end too late is not begun.
    if (byTime && Clock::now() + (Clock::now() - began) > start + limit)
      break;
  }
  std::vector<const Trial *> order;
  for (const Trial &trial : trials_)
    order.push_back(&trial);
  std::sort(order.begin(), order.end(), [&](const Trial *a, const Trial *b) { return isBetter(*a, *b); });
  text = line_.on("json") ? events(order) : table(order);
  if (order.empty() || !order.front()->end.best) {
    if (!receivedSignal())
      fail("E0227", "no trial was evaluated", firstError(trials_.front().directory + ".json.err"));
    return receivedSignal() ? 128 + receivedSignal() : status(ExitCode::Usage);
  }
  if (!writeBest(*order.front()))
    return status(ExitCode::OutputNotWritable);
  if (!line_.on("quiet"))
    llvm::errs() << "tuned    " << trials_.size() << " trials"
                 << (receivedSignal() ? ", interrupted"
                     : byTime         ? " (--trials makes the same)"
                                      : "")
                 << ": trial " << order.front()->number << "      " << output_ << "      next: mlc train " << output_
                 << " --model_dir DIR\n";
  return receivedSignal() ? 128 + receivedSignal() : 0;
}

int mlc::runTune(const common::CommandLine &line, common::MessageList &messages, std::string &text) {
  return Tuner(line, messages).run(text);
}
