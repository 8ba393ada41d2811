//===- ResolveColumns.cpp - Feature columns: names, references, kinds ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/EstimatorSpec/NamePatterns.h"
#include "lib/Frontend/EstimatorSpec/Resolver.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlc;
using namespace mlc::frontend;
using namespace mlc::spec::v1;

const ProtoMessage *mlc::frontend::kindMessage(const FeatureColumn &column) {
  const auto *reflection = column.GetReflection();
  const auto *kind = column.GetDescriptor()->FindOneofByName("kind");
  const ProtoField *field = reflection->GetOneofFieldDescriptor(column, kind);
  return field ? &reflection->GetMessage(column, field) : nullptr;
}

const ProtoField *mlc::frontend::elementField(const ProtoMessage &kind) {
  for (const char *name : {"key", "source_column", "categorical_column", "categorical_columns"})
    if (const ProtoField *field = kind.GetDescriptor()->FindFieldByName(name))
      return field;
  return nullptr;
}

/// The name that tf derives from that of what a column is made of.
static std::string derivedName(const FeatureColumn &column, const std::string &element) {
  switch (column.kind_case()) {
  case FeatureColumn::kBucketized:
    return element + "_bucketized";
  case FeatureColumn::kWeightedCategorical:
    return element + "_weighted_by_" + column.weighted_categorical().weight_feature_key();
  case FeatureColumn::kIndicator:
    return element + "_indicator";
  case FeatureColumn::kEmbedding:
    return element + "_embedding";
  case FeatureColumn::kSharedEmbeddings:
    return element + "_shared_embedding";
  default:
    return element;
  }
}

/// "a_X_b": the names of the terms, sorted, as tf has it.
static std::string crossName(const Crossed &crossed) {
  std::vector<std::string> names;
  for (const CrossedTerm &term : crossed.term())
    names.push_back(term.has_key() ? term.key() : term.column());
  llvm::sort(names);
  return llvm::join(names, "_X_");
}

std::vector<std::string> mlc::frontend::columnNames(const FeatureColumn &column) {
  const ProtoMessage *kind = kindMessage(column);
  if (column.has_name())
    return {column.name()};
  if (!kind)
    return {};
  const ProtoField *field = elementField(*kind);
  if (!field)
    return {crossName(column.crossed())};
  const auto *reflection = kind->GetReflection();
  std::vector<std::string> names;
  if (!field->is_repeated())
    names.push_back(reflection->GetString(*kind, field));
  for (int i = 0; field->is_repeated() && i < reflection->FieldSize(*kind, field); ++i)
    expandRanges(reflection->GetRepeatedString(*kind, field, i), names);
  for (std::string &name : names)
    name = derivedName(column, name);
  return names;
}

std::vector<std::string> mlc::frontend::elementNames(const ProtoMessage &element) {
  const std::string &type = element.GetDescriptor()->name();
  std::vector<std::string> names;
  if (type == "FeatureColumn")
    return columnNames(static_cast<const FeatureColumn &>(element));
  if (type == "Column")
    for (const std::string &name : static_cast<const Column &>(element).name())
      expandRanges(name, names);
  if (type == "Eval" && static_cast<const Eval &>(element).has_name())
    names.push_back(static_cast<const Eval &>(element).name());
  if (type == "Head" && static_cast<const Head &>(element).has_name())
    names.push_back(static_cast<const Head &>(element).name());
  return names;
}

/// Columns of a later layer refer to earlier ones only.
static constexpr int kLayers = 5;
static int layerOf(FeatureColumn::KindCase kind) {
  switch (kind) {
  case FeatureColumn::kBucketized:
    return 1;
  case FeatureColumn::kCrossed:
    return 2;
  case FeatureColumn::kWeightedCategorical:
    return 3;
  case FeatureColumn::kIndicator:
  case FeatureColumn::kEmbedding:
  case FeatureColumn::kSharedEmbeddings:
    return 4;
  default:
    return 0;
  }
}

std::string mlc::frontend::kindName(const ResolvedColumn &column) {
  return column.message->GetDescriptor()->FindFieldByNumber(static_cast<int>(column.kind))->name();
}

void Resolver::resolveColumns() {
  for (const FeatureColumn &message : spec().feature_column())
    declareColumns(message);
  // Layer by layer, so that each column stands after those it refers to.
  std::vector<ResolvedColumn> ordered;
  for (int layer = 0; layer < kLayers; ++layer)
    for (ResolvedColumn &column : result_.columns)
      if (layerOf(column.kind) == layer)
        ordered.push_back(std::move(column));
  result_.columns = std::move(ordered);
  for (auto [i, column] : llvm::enumerate(result_.columns))
    result_.columnByName[column.name] = i;
  for (ResolvedColumn &column : result_.columns)
    if (!resolveColumn(column))
      column.size = std::max<int64_t>(column.size, 1); // a stand-in: the error is told
  for (auto first = result_.columns.begin(); first != result_.columns.end();) {
    auto last = std::find_if(first, result_.columns.end(),
                             [&](const ResolvedColumn &other) { return other.message != first->message; });
    if (first->kind == FeatureColumn::kSharedEmbeddings)
      resolveShared(llvm::ArrayRef<ResolvedColumn>(&*first, last - first));
    first = last;
  }
}

/// Sets the table of the columns of one shared_embeddings.
static void nameSharedTable(std::vector<ResolvedColumn> &columns) {
  if (columns.empty())
    return;
  std::vector<std::string> names;
  for (const ResolvedColumn &column : columns)
    names.push_back(column.element);
  llvm::sort(names);
  const SharedEmbeddings &shared = columns.front().message->shared_embeddings();
  std::string table = shared.has_shared_embedding_collection_name() ? shared.shared_embedding_collection_name()
                                                                    : llvm::join(names, "_") + "_shared_embedding";
  for (ResolvedColumn &column : columns)
    column.table = table;
}

/// Adds the columns that one message makes, with their names.
void Resolver::declareColumns(const FeatureColumn &message) {
  const ProtoMessage *kind = kindMessage(message);
  if (!kind)
    return;
  std::vector<ResolvedColumn> made;
  ResolvedColumn column;
  column.kind = message.kind_case();
  column.message = &message;
  const ProtoField *field = elementField(*kind);
  if (!field) {
    column.name = crossName(message.crossed());
    column.span = document_.start(*kind);
    made.push_back(column);
  } else {
    const auto *reflection = kind->GetReflection();
    int count = field->is_repeated() ? reflection->FieldSize(*kind, field) : reflection->HasField(*kind, field);
    for (int i = 0; i < count; ++i) {
      std::string text =
          field->is_repeated() ? reflection->GetRepeatedString(*kind, field, i) : reflection->GetString(*kind, field);
      std::vector<std::string> names;
      std::string problem = expandRanges(text, names);
      if (!problem.empty())
        report(fieldError(*kind, field->name(), i, "E0112", problem));
      for (const std::string &name : names) {
        column.element = name;
        column.elementIndex = i;
        column.span = document_.spans(*kind, *field, i).value;
        column.name = derivedName(message, name);
        made.push_back(column);
      }
    }
  }
  if (message.has_name() && made.size() == 1) {
    made[0].name = message.name();
  } else if (message.has_name() && made.size() > 1) {
    common::Message error = fieldError(message, "name", 0, "E0131",
                                       "'name' is set, but " + std::to_string(made.size()) + " columns are made here");
    error.help = "remove it: each column is named after its key; or write one feature_column each";
    report(std::move(error));
  }
  if (column.kind == FeatureColumn::kSharedEmbeddings)
    nameSharedTable(made);
  if (made.size() == 1)
    document_.setElementName(message, made[0].name);
  for (ResolvedColumn &each : made) {
    each.path = field ? document_.path(*kind, field->name(), field->is_repeated() ? each.elementIndex : -1)
                      : document_.path(*kind);
    declareColumn(std::move(each));
  }
}

void Resolver::declareColumn(ResolvedColumn column) {
  auto [place, isNew] = result_.columnByName.try_emplace(column.name, result_.columns.size());
  if (isNew) {
    result_.columns.push_back(std::move(column));
    return;
  }
  common::Message error =
      document_.makeError("E0109", column.span, "feature column '" + column.name + "' is defined twice");
  error.field = column.path;
  error.related.push_back(document_.place(result_.columns[place->second].span, "first defined here"));
  error.help = "give one of them a 'name'";
  report(std::move(error));
}

int Resolver::findInput(const ProtoMessage &message, llvm::StringRef field, int index, llvm::StringRef name) {
  auto found = result_.inputByName.find(name);
  const bool isDeclared = found != result_.inputByName.end();
  // One mistake is one error: what is wrong with the declaration is told.
  if (isDeclared && !document_.isDamaged(*result_.inputs[found->second].message))
    return found->second;
  if (isDeclared) {
    isColumnLost_ = true;
    return -1;
  }
  const std::string &type = message.GetDescriptor()->name();
  std::string what = type == "Head"      ? "the head needs"
                     : type == "Predict" ? "predict forwards"
                                         : "feature column needs";
  common::Message error = fieldError(message, field, index, "E0102",
                                     what + " the input column '" + name.str() + "', which is not declared");
  // A label is no feature, and a feature no label: what is one already is not proposed as the other.
  const bool isHead = type == "Head", isPredict = type == "Predict";
  auto isOfHead = [&](const std::string &column) {
    return llvm::any_of(spec().head(),
                        [&](const auto &head) { return head.label() == column || head.weight_column() == column; });
  };
  auto isFeature = [&](const InputColumn &input) {
    const int number = static_cast<int>(&input - result_.inputs.data());
    return llvm::any_of(result_.columns, [&](const ResolvedColumn &column) { return column.input == number; });
  };
  error.help = inputHelp(name, [&](const InputColumn &input) {
    return isPredict || (!isOfHead(input.name) && !(isHead && isFeature(input)));
  });
  isColumnLost_ |= !isHead && !isPredict;
  // A declaration with an error is what most likely was meant.
  if (hasLostInput())
    return -1;
  report(std::move(error));
  return -1;
}

bool Resolver::checkScalar(const ProtoMessage &message, llvm::StringRef field, int index, const InputColumn &input,
                           const std::string &taker) {
  if (input.elements() == 1 && !input.isMultiValued())
    return true;
  std::string count = input.isMultiValued() ? "any number of" : std::to_string(input.elements());
  common::Message error = fieldError(message, field, index, "E0123",
                                     "'" + input.name + "' has " + count + " values per row; " + taker + " takes one");
  error.related.push_back(document_.place(input.span, "declared here"));
  report(std::move(error));
  return false;
}

bool Resolver::hasLostColumn() const {
  return isColumnLost_ || document_.isDamaged(spec()) ||
         llvm::any_of(spec().feature_column(), [&](const FeatureColumn &column) {
           const ProtoMessage *kind = kindMessage(column);
           return !kind || document_.isDamaged(column) || document_.isDamaged(*kind);
         });
}

bool Resolver::hasLostInput() const {
  return document_.isDamaged(spec()) || document_.isDamaged(spec().input()) ||
         llvm::any_of(spec().input().column(), [&](const auto &column) { return document_.isDamaged(column); });
}

int Resolver::findColumn(const ProtoMessage &message, llvm::StringRef field, int index, llvm::StringRef name) {
  auto found = result_.columnByName.find(name);
  if (found != result_.columnByName.end())
    return found->second;
  common::Message error = fieldError(message, field, index, "E0102", "there is no feature column '" + name.str() + "'");
  error.help = columnHelp(name);
  // One mistake is one error: a column whose definition has an error is what most likely was meant, however near the
  // names of others are.
  if (hasLostColumn())
    return -1;
  if (error.help.empty() && result_.inputByName.count(name))
    error.help = "'" + name.str() + "' is a column of the input; make a feature column of it";
  report(std::move(error));
  return -1;
}

//===----------------------------------------------------------------------===//
// One column
//===----------------------------------------------------------------------===//

bool Resolver::resolveColumn(ResolvedColumn &column) {
  switch (column.kind) {
  case FeatureColumn::kNumeric:
    return resolveNumeric(column);
  case FeatureColumn::kSequenceNumeric:
    return resolveSequenceNumeric(column);
  case FeatureColumn::kBucketized:
    return resolveBucketized(column);
  case FeatureColumn::kCrossed:
    return resolveCrossed(column);
  case FeatureColumn::kWeightedCategorical:
    return resolveWeighted(column);
  case FeatureColumn::kIndicator:
  case FeatureColumn::kEmbedding:
  case FeatureColumn::kSharedEmbeddings:
    return resolveWrapper(column);
  default:
    return resolveCategorical(column);
  }
}

/// The input of a column of numbers, whose kind is `message`; null after an error.
template <typename Message> InputColumn *Resolver::findNumbers(ResolvedColumn &column, const Message &message) {
  column.size = 1;
  column.input = findInput(message, "key", column.elementIndex, column.element);
  if (column.input < 0)
    return nullptr;
  InputColumn &input = result_.inputs[column.input];
  if (message.has_min_max() && !(message.min_max().min() < message.min_max().max())) {
    common::Message error = fieldError(message.min_max(), "max", 0, "E0108", "min must be below max");
    error.field = document_.path(message, "min_max");
    report(std::move(error));
  }
  if (!input.isString())
    return &input;
  common::Message error =
      fieldError(message, "key", column.elementIndex, "E0123",
                 "'" + input.name + "' is a column of strings; " + kindName(column) + " takes numbers");
  error.related.push_back(document_.place(input.span, "declared here"));
  error.help = "categorical_with_vocabulary_list or categorical_with_hash_bucket, or another dtype";
  report(std::move(error));
  return nullptr;
}

bool Resolver::resolveNumeric(ResolvedColumn &column) {
  const Numeric &numeric = column.message->numeric();
  InputColumn *input = findNumbers(column, numeric);
  if (!input)
    return false;
  column.size = input->elements();
  return !input->isMultiValued() || checkScalar(numeric, "key", column.elementIndex, *input, kindName(column));
}

bool Resolver::resolveSequenceNumeric(ResolvedColumn &column) {
  const SequenceNumeric &numeric = column.message->sequence_numeric();
  InputColumn *input = findNumbers(column, numeric);
  if (!input || (input->isMultiValued() && input->isFloat()))
    return input != nullptr;
  common::Message error =
      fieldError(numeric, "key", column.elementIndex, "E0123",
                 input->isMultiValued() ? "'" + input->name + "' is " + Column::Dtype_Name(input->message->dtype()) +
                                              "; the steps of a sequence_numeric are FLOAT32 or FLOAT64"
                                        : "'" + input->name + "' has " + std::to_string(input->elements()) +
                                              " values per row; a sequence has any number of steps");
  if (!input->isMultiValued())
    error.help = "multi_value {} in the column '" + input->name + "'";
  error.related.push_back(document_.place(input->span, "declared here"));
  report(std::move(error));
  return false;
}

bool Resolver::resolveBucketized(ResolvedColumn &column) {
  const Bucketized &bucketized = column.message->bucketized();
  column.size = bucketized.boundaries_size() + 1;
  int source = findColumn(bucketized, "source_column", 0, column.element);
  if (source < 0)
    return false;
  const ResolvedColumn &numeric = result_.columns[source];
  if (numeric.kind != FeatureColumn::kNumeric) {
    common::Message error = fieldError(bucketized, "source_column", 0, "E0110",
                                       "'" + numeric.name + "' is " + kindName(numeric) + "; bucketized takes numeric");
    error.related.push_back(document_.place(numeric.span, "'" + numeric.name + "'"));
    report(std::move(error));
    return false;
  }
  const mlc::spec::v1::Numeric &kind = numeric.message->numeric();
  if (kind.normalizer_case() != mlc::spec::v1::Numeric::NORMALIZER_NOT_SET && !bucketized.has_units()) {
    common::Message error =
        fieldError(bucketized, "boundaries", 0, "E0107",
                   "'" + numeric.name + "' has a normalizer: 'boundaries' are before or after it, say which");
    error.expected = "units: INPUT (before) or units: NORMALIZED (after, as in tf.estimator)";
    error.related.push_back(document_.place(numeric.span, "'" + numeric.name + "'"));
    report(std::move(error));
    return false;
  }
  column.input = numeric.input;
  if (column.input < 0)
    return false;
  column.size *= result_.inputs[column.input].elements();
  return true;
}

/// Vocabularies, hash buckets and identities.
bool Resolver::resolveCategorical(ResolvedColumn &column) {
  const ProtoMessage &kind = *kindMessage(*column.message);
  column.input = findInput(kind, "key", column.elementIndex, column.element);
  if (column.input < 0)
    return false;
  InputColumn &input = result_.inputs[column.input];
  bool integersOnly = column.kind == FeatureColumn::kCategoricalWithIdentity;
  if (!input.isInteger() && (integersOnly || !input.isString())) {
    std::string dtype = Column::Dtype_Name(input.message->dtype());
    common::Message error = fieldError(kind, "key", column.elementIndex, "E0123",
                                       "'" + input.name + "' is " + dtype + "; " + kindName(column) + " takes " +
                                           (integersOnly ? "integers" : "strings or integers"));
    error.related.push_back(document_.place(input.span, "declared here"));
    if (input.isFloat())
      error.help = "floats that print alike may differ; use numeric with bucketized, or another dtype";
    report(std::move(error));
    return false;
  }
  if (!input.isMultiValued() && !checkScalar(kind, "key", column.elementIndex, input, kindName(column)))
    return false;
  switch (column.kind) {
  case FeatureColumn::kCategoricalWithHashBucket:
    column.size = column.message->categorical_with_hash_bucket().hash_bucket_size();
    return column.size > 1;
  case FeatureColumn::kCategoricalWithIdentity: {
    const auto &identity = column.message->categorical_with_identity();
    column.size = identity.num_buckets();
    if (identity.has_default_value() && identity.default_value() >= identity.num_buckets()) {
      common::Message error = fieldError(identity, "default_value", 0, "E0108",
                                         "'default_value' cannot be " + std::to_string(identity.default_value()));
      error.expected = "an id below num_buckets, which is " + std::to_string(identity.num_buckets());
      report(std::move(error));
      return false;
    }
    return column.size > 0;
  }
  default:
    return readVocabulary(column);
  }
}

bool Resolver::checkFallback(const ResolvedColumn &column, const ProtoMessage &message, int64_t fallback) {
  int64_t terms = column.vocabulary.size();
  if (fallback < terms)
    return true;
  common::Message error =
      fieldError(message, "default_value", 0, "E0108", "'default_value' cannot be " + std::to_string(fallback));
  error.expected = "-1, or an id below the number of terms, which is " + std::to_string(terms);
  report(std::move(error));
  return false;
}

bool Resolver::readVocabulary(ResolvedColumn &column) {
  int64_t oov = 0;
  const ProtoMessage &kind = *kindMessage(*column.message);
  if (column.kind == FeatureColumn::kCategoricalWithVocabularyList) {
    const auto &list = column.message->categorical_with_vocabulary_list();
    column.vocabulary.assign(list.vocabulary_list().begin(), list.vocabulary_list().end());
    oov = list.num_oov_buckets();
    if (!checkFallback(column, list, list.default_value()))
      return false;
  } else {
    const auto &file = column.message->categorical_with_vocabulary_file();
    column.vocabularyFile = file.vocabulary_file();
    auto buffer = llvm::MemoryBuffer::getFile(column.vocabularyFile, /*IsText=*/true);
    if (!buffer) {
      common::Message error = fieldError(file, "vocabulary_file", 0, "E0114",
                                         "cannot read '" + column.vocabularyFile + "': " + buffer.getError().message());
      report(std::move(error));
      return false;
    }
    llvm::StringRef rest = (*buffer)->getBuffer();
    while (!rest.empty()) {
      auto [line, after] = rest.split('\n');
      column.vocabulary.push_back(line.ends_with("\r") ? line.drop_back().str() : line.str());
      rest = after;
    }
    int64_t lines = column.vocabulary.size();
    if (file.has_vocabulary_size() && file.vocabulary_size() > lines) {
      common::Message error = fieldError(file, "vocabulary_size", 0, "E0108",
                                         "'vocabulary_size' cannot be " + std::to_string(file.vocabulary_size()));
      error.expected = "at most the lines of the file, which has " + std::to_string(lines);
      report(std::move(error));
      return false;
    }
    if (file.has_vocabulary_size())
      column.vocabulary.resize(file.vocabulary_size());
    llvm::StringSet<> seen;
    for (auto [i, term] : llvm::enumerate(column.vocabulary)) {
      if (llvm::StringRef(term).trim().empty()) {
        common::Message error = fieldError(file, "vocabulary_file", 0, "E0108",
                                           column.vocabularyFile + ":" + std::to_string(i + 1) + " is a blank line");
        error.expected = "a term: an empty cell is a missing value, which no term can stand for";
        report(std::move(error));
        return false;
      }
      if (seen.insert(term).second)
        continue;
      report(fieldError(file, "vocabulary_file", 0, "E0109",
                        "'" + term + "' stands twice in '" + column.vocabularyFile + "', again on line " +
                            std::to_string(i + 1)));
      return false;
    }
    oov = file.num_oov_buckets();
    if (!checkFallback(column, file, file.default_value()))
      return false;
  }
  column.size = column.vocabulary.size() + oov;
  if (result_.inputs[column.input].isString())
    return column.size > 0;
  for (const std::string &term : column.vocabulary) {
    int64_t value = 0;
    if (!llvm::StringRef(term).getAsInteger(10, value))
      continue;
    common::Message error = fieldError(kind, "key", column.elementIndex, "E0123",
                                       "term '" + term + "' of '" + column.name + "' is no integer, as the column is");
    report(std::move(error));
    return false;
  }
  return column.size > 0;
}
