// A module ready to run: instructions in the form that the executor dispatches on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_PROGRAM_H
#define MLC_TEST_LIB_PTXEMU_PROGRAM_H

#include "test/lib/ptxemu/Numbers.h"
#include "test/lib/ptxemu/Syntax.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ptxemu {

struct Inst;
class Warp;
class DeviceMemory;

/// Executes one instruction for the lanes in `active`; false after a finding that ends the kernel.
using Handler = bool (*)(Warp &warp, const Inst &inst, uint32_t active);

/// How an instruction changes which lanes run where.
enum class Control : uint8_t {
  Plain,         ///< not at all
  Branch,        ///< to `target`
  BranchIndexed, ///< to operands[first + value of a]
  Call,          ///< of the function at `target`, whose return slot is `b`
  Return,
  Exit,
  WarpSync,    ///< waits for the lanes in the mask `d`, then runs for all of them at once
  WarpBarrier, ///< the same, but lanes may wait at different instructions
  Barrier,     ///< of a block
  Poll,        ///< gives others a turn when its result (a predicate, `dst`) is false
  Yield,       ///< gives others a turn
};

/// An instruction. Operands are byte offsets in a warp's register file, where constants and special registers have
/// places too: 32 lanes of 4 or 8 bytes, or one word of 32 bits for a predicate.
struct Inst {
  Handler run = nullptr;
  uint32_t dst = 0, a = 0, b = 0, c = 0, d = 0;
  uint32_t guard = 0;
  uint32_t target = 0;
  uint32_t first = 0; ///< further operands in Kernel::operands
  int64_t offset = 0; ///< of an address
  uint64_t imm = 0;
  uint32_t uses = 0, defs = 0; ///< in Kernel::numbers: registers that are read, and written
  uint8_t numUses = 0, numDefs = 0,
          numCarried = 0; ///< numCarried: after the uses, what is moved without being looked at
  Control control = Control::Plain;
  bool guarded = false, guardNegated = false;
  bool ftz = false, saturated = false, flag = false, flag2 = false;
  bool ownCarry = false; ///< the handler itself says which results are undefined, by Warp::poison
  Rounding rounding = Rounding::Nearest;
  Space space = Space::Generic;
  Type type = Type::None, type2 = Type::None;
  uint8_t count = 1; ///< elements of a vector, or what else there are several of
  uint8_t mode = 0, mode2 = 0, negate = 0;
  int line = 0;
};

/// A special register that has a place in the register file.
enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  DynamicSharedSize,
  TotalSharedSize,
  ClusterCtaRank,
  ClusterNctaRank,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NclusterIdX,
  NclusterIdY,
  NclusterIdZ,
  IsExplicitCluster,
  Zero,
};

/// An entry with all that it calls.
struct Kernel {
  std::string name;
  const Function *entry = nullptr;
  std::vector<Inst> code;
  std::vector<uint32_t> operands; ///< offsets, and targets of indexed branches
  std::vector<uint32_t> numbers;  ///< registers, by number
  std::vector<std::string> registerNames;
  uint32_t registerBytes = 0; ///< of a warp's register file
  uint32_t registerCount = 0;
  /// Places of constants: `bits` in 32 lanes of `size` bytes.
  struct Constant {
    uint32_t at;
    uint8_t size;
    uint64_t bits;
  };
  std::vector<Constant> constants;
  struct SpecialPlace {
    uint32_t at;
    uint8_t size;
    Special which;
  };
  std::vector<SpecialPlace> specials;
  struct Parameter {
    uint64_t offset, size, align;
  };
  std::vector<Parameter> parameters;
  uint64_t parameterBytes = 0;
  uint64_t staticShared = 0;      ///< bytes
  uint64_t dynamicOffset = 0;     ///< where dynamic shared memory begins
  uint64_t localBytes = 0;        ///< a thread
  unsigned registersEstimate = 0; ///< 32-bit registers declared, at most 255: not what an assembler would need
  bool usesTensorMaps = false;
};

/// A loaded module. Its variables lie in the memory that it was loaded into.
struct Module {
  Syntax syntax;
  std::vector<std::unique_ptr<Kernel>> kernels;
  /// Address and bytes of each variable in global or constant memory.
  std::unordered_map<std::string, std::pair<uint64_t, uint64_t>> variables;
  std::string error; ///< empty, or "line N: ..."

  const Kernel *find(const std::string &name) const;
};

/// Reads `text`, allocates its variables in `memory` and decodes all entries. `error` of the result says what is wrong.
std::unique_ptr<Module> loadModule(std::string_view text, DeviceMemory &memory);
/// Frees the module's variables.
void unloadModule(Module &module, DeviceMemory &memory);

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_PROGRAM_H
