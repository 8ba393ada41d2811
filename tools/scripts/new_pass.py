#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""new_pass.py NAME --summary TEXT [--on module|function]: begins a pass, called df-..., dist-..., codegen-... or cpu-...

Makes its definition, a source file that changes nothing yet, its line in CMakeLists.txt and a test, in the format that
check.sh asks for, and prints what is left.
"""
import argparse
import re
import sys
from pathlib import Path

from skeleton import Tree, camel, wrapped

# Prefix of names -> directory of the sources, the definitions, the header of the passes, namespace, the function that a pass
# runs on, what its class begins and ends with, and the directory of its test.
PLACES = {
    "df": ("dialects/Df/Transforms", "DfPasses", "dialects/Df/Transforms/DfPasses.h", "mlc::df", "::mlc::df::FunctionOp",
           ("Df", "Pass"), "test/Dialect/Df"),
    "dist": ("dialects/Dist/Transforms", "DistPasses", "dialects/Dist/Transforms/DistPasses.h", "mlc::dist",
             "::mlc::df::FunctionOp", ("Dist", "Pass"), "test/Dialect/Dist"),
    "codegen": ("lib/Codegen", "CodegenPasses", "mlc/Codegen/Codegen.h", "mlc", "::mlir::func::FuncOp", ("", ""),
                "test/Codegen"),
    "cpu": ("lib/Target/CPU", "CpuPasses", "mlc/Target/CPU/CpuPasses.h", "mlc", "::mlir::func::FuncOp", ("", ""),
            "test/Target/CPU"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="as mlc-opt takes it: df-..., dist-..., codegen-... or cpu-...")
    parser.add_argument("--summary", required=True, help="what it does, without a full stop")
    parser.add_argument("--on", choices=["module", "function"], default="module")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    arguments = parser.parse_args()
    prefix, _, rest = arguments.name.partition("-")
    if prefix not in PLACES or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rest):
        sys.exit(f"'{arguments.name}' is no name of a pass: expected {', '.join(f'{p}-...' for p in PLACES)}")
    directory, definitions, header, namespace, function, (first, last), tests = PLACES[prefix]
    tree = Tree(arguments.root)
    td = f"{directory}/{definitions}.td"
    if f'Pass<"{arguments.name}"' in tree.read(td):
        sys.exit(f"{arguments.name} exists")
    file, cls = camel(rest), first + camel(rest) + last
    on = "::mlir::ModuleOp" if arguments.on == "module" else function
    description = wrapped("What it changes, and what it leaves. Precondition: what must hold before. Postcondition: what "
                          "holds after.", 4)
    tree.insert(td, r"^#endif",
                f'def {cls} : Pass<"{arguments.name}", "{on}"> {{\n  let summary = "{arguments.summary}";\n'
                f"  let description = [{{\n{description}\n  }}];\n}}\n\n", after=False)
    runs_on = ("mlir/IR/BuiltinOps.h" if arguments.on == "module" else
               "dialects/Df/IR/DfFunctionOps.h" if "df" in on else "mlir/Dialect/Func/IR/FuncOps.h")
    includes = "".join(f'#include "{name}"\n' for name in sorted((header, runs_on)))
    tree.create(f"{directory}/{file}.cpp", f"""// {arguments.name}: see {definitions}.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
{includes}
namespace {namespace} {{
#define GEN_PASS_DEF_{cls.upper()}
#include "{directory}/{definitions}.h.inc"
}} // namespace {namespace}

using namespace mlir;

namespace {{
struct {cls} : {namespace}::impl::{cls}Base<{cls}> {{
  void runOnOperation() override {{ markAllAnalysesPreserved(); }}
}};
}} // namespace
""")
    cmake = f"{directory}/CMakeLists.txt"
    sources = re.findall(r"^  (\w+)\.cpp$", tree.read(cmake), re.M)
    before = [source for source in sources if source < file]
    anchor = before[-1] if before else sources[0]
    tree.insert(cmake, rf"^  {anchor}\.cpp$", f"  {file}.cpp\n", after=bool(before))
    module = ("df.function @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n  // CHECK: df.return\n  df.return %x : tensor<?xf32>\n}\n"
              if namespace != "mlc" else
              "func.func @f(%x: memref<?xf32>) {\n  // CHECK: return\n  return\n}\n")
    function_name = "df.function" if namespace != "mlc" else "func.func"
    nested = arguments.on == "function"
    run = f"--pass-pipeline='builtin.module({function_name}({arguments.name}))'" if nested else f"--{arguments.name}"
    tree.create(f"{tests}/{rest}.mlir",
                f"// {arguments.summary[0].upper() + arguments.summary[1:]}.\n"
                f"// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n// RUN: mlc-opt %s {run} | FileCheck %s\n\n"
                f"// CHECK-LABEL: @f\n{module}")
    tree.finish()
    print(f"{arguments.name} is there and changes nothing yet: {directory}/{file}.cpp. What is left:\n"
          f"- its description in {td}: what changes, what must hold before and after\n"
          f"- its place in a pipeline; in {tests}/{rest}.mlir what changes, what does not, and errors")


if __name__ == "__main__":
    main()
