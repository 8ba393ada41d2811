// Timelines of several tasks as one file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/TimelineMerge.h"
#include "common/cli/OutputOverInput.h"
#include "lib/Driver/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlc;
using common::ExitCode;
using llvm::StringRef;

static ExitCode fail(common::MessageList &messages, const char *code, const std::string &file, const std::string &what,
                     ExitCode exitCode) {
  common::Message message = common::makeError(code, what);
  message.place.file = file;
  messages.add(std::move(message));
  return exitCode;
}

/// The files that `paths` name; those of a directory by name.
static ExitCode listFiles(const std::vector<std::string> &paths, std::vector<std::string> &files,
                          common::MessageList &messages) {
  for (const std::string &path : paths) {
    if (!llvm::sys::fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(path, error), end; it != end && !error; it.increment(error))
      if (StringRef(it->path()).ends_with(".json"))
        found.push_back(it->path());
    if (error)
      return fail(messages, "E0311", path, error.message(), ExitCode::Corrupt);
    if (found.empty())
      return fail(messages, "E0310", path, "a directory without .json files", ExitCode::Corrupt);
    llvm::sort(found);
    llvm::append_range(files, found);
  }
  return ExitCode::Success;
}

/// Adds the events of a file, one a line; what breaks off inside the last line is left out.
static ExitCode readEvents(const std::string &path, std::vector<std::string> &events, common::MessageList &messages) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return fail(messages, "E0310", path, buffer.getError().message(), ExitCode::Corrupt);
  StringRef rest = (*buffer)->getBuffer();
  for (int64_t number = 1; !rest.empty(); ++number) {
    auto [text, behind] = rest.split('\n');
    const bool isLast = behind.empty();
    StringRef line = text.trim();
    rest = behind;
    if ((number == 1 && line == "[") || line == "]" || line.empty())
      continue;
    line.consume_back(",");
    auto event = llvm::json::parse(line);
    const bool isEvent = event && event->getAsObject() && event->getAsObject()->getString("ph");
    if (!event)
      llvm::consumeError(event.takeError());
    if (!isEvent && isLast && number > 1)
      break;
    if (!isEvent)
      return fail(messages, "E0311", path, "line " + std::to_string(number) + " is no event of a timeline",
                  ExitCode::Corrupt);
    events.push_back(line.str());
  }
  return ExitCode::Success;
}

ExitCode mlc::mergeTimelines(const common::CommandLine &line, common::MessageList &messages) {
  std::vector<std::string> files, events;
  if (ExitCode code = listFiles(line.positionals, files, messages); code != ExitCode::Success)
    return code;
  for (const std::string &file : files)
    if (ExitCode code = readEvents(file, events, messages); code != ExitCode::Success)
      return code;
  const std::string output = line.text("output");
  if (auto overwrite = common::outputOverInput(output, files)) {
    messages.add(std::move(*overwrite));
    return ExitCode::Usage;
  }
  if (std::error_code error = writeOutputFile(output, "[\n" + llvm::join(events, ",\n") + "\n]\n"))
    return fail(messages, "E0601", output, "cannot be written: " + error.message(), ExitCode::OutputNotWritable);
  return ExitCode::Success;
}
