// The artifact's table as constants of an llvm::Module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Target/Artifact/ArtifactTable.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

#include <map>

using namespace llvm;
using namespace mlc;

namespace {

/// Builds constants in the layout that C gives the structs: LLVM's natural alignment is the same, sizes are asserted.
struct TableBuilder {
  Module &module;
  LLVMContext &context;
  PointerType *ptr;
  std::map<std::vector<int64_t>, Constant *> dimsTables;

  int32_t numSpaces;

  TableBuilder(Module &m, const ArtifactInfo &info)
      : module(m), context(m.getContext()), ptr(PointerType::getUnqual(m.getContext())),
        numSpaces(static_cast<int32_t>(info.spaces.size())) {}

  Constant *i32(int64_t v) { return ConstantInt::get(Type::getInt32Ty(context), v, true); }
  Constant *i64(int64_t v) { return ConstantInt::get(Type::getInt64Ty(context), v, true); }
  Constant *null() { return ConstantPointerNull::get(ptr); }

  Constant *global(Constant *value, const Twine &name) {
    auto *variable =
        new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage, value, name);
    variable->setAlignment(Align(8));
    return variable;
  }
  Constant *text(StringRef s) { return global(ConstantDataArray::getString(context, s), "text"); }
  Constant *record(ArrayRef<Constant *> fields, size_t size) {
    Constant *value = ConstantStruct::getAnon(context, fields);
    assert(module.getDataLayout().getTypeAllocSize(value->getType()) == size &&
           "a struct of abi.h was laid out otherwise");
    (void)size;
    return value;
  }
  Constant *array(ArrayRef<Constant *> elements, const Twine &name) {
    if (elements.empty())
      return null();
    return global(ConstantArray::get(ArrayType::get(elements.front()->getType(), elements.size()), elements), name);
  }
  Constant *numbers(ArrayRef<int64_t> values, const Twine &name) {
    if (values.empty())
      return null();
    return global(ConstantDataArray::get(
                      context, ArrayRef<uint64_t>(reinterpret_cast<const uint64_t *>(values.data()), values.size())),
                  name);
  }

  /// Equal ones are one.
  Constant *dimsOf(const std::vector<int64_t> &dims) {
    Constant *&known = dimsTables[dims];
    if (!known)
      known = numbers(dims, "dims");
    return known;
  }
  Constant *value(const ValueInfo &v) {
    return record({text(v.name), i32(v.dtype), i32(v.dims.size()), dimsOf(v.dims)}, sizeof(mlcrt_value));
  }
  Constant *values(ArrayRef<ValueInfo> list, const Twine &name) {
    SmallVector<Constant *> elements;
    for (const ValueInfo &v : list)
      elements.push_back(value(v));
    return array(elements, name);
  }
  /// A compiled function, of this module or another object, or null.
  Constant *function(const Twine &name) {
    Function *f = module.getFunction(name.str());
    if (!f)
      f = module.getFunction((kCodePrefix + name).str());
    return f ? static_cast<Constant *>(f) : null();
  }
  Constant *segment(const SegmentInfo &s) {
    SmallVector<Constant *> operands;
    for (const mlcrt_operand &o : s.operands)
      operands.push_back(record({i32(o.source), i32(o.index), i32(o.access), i32(o.flags), i32(o.space), i32(0)},
                                sizeof(mlcrt_operand)));
    SmallVector<Constant *> workspaces;
    for (int32_t space = MLCRT_SPACE_HOST; space <= numSpaces; ++space) {
      std::string name = s.prefix + s.function + ".workspace";
      if (space != MLCRT_SPACE_HOST)
        name += "." + std::to_string(space);
      if (Constant *size = function(name); !size->isNullValue())
        workspaces.push_back(record({i32(space), i32(0), size}, sizeof(mlcrt_workspace)));
    }
    return record({text(s.function), i32(s.kind), i32(s.device), i32(s.flags), i32(s.operands.size()),
                   array(operands, "operands"), function(s.prefix + s.function), i64(workspaces.size()),
                   array(workspaces, "workspaces")},
                  sizeof(mlcrt_segment));
  }
  Constant *entry(const EntryInfo &e) {
    SmallVector<Constant *> segments;
    for (const SegmentInfo &s : e.segments)
      segments.push_back(segment(s));
    return record({text(e.name), i32(e.role), i32(segments.size()), array(segments, "segments"),
                   i32(e.intermediates.size()), i32(e.outputs.size()), values(e.intermediates, "intermediates"),
                   values(e.outputs, "outputs")},
                  sizeof(mlcrt_entry));
  }
  Constant *variable(const VariableInfo &v) {
    return record(
        {value(v.value), i32(v.flags), i32(v.slotOf), v.slot.empty() ? null() : text(v.slot), i64(0), null(), null()},
        sizeof(mlcrt_variable));
  }
  Constant *namedRows(const ArtifactInfo &info) {
    SmallVector<Constant *> elements;
    for (auto [index, variable] : llvm::enumerate(info.variables))
      for (const NamedRowsInfo &tensor : variable.tensors)
        elements.push_back(record({text(tensor.name), i32(index), i32(0), i64(tensor.rows)}, sizeof(mlcrt_named_rows)));
    return array(elements, "named_rows");
  }
  Constant *table(const TableInfo &t) {
    std::string bytes;
    SmallVector<int64_t> offsets = {0};
    for (const std::string &term : t.terms) {
      bytes += term;
      offsets.push_back(bytes.size());
    }
    bool strings = t.ints.empty();
    return record({text(t.name), i32(strings ? MLCRT_STRING : MLCRT_I64), i32(0),
                   i64(strings ? t.terms.size() : t.ints.size()), strings ? text(bytes) : null(),
                   strings ? numbers(offsets, "offsets") : null(), strings ? null() : numbers(t.ints, "terms"),
                   i64(t.numOov), i64(t.defaultValue)},
                  sizeof(mlcrt_table));
  }
  Constant *setting(const SettingInfo &s) {
    double number = s.dtype == MLCRT_I64 ? 0 : s.f64;
    return record({text(s.path), i32(s.dtype), i32(0), ConstantFP::get(Type::getDoubleTy(context), number), i64(s.i64)},
                  sizeof(mlcrt_setting));
  }
  Constant *queue(const QueueInfo &q) {
    return record({text(q.name), i32(q.kind), i32(q.components.size()), i64(q.capacity), i64(q.minAfterDequeue),
                   i64(q.seed), values(q.components, "components")},
                  sizeof(mlcrt_queue));
  }
  Constant *update(const UpdateInfo &u) {
    return record(
        {i32(u.entry), i32(u.rowsSymbol), i64(u.rows), i64(u.operands.size()), values(u.operands, "operands")},
        sizeof(mlcrt_update));
  }
  Constant *pull(const mlcrt_pull &p) {
    return record({i32(p.entry), i32(p.intermediate), i32(p.variable), i32(p.flags)}, sizeof(mlcrt_pull));
  }
  Constant *device(const DeviceInfo &d) { return record({text(d.name), text(d.kind)}, sizeof(mlcrt_device)); }
  Constant *space(const SpaceInfo &s) {
    return record({text(s.name), i32(s.device), i32(0), i64(s.alignment)}, sizeof(mlcrt_space));
  }
  Constant *image(const ImageInfo &i) {
    Constant *bytes = global(ConstantDataArray::getRaw(i.bytes, i.bytes.size(), Type::getInt8Ty(context)), "image");
    return record({text(i.deviceKind), text(i.chip), i32(i.kind), i32(i.flags), bytes, i64(i.bytes.size())},
                  sizeof(mlcrt_image));
  }
  Constant *home(const mlcrt_home &h) {
    return record({i32(h.variable), i32(h.space), i32(h.flags), i32(0)}, sizeof(mlcrt_home));
  }
  Constant *matrix(const MatrixInfo &m) {
    SmallVector<Constant *> columns;
    for (const mlcrt_column &c : m.columns)
      columns.push_back(record({i32(c.feature), i32(0), i64(c.offset)}, sizeof(mlcrt_column)));
    return record({value(m.value), i64(columns.size()), array(columns, "columns")}, sizeof(mlcrt_matrix));
  }
  Constant *check(const CheckInfo &c) { return record({i32(c.code), i32(0), text(c.message)}, sizeof(mlcrt_check)); }
  Constant *part(const mlcrt_part &p) {
    return record({i32(p.part), i32(p.entry), i32(p.device), i32(0)}, sizeof(mlcrt_part));
  }
  Constant *channel(const mlcrt_channel &c) {
    return record({i32(c.queue), i32(c.entry), i32(c.from), i32(c.to)}, sizeof(mlcrt_channel));
  }
  Constant *dimension(const DimensionInfo &d) {
    return record({i32(d.symbol), i32(d.kind), i64(d.terms.size()), numbers(d.terms, "terms")},
                  sizeof(mlcrt_dimension));
  }
  template <typename T, typename Fn> Constant *list(const std::vector<T> &items, Fn make, const Twine &name) {
    SmallVector<Constant *> elements;
    for (const T &item : items)
      elements.push_back(make(item));
    return array(elements, name);
  }
};

} // namespace

/// Of variables that are several tensors.
static size_t numTensorsOfVariables(const ArtifactInfo &info) {
  size_t count = 0;
  for (const VariableInfo &variable : info.variables)
    count += variable.tensors.size();
  return count;
}

/// The table, and that of the same model on hosts.
static Constant *makeTable(Module &module, const ArtifactInfo &info, Constant *image, size_t imageBytes) {
  TableBuilder b(module, info);
  Constant *onHost = info.onHost ? makeTable(module, *info.onHost, image, imageBytes) : b.null();
  Constant *artifact =
      b.record({b.i32(sizeof(mlcrt_artifact)),
                b.i32(MLCRT_ABI_VERSION),
                b.text(info.name),
                b.text(info.stateFingerprint),
                b.text(info.planFingerprint),
                b.text(info.cpuFeatures),
                b.text(info.manifest),
                b.i32(info.features.size()),
                b.i32(info.variables.size()),
                b.i32(info.settings.size()),
                b.i32(info.tables.size()),
                b.i32(info.sums.size()),
                b.i32(info.entries.size()),
                b.values(info.features, "features"),
                b.list(
                    info.variables, [&](const VariableInfo &v) { return b.variable(v); }, "variables"),
                b.list(
                    info.settings, [&](const SettingInfo &s) { return b.setting(s); }, "settings"),
                b.list(
                    info.tables, [&](const TableInfo &t) { return b.table(t); }, "tables"),
                b.values(info.sums, "sums"),
                b.list(
                    info.entries, [&](const EntryInfo &e) { return b.entry(e); }, "entries"),
                b.list(
                    info.images, [&](const ImageInfo &i) { return b.image(i); }, "images"),
                b.i64(info.images.size()),
                b.list(
                    info.dimensions, [&](const DimensionInfo &d) { return b.dimension(d); }, "dimensions"),
                b.i64(info.dimensions.size()),
                image,
                b.i64(imageBytes),
                b.list(
                    info.queues, [&](const QueueInfo &q) { return b.queue(q); }, "queues"),
                b.i64(info.queues.size()),
                b.list(
                    info.updates, [&](const UpdateInfo &u) { return b.update(u); }, "updates"),
                b.i64(info.updates.size()),
                b.values(info.shared, "shared"),
                b.i64(info.shared.size()),
                b.list(
                    info.pulls, [&](const mlcrt_pull &p) { return b.pull(p); }, "pulls"),
                b.i64(info.pulls.size()),
                b.list(
                    info.devices, [&](const DeviceInfo &d) { return b.device(d); }, "devices"),
                b.i64(info.devices.size()),
                b.list(
                    info.parts, [&](const mlcrt_part &p) { return b.part(p); }, "parts"),
                b.i64(info.parts.size()),
                b.list(
                    info.channels, [&](const mlcrt_channel &c) { return b.channel(c); }, "channels"),
                b.i64(info.channels.size()),
                b.namedRows(info),
                b.i64(numTensorsOfVariables(info)),
                b.list(
                    info.spaces, [&](const SpaceInfo &s) { return b.space(s); }, "spaces"),
                b.i64(info.spaces.size()),
                b.list(
                    info.homes, [&](const mlcrt_home &h) { return b.home(h); }, "homes"),
                b.i64(info.homes.size()),
                b.list(
                    info.matrices, [&](const MatrixInfo &m) { return b.matrix(m); }, "matrices"),
                b.i64(info.matrices.size()),
                b.list(
                    info.checks, [&](const CheckInfo &c) { return b.check(c); }, "checks"),
                b.i64(info.checks.size()),
                onHost},
               sizeof(mlcrt_artifact));
  return b.global(artifact, "artifact");
}

void mlc::addArtifactTable(Module &module, const ArtifactInfo &info, ArrayRef<char> predictImage) {
  TableBuilder b(module, info);
  Constant *image = b.null();
  if (!predictImage.empty())
    image = b.global(ConstantDataArray::get(b.context, predictImage), "predict_image");
  Constant *table = makeTable(module, info, image, predictImage.size());

  // A caller that knows only an older ABI gets null.
  auto *type = FunctionType::get(b.ptr, {Type::getInt32Ty(b.context), b.ptr}, false);
  auto *query = Function::Create(type, GlobalValue::ExternalLinkage, MLCRT_ARTIFACT_QUERY_SYMBOL, module);
  IRBuilder<> code(BasicBlock::Create(b.context, "entry", query));
  Value *known = code.CreateICmpUGE(query->getArg(0), b.i32(MLCRT_ABI_VERSION));
  code.CreateRet(code.CreateSelect(known, table, b.null()));
}
