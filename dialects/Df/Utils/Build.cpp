// The checked builder of ops that infer the types of their results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Utils/Build.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;

LogicalResult mlc::df::inferResultTypes(OperationState &state) {
  auto *inferring = state.name.getInterface<InferTypeOpInterface>();
  if (!inferring)
    return emitError(state.location, "'") << state.name << "' op infers no types of its results";
  state.types.clear();
  return inferring->inferReturnTypes(state.getContext(), state.location, state.operands,
                                     state.attributes.getDictionary(state.getContext()), state.getRawProperties(),
                                     state.regions, state.types);
}
