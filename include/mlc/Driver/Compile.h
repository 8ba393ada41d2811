// Compilation in named phases: a spec or df module in, any stage or an artifact out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_COMPILE_H
#define MLC_DRIVER_COMPILE_H

#include "common/cli/ExitCode.h"
#include "common/cli/Message.h"
#include "common/machine/MemoryNeed.h"
#include "mlc/Frontend/EstimatorSpec/SpecChange.h"
#include "mlc/Target/CPU/CpuTarget.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlc {

/// The phases, in order; `--emit` stops after one of them, but for Check.
enum class Phase {
  Est,    ///< the spec, resolved, in est
  Df,     ///< df as built from it
  Dist,   ///< programs, one for each device
  Check,  ///< nothing is made: what settings name is looked for
  Linalg, ///< segments on tensors in linalg and kern
  Llvm,   ///< the LLVM dialect
  Nvvm,   ///< the kernels for a GPU in the LLVM dialect
  Ptx,    ///< PTX of the kernels, for the first chip
  Cubin,  ///< its machine code, by the assembler of a CUDA toolkit
  Asm,    ///< assembly
  Object, ///< an object
  Shared, ///< a shared library with the artifact
  Trainer ///< an executable: artifact and runtime
};

/// The phase of a name of `--emit`, if it is one.
std::optional<Phase> parsePhase(llvm::StringRef emit);
/// The phase that `--emit` names: est, df, dist, linalg, llvm, nvvm, ptx, cubin, asm, obj, so or exe.
Phase phaseOf(const std::string &emit);

/// A part of a graph, as df-cut-graph takes it: what is computed, and of what.
struct GraphCut {
  std::string entry; ///< the function it is a part of; empty: the only one that has all names
  std::vector<std::string> fetches;
  std::vector<std::string> feeds;
};

struct CompileOptions {
  std::string input;                    ///< a spec, or a module of any stage; told by content
  std::optional<std::string> content{}; ///< a spec or a module, in the place of what the file `input` holds
  std::string output; ///< file to write; empty: standard output for text stages, else the input's name with an ending
  Phase phase = Phase::Trainer;
  std::string cpu = "x86-64-v3"; ///< or native, or an LLVM name
  /// What kernels run on: cpu, cuda, or, for tests, cpu-two-spaces (CpuTwoSpacesTarget).
  std::string target = "cpu";
  std::vector<std::string> chips; ///< of cuda: LLVM's names of GPUs; none: chipsOrDefault tells
  /// Of a target with a device: tables, and their slots, of at least so many bytes each stay in the host's memory; -1:
  /// none does.
  int64_t hostTables = -1;
  /// Of a target with a device: there is code for processes without it, too. Tests of kernels need none.
  bool hasHostCode = true;
  bool lineInfo = false;                     ///< of cuda: the code of kernels says which lines of the model it is from
  std::string kernelTable{};                 ///< of cuda: file with the tiles of products; empty: the built-in ones
  Sanitizer sanitizer = Sanitizer::None;     ///< not for trainers: their runtime has none
  bool optimize = true;                      ///< whether LLVM optimizes: results are the same without
  std::vector<std::string> printAfter;       ///< passes after which the IR goes to stderr
  std::vector<std::string> plugins;          ///< shared libraries with dialects, Plugins.h
  std::string dfPasses;                      ///< that run on the graph as built: the text of a pipeline of modules
  std::vector<std::string> remarks;          ///< categories of remarks that become notes
  std::string reproducer;                    ///< file for what repeats a failure; empty: Reproducer.h tells
  std::vector<frontend::SpecChange> changes; ///< of a spec
  std::vector<std::string> devices;          ///< what the module is placed on; none: those that it names
  bool canExport = false;                    ///< a shared library carries what exports need, as trainers do
  bool softPlacement = false;                ///< ops whose spec no device matches go elsewhere
  GraphCut cut;                              ///< if it has fetches: what is compiled of the graph
  std::string cacheDirectory; ///< if set: keep the result there under a hash of all it depends on, and use it if it is
                              ///< there; keep its code, too, under a hash of what that is generated of
  /// If set: called with the manifest once it is known, before anything is lowered; a failure ends compilation.
  std::function<common::ExitCode(const std::string &manifest)> checkManifest;
};

/// What compile() made.
struct CompileResult {
  common::ExitCode code = common::ExitCode::Success;
  std::string path;                                    ///< the file written, if any
  std::string name;                                    ///< of the model
  bool cached = false;                                 ///< the file was there
  bool codeCached = false;                             ///< the file is new, its code was there
  std::optional<common::MemoryNeed> memory;            ///< that its state and steps take; of what code was made for
  std::vector<std::pair<std::string, double>> seconds; ///< of each phase
};

/// Whether a file holds a module, by what it begins with; everything else that can be read is a spec.
bool isModuleFile(const std::string &path);

/// Compiles. Errors go to `messages`; text stages without an output file to `text`.
CompileResult compile(const CompileOptions &options, common::MessageList &messages, std::string &text);

/// Directory of the compiler's cache: $XDG_CACHE_HOME/mlc, or ~/.cache/mlc.
std::string defaultCacheDirectory();

} // namespace mlc

#endif // MLC_DRIVER_COMPILE_H
