// Command lines from a table: parsing, help and reference. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our own parser instead of CLI11: errors in our message form with the nearest match, '-' and '_' alike in names, no
// exceptions, and one table as data that help, docs and completion read too.
#ifndef MLC_COMMON_COMMANDLINE_H
#define MLC_COMMON_COMMANDLINE_H

#include "common/cli/Message.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::common {

/// What a flag takes. A Switch takes nothing (or =true, =false).
enum class FlagType { Switch, Int, Float, Text, Path, Choice };

/// One flag of a verb.
struct FlagSpec {
  /// Without dashes, with '_' between words: "train_files".
  std::string name;
  FlagType type = FlagType::Text;
  std::string help;
  /// Shown in the help: "the spec's" or "jsonl"; empty: none. Not applied by the parser.
  std::string defaultText = {};
  /// May be given more than once.
  bool repeatable = false;
  /// 'o' for -o, or 0.
  char shortName = 0;
  /// What a Choice may be.
  std::vector<std::string> choices = {};
  /// Least and greatest value of an Int.
  std::optional<int64_t> min = std::nullopt, max = std::nullopt;
  /// Shown by --help=all only.
  bool hidden = false;
  /// Flags that cannot be given beside this one.
  std::vector<std::string> excludes = {};
};

/// One argument without a flag.
struct PositionalSpec {
  /// Upper case, as the help shows it: "SPEC".
  std::string name;
  std::string help;
  bool required = true;
  /// The last one may be given more than once.
  bool repeatable = false;
};

/// One verb, of one word or two ("ckpt convert").
struct VerbSpec {
  std::string name;
  std::string summary;
  std::vector<PositionalSpec> positionals;
  std::vector<FlagSpec> flags;
  /// Names of flags; one of them has to be given, if there are any.
  std::vector<std::string> needsOneOf = {};
  std::string orVariable = {}; ///< an environment variable that, if it is set, may say what they would
  /// Command lines after the program's name, best first; the short help shows three.
  std::vector<std::string> examples;
  /// The positionals are the command line of another program: the first of them, or "--", ends the flags.
  bool isCommand = false;
  /// Not listed in the help: for programs.
  bool hidden = false;
};

/// All verbs of a program.
struct CommandTable {
  std::string program;
  std::string summary;
  std::vector<VerbSpec> verbs;
  /// What the page of --help=all has after the verbs, as Markdown.
  std::string appendix = {};

  /// The verb, or null.
  const VerbSpec *find(std::string_view verb) const;
};

/// Which help was asked for.
enum class HelpKind { None, Short, Full, All };

/// A parsed command line.
struct CommandLine {
  /// Of the table; empty for a bare --help or --version.
  std::string verb;
  std::vector<std::string> positionals;
  /// Values by the flag's name, in order of appearance; a switch has "true" or "false".
  std::map<std::string, std::vector<std::string>> flags;
  /// The same as (name, value), in the order of appearance of all.
  std::vector<std::pair<std::string, std::string>> inOrder;
  HelpKind help = HelpKind::None;
  bool version = false;

  bool has(std::string_view flag) const { return !texts(flag).empty(); }
  /// The value, or `absent`.
  std::string text(std::string_view flag, std::string absent = {}) const;
  std::vector<std::string> texts(std::string_view flag) const;
  /// The value of an Int flag.
  std::optional<int64_t> integer(std::string_view flag) const;
  /// True for a switch that is given and not =false.
  bool on(std::string_view flag) const { return text(flag) == "true"; }
};

/// Parses `args` (without the program's name). An argument "@file" stands for the words of that file (quotes '..' and
/// ".." as in a shell, '#' begins a comment). `help [VERB]` is --help. Returns false after adding errors to `messages`;
/// a missing verb is one. Does not check required positionals and flags when help is asked for.
bool parseCommandLine(const CommandTable &table, const std::vector<std::string> &args, CommandLine &result,
                      MessageList &messages);

/// Whether one of the flags that `verb` needs is given; adds an error if not. parseCommandLine asks it.
bool checkNeeds(const VerbSpec &verb, const std::string &program, const CommandLine &line, MessageList &messages);

/// The help asked for: of the verb, or of the program; All of the program is the whole table as a Markdown page.
std::string formatHelp(const CommandTable &table, const std::string &verb, HelpKind kind);

} // namespace mlc::common

#endif // MLC_COMMON_COMMANDLINE_H
