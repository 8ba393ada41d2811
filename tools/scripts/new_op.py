#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""new_op.py NAME --kind unary|binary|composite [--formula TEXT] [--root DIRECTORY]: begins an element-wise op of floats.

Does the steps of docs/adding-an-op.md that are the same for every op, and prints those that are left. What the op computes
is not known here: a unary or binary op begins as what is written for --expression in terms of the emitter e and of x and y
(`e.mul(x, x)`), a composite in terms of the builder b (`b.mul(x, x)`).
"""
import argparse
import re
import sys
from pathlib import Path


def insert(path: Path, anchor: str, text: str, after: bool = True) -> None:
    """Puts `text` behind (or before) the last line that matches `anchor`; fails if none does."""
    lines = path.read_text().splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if re.search(anchor, line)]
    if not places:
        sys.exit(f"{path}: nothing matches '{anchor}'")
    at = places[-1] + after
    lines[at:at] = [text]
    path.write_text("".join(lines))


def substitute(path: Path, pattern: str, replacement: str) -> None:
    text, count = re.subn(pattern, replacement, path.read_text(), count=1)
    if not count:
        sys.exit(f"{path}: nothing matches '{pattern}'")
    path.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="as it stands in the text of modules: snake_case")
    parser.add_argument("--kind", choices=["unary", "binary", "composite"], required=True)
    parser.add_argument("--expression", required=True, help="what it computes")
    parser.add_argument("--formula", required=True, help="the same for its description, with a full stop")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    arguments = parser.parse_args()
    name, kind, root = arguments.name, arguments.kind, arguments.root
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        sys.exit(f"'{name}' is no name of an op: expected snake_case")
    if any(f'<"{name}"' in path.read_text() for path in root.glob("dialects/Df/IR/*.td")):
        sys.exit(f"df.{name} exists")
    cls = "".join(word.capitalize() for word in name.split("_")) + "Op"
    operands = ["x", "y"] if kind == "binary" else ["x"]
    summary = name.replace("_", " ")

    # 1. The definition.
    form = "Df_BinaryOp" if kind == "binary" else "Df_UnaryOp"
    composite = " Composite." if kind == "composite" else ""
    insert(root / "dialects/Df/IR/DfMathOps.td", r"^//===-- tests", f'def Df_{cls} : {form}<"{name}", Df_FloatTensor, "{summary}", "{arguments.formula}{composite}">;\n\n',
           after=False)
    # 3. and 5. What it computes.
    if kind == "composite":
        decompose = root / "dialects/Df/Decompose/Math.cpp"
        insert(decompose, r"^void attachMathDecompositions", f"static Value decompositionOf({cls} op, ExpressionBuilder &b) {{\n  Value x = op.getOperand();\n  return {arguments.expression};\n}}\n\n",
               after=False)
        substitute(decompose, r"attachDecompositions<", f"attachDecompositions<{cls}, ")
    else:
        parameters = ", ".join(f"auto {operand}" for operand in operands)
        rule = "addUnary" if kind == "unary" else "addBinary"
        extra = ", noIntegers" if kind == "binary" else ""
        insert(root / "lib/Interpreter/Math.cpp", r"^void mlc::interp::addMathRules",
               f"  {rule}<df::{cls}>(table, [](auto &e, {parameters}) {{ return {arguments.expression}; }}{extra});\n")
        values = re.sub(r"\bx\b", "x[0]", arguments.expression)
        values = re.sub(r"\by\b", "x[1]", values)
        insert(root / "lib/Conversion/DfToLinalg/ScalarBody.cpp", r"\.Case\(\[&\]\(df::CeilOp\)", f"      .Case([&](df::{cls}) {{ return {values}; }})\n", after=False)
    # 6. Tests.
    names = ", ".join(f"%{operand}" for operand in operands)
    typed = ", ".join(f"%{operand}: tensor<?x4xf32>" for operand in operands)
    same = ", ".join(["tensor<2xf32>"] * len(operands))
    tests = {
        f"test/Dialect/Df/{name.replace('_', '-')}.mlir":
            f"// df.{name} parses and prints. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n// RUN: mlc-opt %s | mlc-opt | FileCheck %s\n\n"
            f"df.function @f({typed}) -> tensor<?x4xf32> {{\n  // CHECK: df.{name} %\n  %0 = df.{name} {names} : tensor<?x4xf32>\n  df.return %0 : tensor<?x4xf32>\n}}\n",
        f"test/Dialect/Df/invalid-{name.replace('_', '-')}.mlir":
            f"// Errors of df.{name}. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n// RUN: mlc-opt %s -split-input-file -verify-diagnostics\n\n"
            f"df.function @f({', '.join(f'%{operand}: tensor<2xf32>' for operand in operands)}) -> tensor<3xf32> {{\n"
            f"  // expected-error@+1 {{{{requires the same type for all operands and results}}}}\n"
            f"  %0 = \"df.{name}\"({names}) : ({same}) -> tensor<3xf32>\n  df.return %0 : tensor<3xf32>\n}}\n",
    }
    for path, text in tests.items():
        (root / path).write_text(text)
    theme = "pairs" if kind == "binary" else "rounding"
    substitute(root / "test/Unit/compiler/Execute/MathCases.cpp", rf'"{theme}" \+ suffix, \{{',
               f'"{theme}" + suffix, {{"{name}", ')
    print(f"df.{name} is defined, computed and tested for its form. What is left (docs/adding-an-op.md):\n"
          "- special cases in its description, and its gradient\n"
          "- unless it is a composite: gradientOf in dialects/Df/Autodiff/MathGradients.cpp, a case in GradientCases.cpp\n"
          "- values in test/Interpret/math.mlir")


if __name__ == "__main__":
    main()
