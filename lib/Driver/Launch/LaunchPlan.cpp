// What mlc launch starts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LaunchPlan.h"
#include "common/cli/CommandTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <arpa/inet.h>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

using namespace mlc;
using common::ClusterSize;
using common::ExitCode;
using common::makeError;
using common::TfConfig;

LaunchPlan::~LaunchPlan() {
  if (!privateDirectory_.empty())
    llvm::sys::fs::remove_directories(privateDirectory_);
  for (int holder : portHolders_)
    ::close(holder);
}

bool LaunchPlan::findProgram(common::MessageList &messages) {
  const std::string &name = command_.front();
  common::Message message;
  if (!llvm::StringRef(name).contains('/')) {
    if (auto found = llvm::sys::findProgramByName(name)) {
      program_ = *found;
      return true;
    }
    message = makeError("E0407", "'" + name + "' is no program on the PATH");
    if (llvm::sys::fs::exists(name))
      message.help = "./" + name + " is the one in this directory";
  } else if (!llvm::sys::fs::exists(name)) {
    message = makeError("E0407", "there is no '" + name + "'");
  } else if (llvm::sys::fs::is_directory(name) || !llvm::sys::fs::can_execute(name)) {
    message = makeError("E0407", "'" + name + "' cannot be executed", "mlc compile SPEC -o TRAINER makes a trainer");
  } else {
    program_ = name;
    return true;
  }
  message.expected = "a compiled trainer";
  messages.add(std::move(message));
  return false;
}

/// A port that nobody listens on; 0 after an error. `socket` holds it until it is closed: nobody else gets it, nor does
/// a connection as its own end, while the task that asks for one of these options may listen there.
static int takePort(int &socket) {
  socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  for (int option : {SO_REUSEADDR, SO_REUSEPORT})
    if (socket >= 0)
      ::setsockopt(socket, SOL_SOCKET, option, &on, sizeof(on));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  if (socket < 0 || ::bind(socket, generic, size) != 0 || ::getsockname(socket, generic, &size) != 0)
    return 0;
  return ntohs(address.sin_port);
}

/// Makes the file of a random token.
static std::error_code writeToken(const std::string &path) {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 8; ++i)
    token += llvm::utohexstr(random(), /*LowerCase=*/true, /*Width=*/8);
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file << token << '\n';
  file.close();
  return error ? error : file.error();
}

bool LaunchPlan::makePrivateDirectory(common::MessageList &messages) {
  llvm::SmallString<128> directory;
  std::error_code error = llvm::sys::fs::createUniqueDirectory("mlc-launch", directory);
  if (!error) {
    privateDirectory_ = directory.str().str();
    error = llvm::sys::fs::setPermissions(directory, llvm::sys::fs::owner_all);
  }
  const std::string token = privateDirectory_ + "/token";
  if (!error)
    error = writeToken(token);
  tokenVariable_ = "MLC_TOKEN_FILE=" + token;
  if (error)
    messages.add(makeError("E0412", "no private directory for the token and sockets of the job: " + error.message(),
                           "another TMPDIR"));
  return !error;
}

bool LaunchPlan::findAddresses(const ClusterSize &size, bool tcp, std::vector<std::string> &addresses,
                               common::MessageList &messages) {
  if (tcp) {
    for (int64_t i = 0; i < size.addresses(); ++i) {
      const int port = takePort(portHolders_.emplace_back(-1));
      if (port == 0) {
        messages.add(makeError("E0412", std::string("no free port of the loopback interface: ") + strerror(errno)));
        return false;
      }
      addresses.push_back("127.0.0.1:" + std::to_string(port));
    }
    return true;
  }
  for (int64_t i = 0; i < size.addresses(); ++i)
    addresses.push_back("unix:" + privateDirectory_ + "/" + std::to_string(i));
  if (addresses.back().size() <= common::kLongestSocketPath + strlen("unix:"))
    return true;
  messages.add(makeError("E0412",
                         "sockets in '" + privateDirectory_ + "' would have longer paths than a socket can have",
                         "another TMPDIR, or --tcp"));
  return false;
}

bool LaunchPlan::makeLogDirectory(const common::CommandLine &line, common::MessageList &messages) {
  logDirectory_ = line.text("log_dir");
  if (logDirectory_.empty()) {
    // What the trainer will say about its arguments is its affair.
    common::CommandLine trainer;
    common::MessageList ignored;
    common::parseCommandLine(common::trainerCommands(command_.front()), {command_.begin() + 1, command_.end()}, trainer,
                             ignored);
    if (trainer.has("model_dir") && trainer.verb == "train")
      logDirectory_ = trainer.text("model_dir") + "/logs";
  }
  llvm::SmallString<128> directory(logDirectory_);
  std::error_code error = logDirectory_.empty() ? llvm::sys::fs::createUniqueDirectory("mlc-launch-logs", directory)
                                                : llvm::sys::fs::create_directories(directory);
  if (!error && ::access(directory.c_str(), W_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  logDirectory_ = directory.str().str();
  if (error)
    messages.add(makeError("E0601", "logs cannot be written to '" + logDirectory_ + "': " + error.message(),
                           "--log_dir DIRECTORY"));
  return !error;
}

ExitCode LaunchPlan::prepare(const common::CommandLine &line, common::MessageList &messages) {
  ClusterSize size;
  size.trainers = line.integer("workers").value_or(1);
  size.servers = line.integer("ps").value_or(0);
  size.evaluator = line.on("evaluator");
  command_ = line.positionals;
  // The evaluator is no part of the cluster that TF_CONFIG tells: the chief hears of it so.
  if (size.evaluator && command_.size() > 1 && command_[1] == "train" &&
      std::find(command_.begin(), command_.end(), "--evaluator") == command_.end())
    command_.push_back("--evaluator");
  bool good = findProgram(messages);
  if (size.trainers > 1 && size.servers < 1) {
    messages.add(makeError("E0206", std::to_string(size.trainers) + " workers without a server of parameters",
                           "--ps 1, or more"));
    good = false;
  }
  if (!good)
    return ExitCode::Usage;
  std::vector<std::string> addresses;
  if (!makeLogDirectory(line, messages))
    return ExitCode::OutputNotWritable;
  if (!makePrivateDirectory(messages))
    return ExitCode::OutputNotWritable;
  if (!findAddresses(size, line.on("tcp"), addresses, messages))
    return ExitCode::OutputNotWritable;
  for (TfConfig &view : localCluster(size, addresses)) {
    if (line.text("rpc_layer", "plain") == common::kGrpcLayer)
      view.rpcLayer = common::kGrpcLayer;
    const std::string index = std::to_string(view.self.index);
    tasks_.push_back({view.self.role + " " + index, formatTfConfig(view),
                      logDirectory_ + "/" + view.self.role + "-" + index + ".log"});
  }
  return ExitCode::Success;
}
