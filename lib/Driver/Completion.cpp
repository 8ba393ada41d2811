// Completion of command lines in shells.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Driver/Completion.h"
#include "common/cli/ErrorCodes.h"
#include "mlc/Frontend/EstimatorSpec/SpecTools.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

using namespace mlc;
using llvm::StringRef;

// Readline replaces the text after the last '=' or ':' only, so the stub takes the line apart by itself.
static const char *const kBash = R"(_mlc() {
  local line="${COMP_LINE:0:COMP_POINT}" words cur prefix
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  cur="${words[${#words[@]}-1]}"
  mapfile -t COMPREPLY < <("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null)
  prefix="${cur%"${cur##*[=:]}"}"
  COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
  [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *[.=] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _mlc mlc
)";

static const char *const kZsh = R"(#compdef mlc
_mlc() {
  local -a candidates
  candidates=("${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${candidates[*]}" ]]; then
    compadd -S '' -- "${candidates[@]}"
  else
    _files
  fi
}
compdef _mlc mlc
)";

static const char *const kFish =
    R"(complete -c mlc -a '(mlc __complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
)";

std::string mlc::completionScript(const std::string &shell) {
  return shell == "zsh" ? kZsh : shell == "fish" ? kFish : kBash;
}

/// The components that may follow in a list of dotted paths: "model.dnn." for what goes on, "train.epochs=" at an end.
static std::vector<std::string> nextComponents(const std::vector<std::string> &paths, StringRef begun, StringRef end) {
  std::vector<std::string> result;
  for (const std::string &path : paths) {
    if (!StringRef(path).starts_with(begun))
      continue;
    size_t dot = path.find('.', begun.size());
    std::string candidate = path.substr(0, dot);
    bool goesOn = dot != std::string::npos || llvm::any_of(paths, [&](const std::string &other) {
                    return StringRef(other).starts_with(path + ".");
                  });
    candidate += goesOn ? "." : end.str();
    if (!llvm::is_contained(result, candidate))
      result.push_back(candidate);
  }
  return result;
}

static std::vector<std::string> valuesOf(const common::FlagSpec &flag, const std::string &spec, StringRef begun) {
  if (flag.name == "set" || flag.name == "unset") {
    size_t equals = begun.find('=');
    if (flag.name == "unset" || equals == StringRef::npos)
      return nextComponents(frontend::specPaths(spec), begun, flag.name == "set" ? "=" : "");
    std::vector<std::string> values = frontend::specValues(begun.take_front(equals).str());
    for (std::string &value : values)
      value.insert(0, begun.take_front(equals + 1).str());
    return values;
  }
  return flag.choices;
}

/// The values of a positional, if they are no files.
static std::vector<std::string> positionals(const common::VerbSpec &verb, StringRef begun) {
  if (verb.name == "completion")
    return {"bash", "zsh", "fish"};
  if (verb.name != "spec explain")
    return {};
  std::vector<std::string> result = nextComponents(frontend::specPaths(""), begun, "");
  for (const common::ErrorCode &code : common::errorCodes())
    result.emplace_back(code.code);
  return result;
}

static std::vector<std::string> candidatesFor(const common::CommandTable &table,
                                              const std::vector<std::string> &words) {
  const common::VerbSpec *verb = nullptr;
  size_t verbWords = 0;
  std::vector<std::string> result;
  for (const common::VerbSpec &each : table.verbs) {
    if (each.hidden)
      continue;
    auto [first, second] = StringRef(each.name).split(' ');
    bool atFirst = words.size() == 1, atSecond = words.size() == 2 && !second.empty() && words[0] == first;
    if ((atFirst || atSecond) && !llvm::is_contained(result, (atFirst ? first : second).str()))
      result.push_back((atFirst ? first : second).str());
    size_t count = second.empty() ? 1 : 2;
    if (words.size() > count && words[0] == first && (count == 1 || words[1] == second)) {
      verb = &each;
      verbWords = count;
    }
  }
  if (!verb) {
    if (words.size() == 1)
      result.insert(result.end(), {"help", "--help", "--version"});
    return result;
  }
  const std::string &last = words.back();
  auto flagOf = [&](StringRef word) -> const common::FlagSpec * {
    std::string name = word.ltrim('-').split('=').first.str();
    std::replace(name.begin(), name.end(), '-', '_');
    for (const common::FlagSpec &flag : verb->flags)
      if (word.starts_with("--") ? flag.name == name : word.starts_with("-") && name == std::string(1, flag.shortName))
        return &flag;
    return nullptr;
  };
  // The spec on the line: the first word that is neither a flag nor the value of one.
  std::string spec;
  for (size_t i = verbWords; i + 1 < words.size() && spec.empty(); ++i) {
    const common::FlagSpec *flag = flagOf(words[i]);
    if (StringRef(words[i]).starts_with("-"))
      i += flag && flag->type != common::FlagType::Switch && !StringRef(words[i]).contains('=');
    else
      spec = words[i];
  }
  if (StringRef(last).starts_with("--") && StringRef(last).contains('=')) {
    const common::FlagSpec *flag = flagOf(last);
    if (!flag)
      return {};
    auto [name, begun] = StringRef(last).split('=');
    for (const std::string &value : valuesOf(*flag, spec, begun))
      result.push_back(name.str() + "=" + value);
    return result;
  }
  if (words.size() > verbWords + 1) {
    StringRef before = words[words.size() - 2];
    const common::FlagSpec *flag = flagOf(before);
    if (flag && flag->type != common::FlagType::Switch && !before.contains('='))
      return valuesOf(*flag, spec, last);
  }
  result.clear();
  if (!StringRef(last).starts_with("-"))
    return positionals(*verb, last);
  for (const common::FlagSpec &flag : verb->flags)
    if (!flag.hidden)
      result.push_back("--" + flag.name);
  result.emplace_back("--help");
  return result;
}

std::vector<std::string> mlc::completions(const common::CommandTable &table, const std::vector<std::string> &words) {
  std::vector<std::string> result;
  if (words.empty())
    return result;
  for (std::string &candidate : candidatesFor(table, words))
    if (StringRef(candidate).starts_with(words.back()))
      result.push_back(std::move(candidate));
  return result;
}
