//===- RefreshSpec.cpp - An earlier spec with the numbers of new data ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/RefreshSpec.h"
#include "lib/Frontend/EstimatorSpec/Rules.h"
#include "lib/Frontend/EstimatorSpec/SchemaDocs.h"
#include "lib/Frontend/EstimatorSpec/SpecLayers.h"
#include "lib/Frontend/SpecInit/SpecColumns.h"
#include "lib/Frontend/SpecInit/SpecPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <deque>

using namespace mlc;
using namespace mlc::frontend;
using mlc::spec::v1::FeatureColumn;

/// What begins our part of a comment, so that the next refresh finds it.
static constexpr llvm::StringLiteral kRefreshed = "refreshed: ";

namespace {
/// Numbers, or terms, of one message, and what the data say of them.
struct Target {
  /// z_score or min_max; or the feature column of a vocabulary.
  const ProtoMessage *message = nullptr;
  /// The column that it is called by, and whether its cells have several values.
  std::string name;
  bool multiValued = false;
  bool integer = false;
  std::vector<std::string> terms;
  ColumnStatistics statistics{ColumnStatistics::kMostTerms};
};

/// The bytes up to `end` become `text`.
struct Edit {
  size_t end;
  std::string text;
};

class Refresher {
public:
  Refresher(const SpecInitOptions &options, SpecDocument &document, const ResolvedSpec &resolved,
            common::MessageList &messages)
      : options_(options), document_(document), resolved_(resolved), messages_(messages) {}

  bool refresh(SpecInitResult &result);

private:
  void fail(Span span, std::string code, std::string what, std::string help) {
    common::Message error = document_.makeError(std::move(code), span, std::move(what));
    error.help = std::move(help);
    messages_.add(std::move(error));
  }
  Target &target(std::deque<Target> &targets, const ProtoMessage &message, int input);
  void collect();
  size_t offset(int64_t line, int64_t column) const {
    return document_.line(line).data() - document_.text().data() + column - 1;
  }
  bool isOwn(Span span);
  void replace(Span span, std::string text) {
    if (isOwn(span))
      edits_.insert({offset(span.line, span.column), {offset(span.line, span.endColumn), std::move(text)}});
  }
  void refreshNumbers(const Target &target);
  bool mergeTerms(Target &target, Span place, size_t &came, size_t &went);
  void refreshTerms(Target &target, SpecInitResult &result);
  void addTerms(const ProtoMessage &list, const Target &target, size_t known);
  void noteTerms(int64_t line, size_t came, size_t went);
  void keepPaths(const ProtoMessage &message);
  std::string apply();

  const SpecInitOptions &options_;
  SpecDocument &document_;
  const ResolvedSpec &resolved_;
  common::MessageList &messages_;
  StatisticsOfInputs sinks_;
  std::deque<Target> numbers_, vocabularies_;
  /// By the byte they begin at; of equal ones the first stands before the next.
  std::multimap<size_t, Edit> edits_;
  /// After each line: came and went of the vocabularies that end on it.
  std::map<int64_t, std::pair<size_t, size_t>> notes_;
};
} // namespace

/// The target of a message, with the statistics of input column `input` among its own.
Target &Refresher::target(std::deque<Target> &targets, const ProtoMessage &message, int input) {
  auto *found = targets.empty() || targets.back().message != &message ? nullptr : &targets.back();
  if (!found) {
    found = &targets.emplace_back();
    found->message = &message;
    found->name = resolved_.inputs[input].name;
    found->multiValued = resolved_.inputs[input].isMultiValued();
    found->integer = resolved_.inputs[input].isInteger();
  }
  sinks_[input].push_back(&found->statistics);
  return *found;
}

void Refresher::collect() {
  sinks_.resize(resolved_.inputs.size());
  // The columns of one message stand side by side.
  for (const ResolvedColumn &column : resolved_.columns) {
    const auto &numeric = column.message->numeric();
    if (numeric.has_z_score() || numeric.has_min_max())
      target(numbers_, numeric.has_z_score() ? static_cast<const ProtoMessage &>(numeric.z_score()) : numeric.min_max(),
             column.input);
    if (column.kind == FeatureColumn::kCategoricalWithVocabularyList ||
        column.kind == FeatureColumn::kCategoricalWithVocabularyFile)
      target(vocabularies_, *column.message, column.input).terms = column.vocabulary;
  }
  for (const ResolvedHead &head : resolved_.heads)
    if (const auto &transform = head.message->regression().label_transform(); transform.has_z_score())
      target(numbers_, transform.z_score(), head.label);
}

/// Whether a value stands in the spec itself; an error if not.
bool Refresher::isOwn(Span span) {
  if (span.source == 0)
    return true;
  fail(span, "E0131", "the value stands in a file that '" + options_.from + "' includes; --from changes no other file",
       "mlc spec show " + options_.from + " writes one spec of both");
  return false;
}

void Refresher::refreshNumbers(const Target &target) {
  const ColumnStatistics &statistics = target.statistics;
  bool isMinMax = target.message->GetDescriptor()->name() == "MinMax";
  Span place = document_.start(*target.message);
  if (!statistics.isNumber())
    return fail(place, "E0123",
                statistics.present() == 0 ? "column '" + target.name + "' has no value in the data"
                                          : "column '" + target.name + "' has cells that are no numbers",
                "mlc spec check " + options_.from + " --data tells rows that do not parse");
  if (isMinMax ? statistics.min() == statistics.max() : !(statistics.stddev() > 0))
    return fail(place, "E0121", "column '" + target.name + "' has one value in the data: nothing can be scaled",
                "leave the normalizer, or the column, out");
  auto set = [&](const char *field, double value) {
    replace(document_.spans(*target.message, field).value, numberText(value));
  };
  set(isMinMax ? "min" : "mean", isMinMax ? statistics.min() : statistics.mean());
  set(isMinMax ? "max" : "stddev", isMinMax ? statistics.max() : statistics.stddev());
}

/// Adds the terms that are new. Terms that the data have no more stay: the ids of those after them would change.
bool Refresher::mergeTerms(Target &target, Span place, size_t &came, size_t &went) {
  const ColumnStatistics &statistics = target.statistics;
  if (!statistics.isExact()) {
    fail(place, "E0121",
         "column '" + target.name + "' has about " + std::to_string(statistics.distinct()) +
             " different values; a vocabulary is refreshed from at most " +
             std::to_string(ColumnStatistics::kMostTerms),
         "categorical_with_hash_bucket, or --rows");
    return false;
  }
  llvm::StringSet<> known;
  went = 0;
  for (const std::string &term : target.terms) {
    int64_t value = 0;
    std::string text = target.integer && !llvm::StringRef(term).getAsInteger(10, value) ? std::to_string(value) : term;
    known.insert(text);
    went += statistics.count(text) == 0;
  }
  std::vector<std::string> terms;
  for (std::string &term : statistics.values()) {
    // What came once is noise, as for a first spec; a line end has no place in a file of terms.
    bool rare = target.multiValued ? statistics.count(term) < 2 : statistics.isRare(term);
    if (!known.contains(term) && !rare && term.find('\n') == std::string::npos)
      terms.push_back(std::move(term));
  }
  llvm::sort(terms, [&](const std::string &a, const std::string &b) {
    int64_t countA = statistics.count(a), countB = statistics.count(b);
    return countA != countB ? countA > countB : a < b;
  });
  came = terms.size();
  target.terms.insert(target.terms.end(), terms.begin(), terms.end());
  return true;
}

/// Writes terms from number `known` on after the last one: into its brackets, or as fields of their own.
void Refresher::addTerms(const ProtoMessage &list, const Target &target, size_t known) {
  Span last = document_.spans(list, "vocabulary_list", static_cast<int>(known) - 1).value;
  if (!isOwn(last) || known == target.terms.size())
    return;
  size_t at = offset(last.line, last.endColumn);
  llvm::StringRef rest = llvm::StringRef(document_.text()).drop_front(at);
  bool comma = false;
  while (!rest.empty()) {
    rest = rest.ltrim();
    if (rest.starts_with("#"))
      rest = rest.drop_until([](char c) { return c == '\n'; });
    else if (rest.starts_with(",") && !std::exchange(comma, true))
      rest = rest.drop_front();
    else
      break;
  }
  std::string text;
  for (size_t i = known; i < target.terms.size(); ++i)
    text += (rest.starts_with("]") ? ", " : "  vocabulary_list: ") + quoted(target.terms[i]);
  edits_.insert({at, {at, std::move(text)}});
}

void Refresher::refreshTerms(Target &target, SpecInitResult &result) {
  const auto &column = static_cast<const FeatureColumn &>(*target.message);
  bool isList = column.has_categorical_with_vocabulary_list();
  const ProtoMessage &kind = isList ? static_cast<const ProtoMessage &>(column.categorical_with_vocabulary_list())
                                    : column.categorical_with_vocabulary_file();
  size_t known = target.terms.size(), came = 0, went = 0;
  Span place = isList ? document_.spans(kind, "vocabulary_list", static_cast<int>(known) - 1).value
                      : document_.spans(kind, "vocabulary_file").value;
  if (!mergeTerms(target, place, came, went))
    return;
  if (isList) {
    addTerms(kind, target, known);
  } else if (options_.output.empty()) {
    return fail(place, "E0107", "the terms of '" + target.name + "' are in a file, and a new one needs a place",
                "-o FILE: it goes beside that");
  } else {
    std::string name = vocabularyFileName(options_.output, target.name), terms;
    for (const std::string &term : target.terms)
      terms += term + "\n";
    result.vocabularies.emplace_back(name, terms);
    replace(place, quoted(name));
    // All terms are in the file: as many lines count as before, and the new ones.
    if (column.categorical_with_vocabulary_file().has_vocabulary_size())
      replace(document_.spans(kind, "vocabulary_size").value, std::to_string(target.terms.size()));
  }
  if (place.source != 0)
    return; // an error is told
  auto &note = notes_[place.line];
  note.first += came;
  note.second += went;
}

/// Where the comment of a line begins, or its end.
static size_t commentOf(llvm::StringRef line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote && line[i] == '\\')
      ++i;
    else if (quote)
      quote = line[i] == quote ? 0 : quote;
    else if (line[i] == '"' || line[i] == '\'')
      quote = line[i];
    else if (line[i] == '#')
      return i;
  }
  return line.size();
}

/// Says at the end of a line how many terms came and went; replaces what an earlier refresh said.
void Refresher::noteTerms(int64_t number, size_t came, size_t went) {
  llvm::StringRef line = document_.line(number);
  line = line.rtrim("\r");
  size_t comment = commentOf(line), mine = line.find(kRefreshed, comment);
  llvm::StringRef before = line.substr(0, mine).rtrim(mine == llvm::StringRef::npos ? " \t" : " \t;");
  std::string text = before.size() <= comment ? "  # " : before.ends_with("#") ? " " : "; ";
  text += kRefreshed.str() + std::to_string(came) + " came, " + std::to_string(went) + " went";
  if (went > 0)
    text += " (their ids stay)";
  size_t begin = offset(number, 1);
  edits_.insert({begin + before.size(), {begin + line.size(), std::move(text)}});
}

/// Writes out the relative paths of `message`, which are another directory's.
void Refresher::keepPaths(const ProtoMessage &message) {
  const auto *reflection = message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const ProtoField &field = *message.GetDescriptor()->field(i);
    bool list = field.is_repeated();
    int count = list ? reflection->FieldSize(message, &field) : reflection->HasField(message, &field);
    for (int k = 0; k < count; ++k) {
      if (field.cpp_type() == ProtoField::CPPTYPE_MESSAGE) {
        keepPaths(list ? reflection->GetRepeatedMessage(message, &field, k) : reflection->GetMessage(message, &field));
        continue;
      }
      Span span = document_.spans(message, field, k).value;
      if (!ruleOf(field).path() || field.name() == "vocabulary_file" || !span || span.source != 0)
        continue;
      llvm::StringRef written = document_.line(span.line).substr(span.column - 1).drop_front();
      if (!written.starts_with("/") && !written.starts_with("$"))
        replace(span, quoted(list ? reflection->GetRepeatedString(message, &field, k)
                                  : reflection->GetString(message, &field)));
    }
  }
}

/// The text with all edits, from its end on so that places stay right.
std::string Refresher::apply() {
  std::string text = document_.text();
  for (const auto &[begin, edit] : llvm::reverse(edits_))
    text.replace(begin, edit.end - begin, edit.text);
  return text;
}

/// The directory of a file, absolute.
static std::string directoryOf(const std::string &file) {
  llvm::SmallString<256> directory = llvm::sys::path::parent_path(file);
  llvm::sys::fs::make_absolute(directory);
  llvm::sys::path::remove_dots(directory, /*remove_dot_dot=*/true);
  return directory.str().str();
}

bool Refresher::refresh(SpecInitResult &result) {
  collect();
  if (!countInputs(document_, resolved_, options_.files, options_.rows, sinks_, messages_))
    return false;
  for (const Target &target : numbers_)
    refreshNumbers(target);
  for (Target &target : vocabularies_)
    refreshTerms(target, result);
  for (auto &[line, counts] : notes_)
    noteTerms(line, counts.first, counts.second);
  // Text for standard output counts as a file of the current directory.
  if (directoryOf(options_.output) != directoryOf(options_.from)) {
    if (document_.sourceCount() > 1)
      fail(Span{1, 1, 1}, "E0131", "the spec includes others, which are found from its directory",
           "-o in the directory of '" + options_.from + "'");
    keepPaths(document_.spec());
  }
  if (messages_.hasErrors())
    return false;
  result.text = apply();
  return true;
}

bool mlc::frontend::refreshSpec(const SpecInitOptions &options, common::MessageList &messages, SpecInitResult &result) {
  std::string text;
  if (!readSpecFile(options.from, common::Message(), text, messages))
    return false;
  SpecDocument document(options.from, std::move(text));
  ResolvedSpec resolved;
  if (loadSpec(document, {options.from, "", {}}, messages))
    resolved = resolveSpec(document, messages);
  bool good = !messages.hasErrors() && Refresher(options, document, resolved, messages).refresh(result);
  messages.sort();
  return good;
}
