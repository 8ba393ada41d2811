// Modules that a program builds op by op, in a language that has no classes of ops. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_DRIVER_MODULEBUILDER_H
#define MLC_DRIVER_MODULEBUILDER_H

#include "common/cli/Message.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlc {

/// Builds a df module. Ops are told by name, attributes and types by MLIR's text, values by numbers that this hands
/// out. Ops infer the types of their results and are verified as they are built, so that what is wrong is told where it
/// is built; nothing is built then. Whatever fails adds an error to `messages`; results are then empty, or false.
///
/// A region is built before the op that has it: beginRegion, ops, endRegion, and `op`, which takes the regions that
/// were ended last. Values may be used in the function or region they are built in and in regions within.
class ModuleBuilder {
public:
  using Values = std::vector<int64_t>;

  /// Where something comes from: the file and line of a user's program. No file: unknown.
  struct Origin {
    std::string file;
    int64_t line = 0;
  };
  /// An argument of a function, or a result. `attributes`: a dictionary as text, or empty.
  struct Argument {
    std::string name, type, attributes;
  };
  /// What a tensor is: `element` as MLIR writes it ("f32", "!df.string"), -1 for unknown sizes.
  struct TensorType {
    std::string element;
    std::vector<int64_t> shape;
    /// Rows of a table of that type.
    bool isRows = false;
  };

  /// Arguments, or outputs, of a function by their names.
  using NamedValues = std::vector<std::pair<std::string, int64_t>>;
  /// A function that is gone on with.
  struct OpenFunction {
    NamedValues arguments;
    NamedValues outputs; ///< those that it had
  };

  ModuleBuilder();
  ~ModuleBuilder();

  /// Makes the module, which is empty still, that of an Estimator spec: df, with its manifest. `file` stands for the
  /// spec in messages. With `tellsLoss` eval_update gives the loss of each batch, as its output "fetch/loss".
  bool importSpec(const std::string &spec, const std::string &file, bool tellsLoss, common::MessageList &messages);

  /// Adds to the attributes of the module: a dictionary as text.
  bool setAttributes(const std::string &attributes, common::MessageList &messages);

  /// Adds an op without operands and results to the module, before its functions: a variable, a vocabulary.
  bool declare(const std::string &op, const std::string &attributes, const Origin &origin,
               common::MessageList &messages);

  /// Begins a function; its arguments. `role`: "train", "predict", ... as the dialect calls it.
  std::optional<Values> beginFunction(const std::string &name, const std::string &role,
                                      const std::vector<Argument> &arguments, const Origin &origin,
                                      common::MessageList &messages);
  /// Ends it. `outputs`: name and value of each.
  bool endFunction(const std::vector<std::pair<std::string, int64_t>> &outputs, common::MessageList &messages);
  /// Goes on with a function that was ended, after its last op: it has no outputs then, and is ended again.
  std::optional<OpenFunction> reopenFunction(const std::string &name, common::MessageList &messages);
  /// Adds an argument to the function that is being built.
  std::optional<int64_t> addArgument(const Argument &argument, common::MessageList &messages);
  /// Adds what another function computes of the arguments of the same names; its outputs.
  std::optional<NamedValues> inlineFunction(const std::string &name, common::MessageList &messages);
  /// Leaves the function that was begun, or the innermost region of it, out.
  void abandon();

  /// Begins a region with arguments of these types; they are returned.
  std::optional<Values> beginRegion(const std::vector<std::string> &types, common::MessageList &messages);
  /// Ends it by the op `terminator`.
  bool endRegion(const std::string &terminator, const Values &operands, const Origin &origin,
                 common::MessageList &messages);

  /// Adds an op at the end of the innermost region; its results. `types`: those of the results where the op does not
  /// infer them; none: they are inferred. `numRegions`: as many of the regions that were ended become its own.
  std::optional<Values> op(const std::string &name, const Values &operands, const std::string &attributes,
                           const std::optional<std::vector<std::string>> &types, unsigned numRegions,
                           const Origin &origin, common::MessageList &messages);

  /// The type of a value; none for a number that is no value's, and for what is neither tensor nor rows.
  std::optional<TensorType> typeOf(int64_t value) const;
  /// Whether the value may be used where the next op goes.
  bool isVisible(int64_t value) const;

  /// A text among the attributes of the module; none without it.
  std::optional<std::string> textAttribute(const std::string &name) const;
  /// Verifies the whole module.
  bool verify(common::MessageList &messages);
  /// The module as text; with `origins` each op tells where it comes from.
  std::string text(bool origins) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace mlc

#endif // MLC_DRIVER_MODULEBUILDER_H
