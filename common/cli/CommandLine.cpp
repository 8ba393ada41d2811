// Parsing of command lines and the texts that come from their table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/CommandLine.h"

#include "common/cli/NearestMatch.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace mlc::common {

const VerbSpec *CommandTable::find(std::string_view verb) const {
  for (const VerbSpec &candidate : verbs)
    if (candidate.name == verb)
      return &candidate;
  return nullptr;
}

std::string CommandLine::text(std::string_view flag, std::string absent) const {
  auto it = flags.find(std::string(flag));
  return it == flags.end() || it->second.empty() ? absent : it->second.back();
}

std::vector<std::string> CommandLine::texts(std::string_view flag) const {
  auto it = flags.find(std::string(flag));
  return it == flags.end() ? std::vector<std::string>() : it->second;
}

std::optional<int64_t> CommandLine::integer(std::string_view flag) const {
  std::string value = text(flag);
  int64_t number = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end == value.data() + value.size() && !value.empty() ? std::optional(number)
                                                                                      : std::nullopt;
}

/// Splits like a shell: blanks separate, quotes keep, '#' at the start of a word begins a comment.
static bool splitWords(const std::string &text, std::vector<std::string> &words) {
  std::string word;
  bool inWord = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\'' || c == '"') {
      size_t end = text.find(c, i + 1);
      if (end == std::string::npos)
        return false;
      word += text.substr(i + 1, end - i - 1);
      i = end;
      inWord = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (inWord)
        words.push_back(std::move(word));
      word.clear();
      inWord = false;
    } else if (c == '#' && !inWord) {
      i = std::min(text.find('\n', i), text.size());
    } else {
      word += c;
      inWord = true;
    }
  }
  if (inWord)
    words.push_back(std::move(word));
  return true;
}

static bool expandFiles(const std::vector<std::string> &args, std::vector<std::string> &words, MessageList &messages) {
  bool good = true;
  for (const std::string &arg : args) {
    if (arg.size() < 2 || arg[0] != '@') {
      words.push_back(arg);
      continue;
    }
    std::ifstream file(arg.substr(1), std::ios::binary);
    std::stringstream text;
    if (file)
      text << file.rdbuf();
    Message message;
    if (!file) {
      message = makeError("E0207", "cannot read the arguments file '" + arg.substr(1) + "'");
    } else if (!splitWords(text.str(), words)) {
      message = makeError("E0207", "a quote is not closed");
      message.place.file = arg.substr(1);
    } else {
      continue;
    }
    messages.add(std::move(message));
    good = false;
  }
  return good;
}

/// "max-steps" -> "max_steps".
static std::string flagName(std::string_view text) {
  std::string name(text);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

static bool checkValue(const FlagSpec &flag, const std::string &value, MessageList &messages) {
  std::string expected;
  const char *end = value.data() + value.size();
  switch (flag.type) {
  case FlagType::Switch:
    if (value != "true" && value != "false")
      expected = "true or false";
    break;
  case FlagType::Int: {
    int64_t number = 0;
    auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || stop != end || value.empty() || (flag.min && number < *flag.min) ||
        (flag.max && number > *flag.max))
      expected = "an integer" +
                 (flag.max   ? " in [" + std::to_string(flag.min.value_or(0)) + ", " + std::to_string(*flag.max) + "]"
                  : flag.min ? " >= " + std::to_string(*flag.min)
                             : "");
    break;
  }
  case FlagType::Float: {
    double number = 0;
    auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc() || stop != end || value.empty())
      expected = "a number";
    break;
  }
  case FlagType::Choice:
    if (std::find(flag.choices.begin(), flag.choices.end(), value) == flag.choices.end()) {
      for (const std::string &choice : flag.choices)
        expected += (expected.empty() ? "one of " : ", ") + choice;
    }
    break;
  case FlagType::Text:
    break;
  case FlagType::Path:
    if (value.empty())
      expected = "a path";
    break;
  }
  if (expected.empty())
    return true;
  Message message = makeError("E0203", "'" + value + "' is not a value of --" + flag.name);
  message.expected = expected;
  message.help = flag.type == FlagType::Choice ? didYouMean(value, flag.choices) : "";
  messages.add(std::move(message));
  return false;
}

namespace {

/// Walks the words of one command line.
class Parser {
public:
  Parser(const CommandTable &table, const std::vector<std::string> &words, CommandLine &result, MessageList &messages)
      : table_(table), words_(words), result_(result), messages_(messages) {}

  bool run();

private:
  bool parseVerb();
  void parseWord(const std::string &word);
  void parseFlag(const std::string &word);
  void unknownFlag(const std::string &shown, const std::string &name);
  void checkExcludes();
  bool parseGlobal(const std::string &name, const std::string &value);

  const CommandTable &table_;
  const std::vector<std::string> &words_;
  CommandLine &result_;
  MessageList &messages_;
  const VerbSpec *verb_ = nullptr;
  size_t next_ = 0;
  bool onlyPositionals_ = false;
};

} // namespace

bool Parser::parseGlobal(const std::string &name, const std::string &value) {
  if (name == "h")
    result_.help = HelpKind::Short;
  else if (name == "help")
    result_.help = value == "all" ? HelpKind::All : HelpKind::Full;
  else if (name == "version")
    result_.version = true;
  else
    return false;
  return true;
}

bool Parser::parseVerb() {
  std::vector<std::string> names;
  for (const VerbSpec &verb : table_.verbs)
    if (!verb.hidden)
      names.push_back(verb.name);
  while (next_ < words_.size() && words_[next_].size() > 1 && words_[next_][0] == '-') {
    std::string name = words_[next_].substr(words_[next_][1] == '-' ? 2 : 1);
    std::string value;
    if (size_t equals = name.find('='); equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    if (!parseGlobal(flagName(name), value)) {
      messages_.add(
          makeError("E0201", "'" + words_[next_] + "' stands where a verb should",
                    table_.program + " VERB [ARGUMENTS] [FLAGS]; " + table_.program + " --help lists the verbs"));
      return false;
    }
    ++next_;
  }
  if (next_ < words_.size() && words_[next_] == "help") {
    result_.help = HelpKind::Full;
    ++next_;
  }
  if (next_ == words_.size()) {
    if (result_.help != HelpKind::None || result_.version)
      return true;
    Message message = makeError("E0201", "no verb", table_.program + " --help");
    for (const std::string &name : names)
      message.expected += (message.expected.empty() ? "one of " : ", ") + name;
    messages_.add(std::move(message));
    return false;
  }
  std::string given = words_[next_++];
  verb_ = table_.find(given);
  if (!verb_ && next_ < words_.size() && (verb_ = table_.find(given + " " + words_[next_])))
    ++next_;
  if (!verb_) {
    // Of a verb of two words the first may be right, or both nearly.
    std::string both = next_ < words_.size() ? given + " " + words_[next_] : given;
    std::string help = didYouMean(given, names);
    if (help.empty())
      help = didYouMean(both, names);
    // The first word of verbs of two: what may follow it.
    std::vector<std::string> continued;
    for (const std::string &name : names)
      if (name.compare(0, given.size() + 1, given + " ") == 0)
        continued.push_back(name);
    Message message = makeError("E0201", "unknown verb '" + (continued.empty() ? given : both) + "'", help);
    for (const std::string &name : continued.empty() ? names : continued)
      message.expected += (message.expected.empty() ? "one of " : ", ") + name;
    messages_.add(std::move(message));
    return false;
  }
  result_.verb = verb_->name;
  return true;
}

void Parser::unknownFlag(const std::string &shown, const std::string &name) {
  std::vector<std::string> names = {"--help", "--version"};
  for (const FlagSpec &flag : verb_->flags)
    names.push_back("--" + flag.name);
  std::string help;
  // Valid elsewhere: say where.
  for (const VerbSpec &verb : table_.verbs)
    for (const FlagSpec &flag : verb.flags)
      if (flag.name == name && help.empty())
        help = "--" + name + " belongs to " + table_.program + " " + verb.name;
  if (help.empty())
    help = didYouMean("--" + name, names);
  messages_.add(makeError("E0202", "unknown flag '" + shown + "' of " + verb_->name, help));
}

void Parser::parseFlag(const std::string &word) {
  bool isLong = word[1] == '-';
  std::string body = word.substr(isLong ? 2 : 1);
  std::optional<std::string> value;
  if (size_t equals = body.find('='); equals != std::string::npos) {
    value = body.substr(equals + 1);
    body.resize(equals);
  }
  std::string name = flagName(body);
  if (parseGlobal(name, value.value_or("")))
    return;
  const FlagSpec *flag = nullptr;
  for (const FlagSpec &candidate : verb_->flags)
    if (isLong ? candidate.name == name : body.size() == 1 && candidate.shortName == body[0])
      flag = &candidate;
  if (!flag) {
    unknownFlag(word.substr(0, word.find('=')), name);
    // Its value, if it stands apart, would be taken for an argument: one mistake, one message.
    if (!value && next_ < words_.size() && words_[next_].compare(0, 1, "-") != 0)
      ++next_;
    return;
  }
  if (!value && flag->type == FlagType::Switch) {
    value = "true";
  } else if (!value) {
    if (next_ == words_.size() || words_[next_].compare(0, 2, "--") == 0) {
      messages_.add(makeError("E0204", "--" + flag->name + " needs a value", "--" + flag->name + "=VALUE"));
      return;
    }
    value = words_[next_++];
  }
  if (!checkValue(*flag, *value, messages_))
    return;
  std::vector<std::string> &values = result_.flags[flag->name];
  if (!flag->repeatable && !values.empty()) {
    messages_.add(makeError(
        "E0205", "--" + flag->name + " is given twice: '" + values.back() + "' and '" + *value + "'", "give it once"));
    return;
  }
  values.push_back(*value);
  result_.inOrder.emplace_back(flag->name, *value);
}

void Parser::parseWord(const std::string &word) {
  if (onlyPositionals_ || word.size() < 2 || word[0] != '-') {
    result_.positionals.push_back(word);
    onlyPositionals_ |= verb_->isCommand;
  } else if (word == "--") {
    onlyPositionals_ = true;
  } else {
    parseFlag(word);
  }
}

void Parser::checkExcludes() {
  for (const FlagSpec &flag : verb_->flags)
    for (const std::string &other : flag.excludes)
      if (result_.has(flag.name) && result_.has(other))
        messages_.add(
            makeError("E0206", "--" + flag.name + " and --" + other + " exclude each other", "give one of them"));
}

bool checkNeeds(const VerbSpec &verb, const std::string &program, const CommandLine &line, MessageList &messages) {
  std::string names;
  const char *variable = verb.orVariable.empty() ? nullptr : std::getenv(verb.orVariable.c_str());
  for (const std::string &name : verb.needsOneOf) {
    if (line.has(name) || (variable && *variable))
      return true;
    names += (names.empty() ? "--" : " or --") + name;
  }
  if (!names.empty())
    messages.add(makeError("E0206", verb.name + " needs " + names, program + " " + verb.examples.front()));
  return names.empty();
}

bool Parser::run() {
  if (!parseVerb())
    return false;
  if (!verb_)
    return true;
  while (next_ < words_.size()) {
    const std::string &word = words_[next_++];
    parseWord(word);
  }
  if (result_.help != HelpKind::None)
    return !messages_.hasErrors();
  const std::vector<PositionalSpec> &expected = verb_->positionals;
  for (size_t i = result_.positionals.size(); i < expected.size(); ++i)
    if (expected[i].required)
      messages_.add(makeError("E0206", verb_->name + " needs " + expected[i].name + ": " + expected[i].help,
                              verb_->examples.empty() ? "" : table_.program + " " + verb_->examples.front()));
  bool endless = !expected.empty() && expected.back().repeatable;
  if (result_.positionals.size() > expected.size() && !endless)
    messages_.add(makeError("E0206",
                            "'" + result_.positionals[expected.size()] + "' is an argument too many for " + verb_->name,
                            "several files: repeat the flag, or put its glob in quotes"));
  // What is needed may be there under a name with a slip, which is told already.
  if (!messages_.hasErrors())
    checkNeeds(*verb_, table_.program, result_, messages_);
  checkExcludes();
  return !messages_.hasErrors();
}

bool parseCommandLine(const CommandTable &table, const std::vector<std::string> &args, CommandLine &result,
                      MessageList &messages) {
  std::vector<std::string> words;
  return expandFiles(args, words, messages) && Parser(table, words, result, messages).run();
}

static std::string usageLine(const CommandTable &table, const VerbSpec &verb) {
  std::string text = table.program + " " + verb.name;
  if (verb.isCommand)
    text += " [flags] --";
  for (const PositionalSpec &positional : verb.positionals)
    text += positional.required ? " " + positional.name : " [" + positional.name + "]";
  if (!verb.positionals.empty() && verb.positionals.back().repeatable)
    text += "...";
  return text + (verb.flags.empty() || verb.isCommand ? "" : " [flags]");
}

static std::string flagUsage(const FlagSpec &flag) {
  std::string text = flag.shortName ? std::string("-") + flag.shortName + ", --" + flag.name : "--" + flag.name;
  switch (flag.type) {
  case FlagType::Switch:
    return text;
  case FlagType::Int:
    return text + " N";
  case FlagType::Float:
    return text + " X";
  case FlagType::Path:
    return text + " PATH";
  case FlagType::Text:
    return text + " TEXT";
  case FlagType::Choice:
    break;
  }
  text += " ";
  for (size_t i = 0; i < flag.choices.size(); ++i)
    text += (i ? "|" : "") + flag.choices[i];
  return text;
}

static std::string flagHelp(const FlagSpec &flag) {
  std::string text = flag.help;
  if (flag.repeatable)
    text += "; may be repeated";
  if (!flag.defaultText.empty())
    text += " (default: " + flag.defaultText + ")";
  return text;
}

static std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size() + 2), ' ');
  return text;
}

static std::string verbHelp(const CommandTable &table, const VerbSpec &verb, HelpKind kind) {
  std::string text;
  size_t shown = kind == HelpKind::Short ? std::min<size_t>(3, verb.examples.size()) : verb.examples.size();
  for (size_t i = 0; i < shown; ++i)
    text += "  " + table.program + " " + verb.examples[i] + "\n";
  text += (text.empty() ? "" : "\n") + usageLine(table, verb) + ": " + verb.summary + "\n";
  for (const PositionalSpec &positional : verb.positionals)
    text += "  " + padded(positional.name, 28) + positional.help + "\n";
  for (const FlagSpec &flag : verb.flags)
    if (!flag.hidden || kind == HelpKind::All)
      text += "  " + (kind == HelpKind::Short ? flagUsage(flag) : padded(flagUsage(flag), 28) + flagHelp(flag)) + "\n";
  if (kind == HelpKind::Short)
    text += table.program + " " + verb.name + " --help tells more\n";
  return text;
}

/// The whole table as a Markdown page.
static std::string commandReference(const CommandTable &table) {
  std::string text = "# " + table.program + "\n\n" + table.summary + "\n";
  for (const VerbSpec &verb : table.verbs) {
    if (verb.hidden)
      continue;
    text +=
        "\n## " + table.program + " " + verb.name + "\n\n" + verb.summary + "\n\n```\n" + usageLine(table, verb) + "\n";
    for (const std::string &example : verb.examples)
      text += table.program + " " + example + "\n";
    text += "```\n\n| flag | meaning |\n|---|---|\n";
    for (const PositionalSpec &positional : verb.positionals)
      text += "| `" + positional.name + "` | " + positional.help + " |\n";
    for (const FlagSpec &flag : verb.flags) {
      std::string usage = flagUsage(flag);
      for (size_t bar = usage.find('|'); bar != std::string::npos; bar = usage.find('|', bar + 2))
        usage.insert(bar, "\\");
      text += "| `" + usage + "` | " + flagHelp(flag) + " |\n";
    }
  }
  return text + table.appendix;
}

std::string formatHelp(const CommandTable &table, const std::string &verbName, HelpKind kind) {
  if (const VerbSpec *verb = table.find(verbName))
    return verbHelp(table, *verb, kind);
  if (kind == HelpKind::All)
    return commandReference(table);
  std::string text = table.program + ": " + table.summary + "\n\n";
  for (const VerbSpec &verb : table.verbs)
    if (!verb.hidden)
      text += "  " + padded(usageLine(table, verb), 36) + verb.summary + "\n";
  text += "\n" + table.program +
          " VERB -h shows examples, --help every flag, --version the versions.\n"
          "An argument @FILE stands for the words of that file. '-' and '_' in flag names are the same.\n";
  return text;
}

} // namespace mlc::common
