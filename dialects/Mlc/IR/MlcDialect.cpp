// What attributes `mlc.` stand on and hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Mlc/IR/Mlc.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlc;

MLIR_DEFINE_EXPLICIT_TYPE_ID(mlc::MlcDialect)

MlcDialect::MlcDialect(MLIRContext *context) : Dialect(getDialectNamespace(), context, TypeID::get<MlcDialect>()) {}
MlcDialect::~MlcDialect() = default;

/// The elements of a DenseI64ArrayAttr, if it is one.
static std::optional<ArrayRef<int64_t>> numbersOf(Attribute attribute) {
  auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute);
  return numbers ? std::optional(numbers.asArrayRef()) : std::nullopt;
}

static bool isModule(Operation *op) { return isa<ModuleOp>(op); }
static bool isFunction(Operation *op) { return isa<FunctionOpInterface>(op); }
static bool isAny(Operation *) { return true; }

template <typename Attr> static bool holdsA(Attribute attribute) { return isa<Attr>(attribute); }
static bool holdsTexts(Attribute attribute) {
  auto texts = dyn_cast<DictionaryAttr>(attribute);
  return texts && llvm::all_of(texts, [](NamedAttribute text) { return isa<StringAttr>(text.getValue()); });
}
static bool holdsNames(Attribute attribute) {
  auto names = dyn_cast<ArrayAttr>(attribute);
  return names && llvm::all_of(names, [](Attribute name) { return isa<StringAttr>(name); });
}
static bool holdsVocabularies(Attribute attribute) {
  auto uses = dyn_cast<ArrayAttr>(attribute);
  return uses && llvm::all_of(uses, [](Attribute each) {
           auto use = dyn_cast<DictionaryAttr>(each);
           auto axis = use ? use.getAs<IntegerAttr>("axis") : nullptr;
           return use && use.size() == 3 && use.getAs<FlatSymbolRefAttr>("variable") &&
                  use.getAs<FlatSymbolRefAttr>("table") && axis && axis.getType().isInteger(64) && axis.getInt() >= 0 &&
                  axis.getInt() <= 1;
         });
}
static bool holdsSignatures(Attribute attribute) {
  auto signatures = dyn_cast<DictionaryAttr>(attribute);
  return signatures && llvm::all_of(signatures, [](NamedAttribute each) {
           auto signature = dyn_cast<DictionaryAttr>(each.getValue());
           auto method = signature ? signature.getAs<StringAttr>("method") : nullptr;
           return method && signature.size() == 2 && signature.get("outputs") && holdsTexts(signature.get("outputs")) &&
                  llvm::is_contained({"classify", "regress", "predict"}, method.getValue());
         });
}
static bool holdsSymbols(Attribute attribute) {
  auto buffers = dyn_cast<ArrayAttr>(attribute);
  return buffers && llvm::all_of(buffers, [](Attribute buffer) {
           auto symbols = numbersOf(buffer);
           return symbols && llvm::all_of(*symbols, [](int64_t symbol) { return symbol >= kNoSymbol; });
         });
}
static bool holdsSignals(Attribute attribute) {
  auto signals = numbersOf(attribute);
  return signals && llvm::all_of(*signals, [](int64_t signal) { return signal >= kNoSignal && signal <= kDone; });
}
static bool holdsImages(Attribute attribute) {
  auto images = dyn_cast<ArrayAttr>(attribute);
  return images && llvm::all_of(images, [](Attribute each) {
           auto image = dyn_cast<DictionaryAttr>(each);
           const size_t others =
               image ? (image.getAs<UnitAttr>("chip_sums") ? 1 : 0) + (image.getAs<StringAttr>("predict") ? 1 : 0) : 0;
           return image && image.size() == 4 + others &&
                  llvm::all_of(ArrayRef<StringRef>{"device_kind", "chip", "kind", "data"},
                               [&](StringRef name) { return image.getAs<StringAttr>(name); });
         });
}
static bool holdsCount(Attribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  return number && number.getType().isInteger(64) && number.getInt() >= 0;
}

namespace {
struct KnownAttribute {
  StringLiteral name;
  bool (*standsOn)(Operation *);
  StringLiteral carriers;
  bool (*holds)(Attribute);
  StringLiteral what;
};
} // namespace

/// All there are.
static constexpr KnownAttribute kKnown[] = {
    {kNameAttr, isModule, "modules", holdsA<StringAttr>, "a string"},
    {kManifestAttr, isModule, "modules", holdsA<StringAttr>, "a string"},
    {kSettingsAttr, isModule, "modules", holdsA<DictionaryAttr>, "a dictionary {train.batch_size = 64, ...}"},
    {kEvalSetsAttr, isModule, "modules", holdsNames, "an array of strings"},
    {kVocabulariesAttr, isModule, "modules", holdsVocabularies,
     "an array of dictionaries {variable = @name, axis = 0 or 1 : i64, table = @name}"},
    {kSignaturesAttr, isModule, "modules", holdsSignatures,
     "a dictionary of {method = \"classify\", \"regress\" or \"predict\", outputs = a dictionary of strings}"},
    {kColumnsAttr, isModule, "modules", holdsTexts, "a dictionary of strings"},
    {kSpecAttr, isModule, "modules", holdsA<StringAttr>, "a string"},
    {kPlanAttr, isModule, "modules", holdsA<StringAttr>, "a string"},
    {kImagesAttr, isModule, "modules", holdsImages,
     "an array of dictionaries {device_kind, chip, kind, data} of strings, predict one, too, chip_sums a unit "
     "attribute"},
    {kSegmentsAttr, isModule, "modules", holdsA<UnitAttr>, "a unit attribute"},
    {kSymbolsAttr, isFunction, "functions", holdsSymbols, "an array of arrays of i64, symbols or -1"},
    {kSignalsAttr, isFunction, "functions", holdsSignals, "an array of i64, each 0, 1 or 2"},
    {kWorkspaceAttr, isFunction, "functions", holdsA<DenseI64ArrayAttr>, "an array of i64"},
    {kServiceCallAttr, isAny, "ops", holdsA<UnitAttr>, "a unit attribute"},
    {kUnrollAttr, isAny, "ops", holdsCount, "an i64 of at least 0"},
    {kCarriedAttr, isAny, "ops", holdsCount, "an i64 of at least 0"},
    {kNoteAttr, isAny, "ops", holdsA<Attribute>, "any attribute"},
};

LogicalResult MlcDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  // There is a workspace for each memory space.
  StringRef family = name, space = name;
  if (int64_t number = 0;
      space.consume_front(kWorkspaceAttr) && space.consume_front(".") && !space.getAsInteger(10, number) && number > 0)
    family = kWorkspaceAttr;
  const auto *known = llvm::find_if(kKnown, [&](const KnownAttribute &each) { return each.name == family; });
  if (known == std::end(kKnown)) {
    std::string names;
    for (const KnownAttribute &each : kKnown)
      names += (names.empty() ? "" : ", ") + each.name.str();
    InFlightDiagnostic diagnostic = op->emitOpError("has '") << name << "', which is no attribute of mlc";
    diagnostic.attachNote() << "there are " << names;
    return diagnostic;
  }
  if (!known->standsOn(op))
    return op->emitOpError("has '") << name << "' where only " << known->carriers << " have it";
  if (!known->holds(attribute.getValue()))
    return op->emitOpError("'") << name << "' must be " << known->what << "; found " << attribute.getValue();
  return success();
}

LogicalResult MlcDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned argument,
                                                   NamedAttribute attribute) {
  if (attribute.getName() != kMatrixAttr)
    return op->emitOpError("argument ") << argument << " has '" << attribute.getName().getValue()
                                        << "', which is no attribute of mlc; there is " << kMatrixAttr;
  auto columns = dyn_cast<ArrayAttr>(attribute.getValue());
  bool ok = columns && !columns.empty() && columns.size() % 2 == 0;
  for (unsigned i = 0; ok && i < columns.size(); i += 2)
    ok = isa<StringAttr>(columns[i]) && isa<TypeAttr>(columns[i + 1]) &&
         isa<RankedTensorType>(cast<TypeAttr>(columns[i + 1]).getValue());
  if (!ok)
    return op->emitOpError("'") << kMatrixAttr << "' of argument " << argument
                                << " must be an array of names, each with the type of its tensor; found "
                                << attribute.getValue();
  return success();
}
