// Verifiers of the random ops, and whether they may leave loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfRandomOps.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

//===-- loops ---------------------------------------------------------------------===//

static Speculation::Speculatability ifSizesAgree(Operation *op) {
  return sizesAgree(op) ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

/// An op that draws anew in each iteration must stay in its loop.
static Speculation::Speculatability speculatability(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<ScanOp, WhileOp>(parent))
      return Speculation::NotSpeculatable;
  return ifSizesAgree(op);
}

Speculation::Speculatability RandomOp::getSpeculatability() {
  return getIterations().empty() ? speculatability(*this) : ifSizesAgree(*this);
}
Speculation::Speculatability RandomExponentialOp::getSpeculatability() { return speculatability(*this); }
Speculation::Speculatability RandomGumbelOp::getSpeculatability() { return speculatability(*this); }
Speculation::Speculatability RandomIntegersOp::getSpeculatability() { return speculatability(*this); }
Speculation::Speculatability RandomBernoulliOp::getSpeculatability() { return speculatability(*this); }
Speculation::Speculatability RandomShuffleOp::getSpeculatability() { return speculatability(*this); }
Speculation::Speculatability DropoutOp::getSpeculatability() { return speculatability(*this); }
// Some values of their operands fail the step, or too many draws in a row.
Speculation::Speculatability RandomCategoricalOp::getSpeculatability() { return Speculation::NotSpeculatable; }
Speculation::Speculatability RandomGammaOp::getSpeculatability() { return Speculation::NotSpeculatable; }
Speculation::Speculatability LearnedUnigramSamplerOp::getSpeculatability() { return Speculation::NotSpeculatable; }
Speculation::Speculatability CandidateSamplerOp::getSpeculatability() { return Speculation::NotSpeculatable; }

//===-- verifiers -----------------------------------------------------------------===//

static LogicalResult verifyName(Operation *op, StringRef name, StringRef constraint = "(C2)") {
  if (name.empty())
    return op->emitOpError() << constraint << " the name must not be empty";
  return success();
}

/// (C1) and (C2) of what is drawn in a shape.
template <typename Op> static LogicalResult verifyDraw(Op op) {
  auto type = cast<RankedTensorType>(op.getType());
  if (op.getLike() ? !agreeInShape(op.getLike().getType(), type) : !type.hasStaticShape())
    return op.emitOpError("(C1) 'like' must have the result's shape, and a dynamic result needs it; found ") << type;
  return verifyName(op, op.getName());
}

LogicalResult RandomOp::verify() {
  if (failed(verifyDraw(*this)))
    return failure();
  if ((getStep() && !isOfStep()) || (getFirstRow() && !getLike()))
    return emitOpError("(C3) step comes with 'like' or 'each_step' only, row with 'like'");
  return success();
}

LogicalResult RandomExponentialOp::verify() { return verifyDraw(*this); }
LogicalResult RandomGumbelOp::verify() { return verifyDraw(*this); }

LogicalResult RandomIntegersOp::verify() {
  if (failed(verifyDraw(*this)))
    return failure();
  auto low = static_cast<int64_t>(getLow()), high = static_cast<int64_t>(getHigh());
  if (low >= high || static_cast<uint64_t>(high) - static_cast<uint64_t>(low) >= uint64_t{1} << 52)
    return emitOpError("(C3) 'low' must be below 'high' by less than 2^52; found ") << low << " and " << high;
  return success();
}

LogicalResult RandomBernoulliOp::verify() {
  if (failed(verifyName(*this, getName())))
    return failure();
  return verifyTypes(*this, agreeInShape(getProbabilities().getType(), getType()),
                     "(C1) the result must have the shape of the probabilities", getProbabilities().getType(),
                     getType());
}

LogicalResult RandomCategoricalOp::verify() {
  if (failed(verifyName(*this, getName())))
    return failure();
  ArrayRef<int64_t> from = shapeOf(getLogits().getType()), to = shapeOf(getType());
  bool ok = from.size() == 2 && to.size() == 2 && agree(from[0], to[0]) && !ShapedType::isDynamic(to[1]);
  return verifyTypes(*this, ok, "(C1) logits must be [n, classes] and the result [n, samples], the samples static",
                     getLogits().getType(), getType());
}

LogicalResult RandomShuffleOp::verify() {
  if (shapeOf(getType()).empty())
    return emitOpError("(C1) the operand must have rank >= 1; found ") << getType();
  return verifyName(*this, getName());
}

LogicalResult DropoutOp::verify() {
  double rate = getRate().convertToDouble();
  if (!(rate >= 0 && rate < 1))
    return emitOpError("(C1) 'rate' must be in [0, 1); found ") << rate;
  return verifyName(*this, getName());
}

LogicalResult RandomGammaOp::verify() { return verifyName(*this, getName(), "(C1)"); }

/// (C1) of the samplers: the types of what is drawn and expected.
template <typename Op> static LogicalResult verifySampled(Op op) {
  ArrayRef<int64_t> sampled = shapeOf(op.getSampled().getType());
  if (sampled.size() != 1 || ShapedType::isDynamic(sampled[0]) || sampled[0] == 0 ||
      !agreeInShape(op.getSampledExpected().getType(), op.getSampled().getType()))
    return verifyTypes(op, false, "(C1) sampled and its expected counts must be [n], n > 0", op.getSampled().getType(),
                       op.getSampledExpected().getType());
  return verifyTypes(op, agreeInShape(op.getTrueClasses().getType(), op.getTrueExpected().getType()),
                     "(C1) the expected counts of true classes must have their shape", op.getTrueClasses().getType(),
                     op.getTrueExpected().getType());
}

LogicalResult LearnedUnigramSamplerOp::verify() {
  if (failed(verifySampled(*this)))
    return failure();
  ArrayRef<int64_t> counts = shapeOf(getCounts().getType());
  int64_t sampled = shapeOf(getSampled().getType())[0];
  if (counts.size() != 1 || ShapedType::isDynamic(counts[0]) || counts[0] == 0 || (getUnique() && counts[0] < sampled))
    return emitOpError("(C2) counts must be [classes], with 'unique' as many as are sampled; found ")
           << getCounts().getType() << " for " << sampled << " samples";
  if (llvm::count_if(shapeOf(getTrueClasses().getType()), ShapedType::isDynamic) > 1)
    return emitOpError("(C4) at most one dimension of the true classes may be dynamic; found ")
           << getTrueClasses().getType();
  return verifyName(*this, getName(), "(C3)");
}

LogicalResult CandidateSamplerOp::verify() {
  if (failed(verifySampled(*this)))
    return failure();
  ArrayRef<int64_t> sampled = shapeOf(getSampled().getType());
  auto classes = static_cast<int64_t>(getNumClasses());
  bool all = getSampler() == Sampler::All;
  if (classes <= 0 || (all && classes != sampled[0]) || (getUnique() && classes < sampled[0]))
    return emitOpError("(C2) 'num_classes' must be positive, with 'all' the number of samples, with 'unique' at least "
                       "that; found ")
           << classes << " for " << sampled[0] << " samples";
  bool unigram = getSampler() == Sampler::Unigram;
  if (unigram != static_cast<bool>(getWeights()) || (unigram && !fits(*this, getWeights(), {classes})))
    return emitOpError("(C3) weights must be [num_classes] for 'unigram' and are for it only");
  if (!unigram && getDistortion().convertToDouble() != 1)
    return emitOpError("(C5) 'distortion' is for 'unigram' only");
  return verifyName(*this, getName(), "(C4)");
}
