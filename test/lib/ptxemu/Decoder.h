// Decoding of a statement into an instruction: what the decoders of single operations work with.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_DECODER_H
#define MLC_TEST_LIB_PTXEMU_DECODER_H

#include "test/lib/ptxemu/Program.h"

#include <map>
#include <string_view>

namespace ptxemu {

/// Decodes a kernel, statement by statement. An error is kept (the first one) and does not stop the decoder that finds
/// it: it goes on with places that exist.
class Decoder {
public:
  Decoder(const Module &module, Kernel &kernel) : module_(module), kernel_(kernel) {}

  /// Decodes the entry and what it calls; an error or nothing.
  std::string run();

  const Statement &statement() const { return *statement_; }
  Kernel &kernel() { return kernel_; }
  /// The instruction that is being made.
  Inst inst;

  void fail(const std::string &what);
  bool failed() const { return !error_.empty(); }

  // Modifiers. What no decoder asked for is an error.
  /// Whether there is the modifier `name`, which is then known.
  bool has(std::string_view name);
  /// The next modifier that is a type; an error if there is none.
  Type type();
  /// The next modifier that is a type, or None.
  Type typeIfAny();
  /// The index of the modifier that is in `names`; -1, and an error unless `optional`, if there is none.
  int oneOf(std::initializer_list<std::string_view> names, bool optional = false);
  /// .rn, .rz, .rm or .rp; `fallback` where there is none.
  Rounding rounding(Rounding fallback = Rounding::Nearest);
  /// .global, .shared, .shared::cta, .local, .param, .const or none.
  Space space();
  /// Knows modifiers about caches, which change nothing here. True if one asks for an operand more.
  bool cacheModifiers();
  /// Memory order and scope: Inst::flag (strong) and Inst::mode2 (1 acquires, 2 releases).
  void orderModifiers();
  /// The modifier at `index` without knowing it; empty if there is none.
  std::string_view modifier(size_t index) const;

  // Operands.
  size_t count() const { return statement_->operands.size(); }
  void expectOperands(size_t least, size_t most);
  const Operand &operand(size_t index);
  /// The place of a source of `type`. A register must have its size, or be wider if `wider`.
  uint32_t source(const Operand &operand, Type type, bool wider = false, bool carried = false);
  uint32_t source(size_t index, Type type, bool wider = false) { return source(operand(index), type, wider); }
  /// The place of a destination of `type`; a place of its own for `_`.
  uint32_t destination(const Operand &operand, Type type, bool wider = false);
  uint32_t destination(size_t index, Type type, bool wider = false) { return destination(operand(index), type, wider); }
  /// The place of a register and its number, without noting that it is read or written.
  uint32_t quietPlace(const Operand &operand, Type type, uint32_t &number);
  /// The place of a predicate; `negated` gets whether it stands with an exclamation mark.
  uint32_t predicate(const Operand &operand, bool *negated = nullptr);
  uint32_t predicateDestination(const Operand &operand);
  /// The base of a memory operand in Inst::a (or `place`), its offset in Inst::offset. Returns its space as an
  /// instruction for `space` sees it: what stands in a function's parameters is local.
  Space address(const Operand &operand, Space space, uint32_t &place, int64_t &offset);
  /// The value of an immediate; an error if the operand is none.
  uint64_t immediate(const Operand &operand, Type type);
  uint64_t immediate(size_t index, Type type = Type::U32) { return immediate(operand(index), type); }
  /// Whether the register of `operand` has 8 bytes.
  bool isWide(const Operand &operand) const;
  Type registerType(const Operand &operand) const;
  /// The place of a constant, the same in all lanes.
  uint32_t constant(uint64_t bits, unsigned size);
  /// A place for values of a warp that no register names.
  uint32_t scratch(unsigned size);
  /// Adds places to Kernel::operands; the first of them.
  uint32_t addOperands(const std::vector<uint32_t> &places);
  uint32_t label(const Operand &operand);
  const std::vector<std::string> *branchTargets(const Operand &operand);
  void noteUse(uint32_t number, bool carried);
  void noteDefinition(uint32_t number);
  /// The function that `operand` names, decoded after this one; the places of its parameters.
  struct Callee {
    const Function *function = nullptr;
    std::map<std::string, uint64_t> frame;
  };
  void call();

private:
  struct Placed {
    const Function *function;
    uint32_t begin = 0;       ///< of its code
    uint32_t firstNumber = 0; ///< of its registers
    std::vector<uint32_t> places;
    std::map<const Variable *, uint64_t> addresses; ///< of variables in local memory
    uint32_t returnSlot = 0;
    std::vector<uint32_t> instOf; ///< statement to instruction
  };
  struct Fix {
    uint32_t inst;
    const Function *function; ///< of a call
    int line;
  };

  void place(const Function &function);
  void layoutShared();
  void decode(Placed &placed);
  void decodeStatement(const Statement &statement);
  Placed *placedOf(const Function *function);
  const Function *functionNamed(const std::string &name) const;
  uint64_t addressOf(const Variable &variable);
  uint32_t special(const std::string &name, Type type);
  void checkRecursion(const Function &function, std::vector<const Function *> &path);

  const Module &module_;
  Kernel &kernel_;
  const Statement *statement_ = nullptr;
  Placed *current_ = nullptr;
  std::vector<bool> known_; ///< modifiers of the statement
  std::string error_;
  std::vector<std::unique_ptr<Placed>> functions_;
  std::map<const Variable *, uint64_t> shared_;
  std::map<std::pair<uint64_t, unsigned>, uint32_t> constants_;
  std::map<std::pair<Special, unsigned>, uint32_t> specials_;
  std::vector<Fix> fixes_;
  std::vector<uint32_t> uses_, carried_, defs_;
};

/// Decodes the statement of `decoder` into its instruction.
using DecodeOp = void (*)(Decoder &decoder);
/// Operations by their opcodes.
using OpTable = std::unordered_map<std::string_view, DecodeOp>;
const OpTable &opTable();

// Each adds the operations of its file.
void addIntegerOps(OpTable &table);
void addBitOps(OpTable &table);
void addFloatOps(OpTable &table);
void addApproximateOps(OpTable &table);
void addCompareOps(OpTable &table);
void addConvertOps(OpTable &table);
void addMoveOps(OpTable &table);
void addMemoryOps(OpTable &table);
void addAtomicOps(OpTable &table);
void addControlOps(OpTable &table);
void addWarpOps(OpTable &table);
void addMatrixOps(OpTable &table);
void addAsyncOps(OpTable &table);
void addWgmmaOps(OpTable &table);

/// The type whose arithmetic is that of `type`: bits are unsigned numbers.
inline Type arithmetic(Type type) {
  return isBits(type)
             ? static_cast<Type>(static_cast<int>(type) - static_cast<int>(Type::B8) + static_cast<int>(Type::U8))
             : type;
}

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_DECODER_H
