// The tiles that products on GPUs have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Target/CUDA/TileTable.h"
#include "dialects/Kern/IR/KernTiles.h"
#include "mlc/Target/CUDA/Chips.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;
using common::KernelTable;
using common::MessageList;
using common::TileLine;

/// The larger a tile is, the less it reads of shared and of global memory for each product; the smaller, the more
/// blocks there are. Sums of the largest one take half of a thread's registers if they are of 32 bits. Chunks of tensor
/// cores are at least two steps of the instruction.
static constexpr Tile kTiles[] = {{128, 128, 8}, {128, 64, 8}, {64, 128, 8}, {64, 64, 16},
                                  {64, 32, 16},  {32, 64, 16}, {32, 32, 16}};
static constexpr Tile kHalfTiles[] = {{128, 128, 32}, {128, 64, 32}, {64, 128, 32},
                                      {64, 64, 32},   {32, 64, 32},  {32, 32, 32}};
static constexpr Tile kTf32Tiles[] = {{128, 128, 16}, {128, 64, 16}, {64, 128, 16},
                                      {64, 64, 32},   {32, 64, 32},  {32, 32, 32}};

ArrayRef<Tile> cuda::tilesOf(StringRef kind) {
  return llvm::StringSwitch<ArrayRef<Tile>>(kind)
      .Case("f32", kTiles)
      .Case("f64", ArrayRef(kTiles).drop_front(3))
      .Case("tf32", kTf32Tiles)
      .Default(kHalfTiles);
}

/// Chunks of a part of the inner dimension at least, so that some are on their way while one is multiplied.
static constexpr int64_t kLeastChunks = 4;

int64_t cuda::partsOf(const Tile &tile, int64_t splits, int64_t k) {
  return std::clamp((k + tile.depth - 1) / tile.depth / kLeastChunks, int64_t(1), splits);
}

/// So many blocks keep a GPU busy (there are 108 multiprocessors on an A100, 132 on an H100). Of a tile of which most
/// is empty more is computed than it saves. Where there are few of the smallest tile, and a long inner dimension, as of
/// gradients of weights, parts of that are blocks of their own.
static constexpr const char *kBuiltIn = R"(mlc-kernel-table 1
tile any f32 m=65.. n=65.. blocks=128.. 128x128x8
tile any f32 m=33.. n=33.. blocks=128.. 64x64x16
tile any f32 32x32x16
tile any f64 m=33.. n=33.. blocks=128.. 64x64x16
tile any f64 32x32x16
tile any tf32 m=65.. n=65.. blocks=128.. 128x128x16
tile any tf32 m=33.. n=33.. blocks=128.. 64x64x32
tile any tf32 k=512..2047 blocks=1..32 splits=4 32x32x32
tile any tf32 k=2048.. blocks=1..64 splits=8 32x32x32
tile any tf32 32x32x32
tile any f16 m=65.. n=65.. blocks=128.. 128x128x32
tile any f16 m=33.. n=33.. blocks=128.. 64x64x32
tile any f16 k=512..2047 blocks=1..32 splits=4 32x32x32
tile any f16 k=2048.. blocks=1..64 splits=8 32x32x32
tile any f16 32x32x32
tile any bf16 m=65.. n=65.. blocks=128.. 128x128x32
tile any bf16 m=33.. n=33.. blocks=128.. 64x64x32
tile any bf16 k=512..2047 blocks=1..32 splits=4 32x32x32
tile any bf16 k=2048.. blocks=1..64 splits=8 32x32x32
tile any bf16 32x32x32
)";

const KernelTable &cuda::builtInTiles() {
  static const KernelTable table = [] {
    KernelTable made;
    MessageList messages;
    [[maybe_unused]] const bool isGood = common::parseKernelTable("the built-in table", kBuiltIn, made, messages) &&
                                         checkTiles("the built-in table", made, messages);
    assert(isGood && "the built-in table");
    return made;
  }();
  return table;
}

static bool fail(const std::string &file, int64_t line, std::string what, std::string expected, MessageList &messages) {
  common::Message message = common::makeError("E0228", std::move(what));
  message.place.file = file;
  message.place.line = line;
  message.expected = std::move(expected);
  messages.add(std::move(message));
  return false;
}

bool cuda::checkTiles(const std::string &file, const KernelTable &table, MessageList &messages) {
  bool isGood = true;
  for (const TileLine &line : table.lines) {
    if (line.chip != common::kAnyChip)
      if (std::string problem = checkChip(line.chip); !problem.empty())
        isGood = fail(file, line.number, problem, "", messages);
    if (line.splits > 1 && (line.kind == "f32" || line.kind == "f64"))
      isGood = fail(file, line.number, "splits=" + std::to_string(line.splits) + " of " + line.kind,
                    "no splits: sums of FMAs have the order that the program states", messages);
    ArrayRef<Tile> tiles = tilesOf(line.kind);
    if (llvm::is_contained(tiles, line.tile))
      continue;
    std::string known;
    for (const Tile &tile : tiles)
      known += (known.empty() ? "" : ", ") + tileText(tile);
    isGood = fail(file, line.number, "there is no code for tiles of " + tileText(line.tile) + " of " + line.kind,
                  "one of " + known, messages);
  }
  return isGood;
}

bool cuda::selectTiles(const std::string &file, const KernelTable &table, const std::vector<std::string> &chips,
                       KernelTable &selected, MessageList &messages) {
  std::string chipClass;
  for (const std::string &chip : latestFirst(chipsOrDefault(chips))) {
    const std::string itsClass = common::chipClass(chip);
    const bool hasLines = llvm::any_of(table.lines, [&](const TileLine &line) { return line.chip == itsClass; });
    if (hasLines || chipClass.empty())
      chipClass = itsClass;
    if (hasLines)
      break;
  }
  for (std::string_view kind : common::kKernelKinds) {
    std::vector<TileLine> lines = table.linesFor(chipClass, kind);
    if (lines.empty()) {
      llvm::StringSet<> known;
      std::string names;
      for (const TileLine &line : table.lines)
        if (known.insert(line.chip).second)
          names += (names.empty() ? "" : ", ") + line.chip;
      return fail(file, 0, "the table has no line of " + std::string(kind) + " for " + chipClass,
                  "lines of " + chipClass + " or any; it has some of " + (names.empty() ? "none" : names), messages);
    }
    llvm::append_range(selected.lines, lines);
  }
  return true;
}

FailureOr<KernelTable> cuda::tilesFor(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto text = module ? module->getAttrOfType<StringAttr>(kern::kKernelTableAttr) : StringAttr();
  if (!text)
    return builtInTiles();
  const std::string name = kern::kKernelTableAttr.str();
  KernelTable table;
  MessageList messages;
  bool isGood = common::parseKernelTable(name, std::string_view(text.getValue()), table, messages) &&
                checkTiles(name, table, messages);
  for (std::string_view kind : common::kKernelKinds)
    if (isGood && llvm::none_of(table.lines, [&](const TileLine &line) { return line.kind == kind; }))
      isGood = fail(name, 0, "the table has no line of " + std::string(kind), "lines of each kind", messages);
  if (isGood)
    return table;
  const common::Message &first = messages.messages().front();
  return module.emitError(placeText(first.place)) << ": " << first.what << "; expected " << first.expected;
}
