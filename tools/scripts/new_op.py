#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""new_op.py NAME --kind unary|binary|composite|reduction --expression CODE --formula TEXT: begins an op of floats.

Does the steps of docs/adding-an-op.md that are the same for every op, in the format that check.sh asks for, and prints those
that are left. What the op computes is the expression: of a unary or binary op in terms of the emitter e and of x and y
(`e.mul(x, x)`), of a composite in terms of the builder b (`b.mul(x, x)`), of a reduction, which is a composite called
reduce_..., in terms of b, x and axes (`b.sum(b.unary<AbsOp>(x), axes)`).
"""
import argparse
import re
import sys
from pathlib import Path

from skeleton import COLUMNS, Tree, camel, quoted

IR = "dialects/Df/IR"
TESTS = "test/Dialect/Df"


def define(tree: Tree, theme: str, form: str, arguments: argparse.Namespace, tensor: bool) -> None:
    """The definition, after the last one of its form; a form without one yet is an error."""
    cls = camel(arguments.name) + "Op"
    composite = " Composite." if arguments.kind in ("composite", "reduction") else ""
    parts = [f'"{arguments.name}"'] + ["Df_FloatTensor"] * tensor + [f'"{arguments.name.replace("_", " ")}"']
    begin, formula = f"def Df_{cls} : {form}<{', '.join(parts)},", arguments.formula + composite
    line = f'{begin} "{formula}">;\n'
    if len(line) > COLUMNS:
        line = f"{begin}\n  {quoted(formula, 2)}>;\n"
    tree.insert(f"{IR}/{theme}.td", rf"^def Df_\w+ : {form}<", line, end=">;")


def append_tests(tree: Tree, theme: str, name: str, operands: str, form: str, result: str, wrong: str, error: str) -> None:
    """A round trip, and an error, at the end of the theme's files."""
    head = f"df.function @{name}({operands})"
    path = f"{TESTS}/{theme}.mlir"
    tree.write(path, tree.read(path).rstrip("\n") +
               f"\n\n// CHECK-LABEL: @{name}\n{head} -> {result} {{\n  // CHECK: df.{name} %\n  %0 = df.{name} {form} {result}\n"
               f"  df.return %0 : {result}\n}}\n")
    path = f"{TESTS}/invalid-{theme}.mlir"
    tree.write(path, tree.read(path).rstrip("\n") +
               f"\n\n// -----\n\n{head} {{\n  // expected-error @+1 {{{{{error}}}}}\n  {wrong}\n  df.return\n}}\n")


def elementwise(tree: Tree, arguments: argparse.Namespace) -> None:
    name, kind, expression = arguments.name, arguments.kind, arguments.expression
    cls = camel(name) + "Op"
    operands = ["x", "y"] if kind == "binary" else ["x"]
    define(tree, "DfMathOps", "Df_BinaryOp" if kind == "binary" else "Df_UnaryOp", arguments, tensor=True)
    if kind == "composite":
        decompose(tree, "Math", cls, "  Value x = op.getOperand();\n", expression)
    else:
        parameters = ", ".join(f"auto {operand}" for operand in operands)
        rule = "addUnary" if kind == "unary" else "addBinary"
        extra = ", noIntegers" if kind == "binary" else ""
        tree.insert("lib/Interpreter/Math.cpp", r"^void mlc::interp::addMathRules",
                    f"  {rule}<df::{cls}>(table, [](auto &e, {parameters}) {{ return {expression}; }}{extra});\n")
        values = re.sub(r"\by\b", "x[1]", re.sub(r"\bx\b", "x[0]", expression))
        tree.insert("lib/Conversion/DfToLinalg/ScalarBody.cpp", r"\.Case\(\[&\]\(df::CeilOp\)",
                    f"      .Case([&](df::{cls}) {{ return {values}; }})\n", after=False)
    names = ", ".join(f"%{operand}" for operand in operands)
    type_list = ", ".join(["tensor<?x4xf32>"] * len(operands))
    append_tests(tree, "elementwise", name, ", ".join(f"%{operand}: tensor<?x4xf32>" for operand in operands), f"{names} :",
                 "tensor<?x4xf32>", f'%0 = "df.{name}"({names}) : ({type_list}) -> tensor<3xf32>',
                 f"'df.{name}' op requires the same type for all operands and results")
    tree.substitute("test/Unit/compiler/Execute/MathCases.cpp",
                    rf'"{"pairs" if kind == "binary" else "rounding"}" \+ suffix,\s*\{{', rf'\g<0>"{name}", ')


def decompose(tree: Tree, file: str, cls: str, values: str, expression: str) -> None:
    path = f"dialects/Df/Decompose/{file}.cpp"
    tree.insert(path, r"^void attach\w+Decompositions",
                f"static Value decompositionOf({cls} op, ExpressionBuilder &b) {{\n{values}  return {expression};\n}}\n\n",
                after=False)
    tree.substitute(path, r"attachDecompositions<", f"attachDecompositions<{cls}, ")


def reduction(tree: Tree, arguments: argparse.Namespace) -> None:
    name = arguments.name
    cls = camel(name) + "Op"
    if not name.startswith("reduce_"):
        sys.exit(f"'{name}': the name of a reduction begins with reduce_")
    define(tree, "DfReductionOps", "Df_ReduceOp", arguments, tensor=True)
    # f16 and bf16 are added in f32 and rounded once, at the end.
    decompose(tree, "Reductions", cls,
              "  Value x = widen(b, op.getOperand());\n  llvm::ArrayRef<int64_t> axes = op.getAxes();\n",
              f"narrow(b, {arguments.expression}, op.getType())")
    append_tests(tree, "reduction", name, "%x: tensor<?x4xf32>",
                 "%x {axes = array<i64: 0>} : (tensor<?x4xf32>) ->", "tensor<4xf32>",
                 f"%0 = df.{name} %x {{axes = array<i64: 2>}} : (tensor<?x4xf32>) -> tensor<4xf32>",
                 f"'df.{name}' op (C1) axes must be strictly ascending")
    tree.substitute("test/Unit/compiler/Execute/ReductionCases.cpp", r'\{"reduce_mean", ', rf'\g<0>"{name}", ')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="as it stands in the text of modules: snake_case")
    parser.add_argument("--kind", choices=["unary", "binary", "composite", "reduction"], required=True)
    parser.add_argument("--expression", required=True, help="what it computes")
    parser.add_argument("--formula", required=True, help="the same for its description, with a full stop")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    arguments = parser.parse_args()
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", arguments.name):
        sys.exit(f"'{arguments.name}' is no name of an op: expected snake_case")
    if any(f'<"{arguments.name}"' in path.read_text() for path in (arguments.root / IR).glob("*.td")):
        sys.exit(f"df.{arguments.name} exists")
    tree = Tree(arguments.root)
    reduction(tree, arguments) if arguments.kind == "reduction" else elementwise(tree, arguments)
    tree.finish()
    print(f"df.{arguments.name} is defined, computed and tested for its form. What is left (docs/adding-an-op.md):\n"
          "- special cases in its description, and its gradient\n"
          "- unless it is a composite: gradientOf in dialects/Df/Autodiff, a case in GradientCases.cpp\n"
          f"- values in test/Interpret/{'axes' if arguments.kind == 'reduction' else 'math'}.mlir")


if __name__ == "__main__":
    main()
