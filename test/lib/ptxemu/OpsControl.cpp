// Branches, ends, and barriers of a block.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Block.h"
#include "test/lib/ptxemu/Lanes.h"

namespace ptxemu {

namespace {

bool trap(Warp &warp, const Inst &inst, uint32_t active) {
  return warp.report(Mistake::Trap, inst, static_cast<unsigned>(__builtin_ctz(active)), "the program stopped itself");
}
bool nothing(Warp &, const Inst &, uint32_t) { return true; }

void decodeBarrier(Decoder &d) {
  Inst &inst = d.inst;
  if (d.has("warp")) {
    d.oneOf({"sync"});
    d.expectOperands(1, 1);
    inst.d = d.source(0, Type::B32);
    inst.control = Control::WarpBarrier;
    return;
  }
  if (d.has("cluster")) {
    return d.fail("barriers of clusters are not supported");
  }
  d.has("cta");
  const bool isBar = d.statement().opcode == "bar";
  const int which = d.oneOf({"sync", "arrive", "red"});
  int reduction = which == 2 ? d.oneOf({"popc", "and", "or"}) : -1;
  inst.flag2 = d.has("aligned") || isBar;
  inst.control = Control::Barrier;
  size_t at = 0;
  inst.mode = static_cast<uint8_t>(which == 1 ? 1 : reduction >= 0 ? 2 + reduction : 0);
  if (which == 2) {
    const Type type = d.type();
    if (type != (reduction == 0 ? Type::U32 : Type::Pred))
      d.fail("reduction of type ." + std::string(nameOf(type)));
    inst.dst = d.destination(d.operand(0), type);
    at = 1;
  }
  const size_t last = d.count() - (which == 2 ? 1 : 0); // the operands of the barrier itself end here
  d.expectOperands(at + 1 + (which == 2), at + 2 + (which == 2));
  inst.a = d.source(at, Type::B32);
  inst.flag = last > at + 1;
  if (inst.flag)
    inst.b = d.source(at + 1, Type::B32);
  else if (which == 1)
    d.fail("'arrive' without a number of threads");
  if (which == 2) {
    bool negated = false;
    inst.c = d.predicate(d.operand(d.count() - 1), &negated);
    inst.negate = negated;
  }
}

} // namespace

void addControlOps(OpTable &table) {
  table["bra"] = [](Decoder &d) {
    d.has("uni");
    d.expectOperands(1, 1);
    d.inst.control = Control::Branch;
    d.inst.target = d.label(d.operand(0));
  };
  table["brx"] = [](Decoder &d) {
    d.oneOf({"idx"});
    d.has("uni");
    d.expectOperands(2, 2);
    d.inst.control = Control::BranchIndexed;
    d.inst.a = d.source(0, Type::B32);
    std::vector<uint32_t> targets;
    if (const std::vector<std::string> *names = d.branchTargets(d.operand(1)))
      for (const std::string &name : *names) {
        Operand label;
        label.name = name;
        targets.push_back(d.label(label));
      }
    d.inst.target = static_cast<uint32_t>(targets.size());
    d.inst.first = d.addOperands(targets);
  };
  table["ret"] = [](Decoder &d) {
    d.has("uni");
    d.expectOperands(0, 0);
    d.inst.control = Control::Return;
  };
  table["exit"] = [](Decoder &d) {
    d.expectOperands(0, 0);
    d.inst.control = Control::Exit;
  };
  table["trap"] = [](Decoder &d) { d.inst.run = trap; };
  table["brkpt"] = [](Decoder &d) { d.inst.run = nothing; };
  table["pmevent"] = [](Decoder &d) { d.inst.run = nothing; };
  table["bar"] = decodeBarrier;
  table["barrier"] = decodeBarrier;
  table["call"] = [](Decoder &) {}; // Decoder::call
  table["nanosleep"] = [](Decoder &d) {
    d.has("u32");
    d.expectOperands(1, 1);
    d.inst.a = d.source(0, Type::B32);
    d.inst.run = nothing;
    d.inst.control = Control::Yield;
  };
  table["griddepcontrol"] = [](Decoder &d) {
    d.oneOf({"launch_dependents", "wait"});
    d.inst.run = nothing;
  };
  table["setmaxnreg"] = [](Decoder &d) {
    d.oneOf({"inc", "dec"});
    d.oneOf({"sync"});
    d.oneOf({"aligned"});
    d.has("u32");
    const uint64_t count = d.immediate(0);
    if (count < 24 || count > 256 || count % 8)
      d.fail("'setmaxnreg' of " + std::to_string(count) + ", expected a multiple of 8 from 24 to 256");
    d.inst.run = nothing;
  };
}

} // namespace ptxemu
