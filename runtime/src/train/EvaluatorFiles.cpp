// Evaluations, lease and end of a job in a model_dir.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/EvaluatorFiles.h"

#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/SealedJson.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/train/ModelDir.h"

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace mlcrt {

//===----------------------------------------------------------------------===//
// Evaluations
//===----------------------------------------------------------------------===//

namespace {
/// A descriptor that is closed.
struct File {
  explicit File(int descriptor) : descriptor(descriptor) {}
  ~File() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  int descriptor;
};
} // namespace

/// Reads `size` bytes from `offset`; false on an error or the end of the file.
static bool readRange(int descriptor, int64_t offset, int64_t size, std::string &text) {
  text.resize(static_cast<size_t>(size));
  for (int64_t done = 0; done < size;) {
    ssize_t count = ::pread(descriptor, text.data() + done, static_cast<size_t>(size - done), offset + done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += count;
  }
  return true;
}

absl::Status appendEvaluation(const std::string &modelDir, const EvaluationRecord &record) {
  const std::string path = modelDir + "/" + kEvaluationsName;
  const std::string line = JsonObject()
                               .text("eval", record.evalSet)
                               .integer("step", record.step)
                               .raw("metrics", metricsJson(record.metrics, ""))
                               .str() +
                           "\n";
  File file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  struct stat info = {};
  std::string text;
  if (file.descriptor < 0 || ::fstat(file.descriptor, &info) != 0 || !readRange(file.descriptor, 0, info.st_size, text))
    return writeError(path, "cannot open the file", errno);
  const size_t lines = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (lines < text.size() && ::ftruncate(file.descriptor, static_cast<off_t>(lines)) != 0)
    return writeError(path, "cannot cut off the end of the file", errno);
  for (size_t done = 0; done < line.size();) {
    ssize_t count = ::pwrite(file.descriptor, line.data() + done, line.size() - done, static_cast<off_t>(lines + done));
    if (count < 0 && errno != EINTR)
      return writeError(path, "cannot write the file", errno);
    done += static_cast<size_t>(std::max<ssize_t>(count, 0));
  }
  if (::fsync(file.descriptor) != 0)
    return writeError(path, "cannot write the file", errno);
  return text.empty() ? syncDirectory(modelDir) : absl::OkStatus();
}

/// Reads one line, without its end.
static absl::StatusOr<EvaluationRecord> parseEvaluation(std::string_view line, const std::string &path) {
  const Json object = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  EvaluationRecord record;
  JsonFields fields;
  fields.read(object, "eval", record.evalSet);
  fields.read(object, "step", record.step);
  for (const auto &[name, value] : fields.object(object, "metrics").items())
    if (value.is_number())
      record.metrics.push_back({name, "", "", true, {value.get<double>()}});
  if (!fields.good())
    return fileError(absl::StatusCode::kDataLoss, "E0403", path,
                     "is damaged: a line lacks '" + fields.bad() + "' or has another type there",
                     "remove the file: checkpoints that are there are evaluated again");
  return record;
}

absl::StatusOr<std::vector<EvaluationRecord>> EvaluationReader::poll() {
  std::vector<EvaluationRecord> records;
  struct stat info = {};
  if (::stat(path_.c_str(), &info) != 0) {
    isAnew_ = inode_ != 0;
    inode_ = 0;
    offset_ = 0;
    return records;
  }
  isAnew_ = info.st_ino != inode_ || info.st_size < offset_;
  if (isAnew_)
    offset_ = 0;
  inode_ = info.st_ino;
  if (info.st_size == offset_)
    return records;
  File file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (file.descriptor < 0 || !readRange(file.descriptor, offset_, info.st_size - offset_, text))
    return fileError(absl::StatusCode::kDataLoss, "E0403", path_, "cannot be read");
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    absl::StatusOr<EvaluationRecord> record = parseEvaluation(std::string_view(text).substr(begin, end - begin), path_);
    if (!record.ok())
      return record.status();
    records.push_back(*std::move(record));
  }
  offset_ += static_cast<int64_t>(begin); // the rest of a line may come
  return records;
}

absl::Status dropEvaluationsAfter(const std::string &modelDir, int64_t step) {
  const std::string path = modelDir + "/" + kEvaluationsName;
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.descriptor < 0 && errno == ENOENT)
    return absl::OkStatus();
  struct stat info = {};
  std::string text, kept;
  if (file.descriptor < 0 || ::fstat(file.descriptor, &info) != 0 || !readRange(file.descriptor, 0, info.st_size, text))
    return fileError(absl::StatusCode::kDataLoss, "E0403", path, "cannot be read");
  size_t begin = 0;
  bool drops = false;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    absl::StatusOr<EvaluationRecord> record = parseEvaluation(std::string_view(text).substr(begin, end - begin), path);
    if (!record.ok())
      return record.status();
    if (record->step <= step)
      kept += text.substr(begin, end + 1 - begin);
    else
      drops = true;
  }
  return drops ? writeFileAtomically(path, kept) : absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Lease
//===----------------------------------------------------------------------===//

Lease::Lease(std::string path, std::string run) : path_(std::move(path)), run_(std::move(run)) {
  std::random_device random;
  incarnation_ = static_cast<uint64_t>(random()) << 32 | random();
}

absl::StatusOr<std::unique_ptr<Lease>> Lease::create(const std::string &modelDir, const char *name,
                                                     const std::string &run) {
  std::unique_ptr<Lease> lease(new Lease(modelDir + "/" + name, run));
  if (absl::Status status = lease->hold({}); !status.ok())
    return status;
  lease->thread_ = std::thread([&lease = *lease] { lease.beat(); });
  return lease;
}

Lease::~Lease() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable())
    thread_.join();
  ::unlink(path_.c_str());
}

/// With mutex_ held.
absl::Status Lease::write() {
  const Json object = {{"incarnation", incarnation_},
                       {"heartbeat", ++heartbeats_},
                       {"time", static_cast<int64_t>(std::time(nullptr))},
                       {"host", hostName()},
                       {"pid", static_cast<int64_t>(::getpid())},
                       {"run", run_},
                       {"steps", steps_}};
  return writeFileAtomically(path_, sealJson(object));
}

absl::Status Lease::hold(std::vector<int64_t> steps) {
  std::lock_guard<std::mutex> lock(mutex_);
  steps_ = std::move(steps);
  return write();
}

void Lease::beat() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!wake_.wait_for(lock, kHeartbeat, [this] { return stop_; }))
    (void)write(); // the next one may succeed; if none does, the lease ends
}

std::optional<std::vector<int64_t>> LeaseReader::steps(Clock::time_point now) {
  absl::StatusOr<std::string> text = readWholeFile(path_, 1 << 20);
  if (!text.ok()) {
    text_.clear();
    return {};
  }
  if (*text != text_) {
    text_ = *std::move(text);
    since_ = now;
  }
  if (now - since_ > expiry_)
    return {};
  absl::StatusOr<Json> object = openSealedJson(text_, path_);
  std::vector<int64_t> steps;
  if (!object.ok())
    return {}; // of nobody: an evaluator writes it whole
  JsonFields fields;
  std::string host;
  int64_t pid = 0;
  fields.read(*object, "host", host);
  fields.read(*object, "pid", pid);
  fields.read(*object, "run", run_);
  holder_ = "host " + host + " pid " + std::to_string(pid);
  for (const Json &step : fields.list(*object, "steps"))
    if (step.is_number_integer())
      steps.push_back(step.get<int64_t>());
  return steps;
}

//===----------------------------------------------------------------------===//
// End of the job
//===----------------------------------------------------------------------===//

absl::Status writeJobEnd(const std::string &modelDir, const JobEnd &end) {
  const Json object = {{"step", end.step}, {"reason", end.reason}, {"run", end.run}, {"exit", end.exit}};
  return writeFileAtomically(modelDir + "/" + kEndedName, sealJson(object));
}

absl::Status removeJobEnd(const std::string &modelDir) {
  const std::string path = modelDir + "/" + kEndedName;
  if (::unlink(path.c_str()) != 0)
    return errno == ENOENT ? absl::OkStatus() : writeError(path, "cannot remove the file", errno);
  return syncDirectory(modelDir);
}

absl::StatusOr<std::optional<JobEnd>> readJobEnd(const std::string &modelDir) {
  const std::string path = modelDir + "/" + kEndedName;
  absl::StatusOr<std::string> text = readWholeFile(path, 1 << 20);
  if (absl::IsNotFound(text.status()))
    return std::nullopt;
  if (!text.ok())
    return text.status();
  absl::StatusOr<Json> object = openSealedJson(*text, path);
  if (!object.ok())
    return object.status();
  JobEnd end;
  JsonFields fields;
  fields.read(*object, "step", end.step);
  fields.read(*object, "reason", end.reason);
  fields.read(*object, "run", end.run);
  if (object->contains("exit")) // not of versions before
    fields.read(*object, "exit", end.exit);
  if (!fields.good())
    return fileError(absl::StatusCode::kDataLoss, "E0403", path, "lacks '" + fields.bad() + "'");
  return end;
}

bool hasEndedSinceStart(const std::string &modelDir, std::chrono::nanoseconds age) {
  std::error_code noEnd, noLease;
  const std::filesystem::file_time_type end = std::filesystem::last_write_time(modelDir + "/" + kEndedName, noEnd);
  const std::filesystem::file_time_type now =
      std::filesystem::last_write_time(modelDir + "/" + kEvaluatorLeaseName, noLease);
  return !noEnd && !noLease && now - end <= age;
}

std::chrono::nanoseconds processAge() {
  // Field 22, in ticks since the host began; the second one is a name in parentheses, which may hold anything.
  std::string text;
  std::getline(std::ifstream("/proc/self/stat"), text, '\0');
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field)
    fields >> skipped;
  int64_t ticks = 0;
  timespec now = {};
  if (!(fields >> ticks) || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0)
    return std::chrono::nanoseconds(0);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec) -
         std::chrono::nanoseconds(ticks * (1000000000 / ::sysconf(_SC_CLK_TCK)));
}

} // namespace mlcrt
