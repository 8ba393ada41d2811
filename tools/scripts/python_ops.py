#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""python_ops.py OUTPUT [--tblgen LLVM_TBLGEN] [-I DIRECTORY ...]: writes the Python module with a function for each op of df.

A function takes operands as arguments and attributes as keywords, with the names of the definition in TableGen, whose
description is its docstring. Results are those that the op infers; where it does not, `types` says them.
"""
import argparse
import inspect
import json
import keyword
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# What declares or ends something, and what names state or is made by passes alone.
LEFT_OUT = {"variable", "vocabulary", "queue", "dimension", "function", "return", "yield", "condition", "external_call", "require_same_size"}
# Storage of an attribute -> how mlc._build writes it, and its type in Python.
SIMPLE = {
    "IntegerAttr": ("i64", "int"), "FloatAttr": ("f64", "float"), "StringAttr": ("string", "str"), "UnitAttr": ("unit", "bool"),
    "DenseI64ArrayAttr": ("i64s", "Sequence[int]"), "DenseF64ArrayAttr": ("f64s", "Sequence[float]"),
    "FlatSymbolRefAttr": ("symbol", "str"), "ElementsAttr": ("text", "str"), "TypedAttr": ("text", "str"), "Attribute": ("text", "str"),
}  # fmt: skip

HEADER = '''"""The ops of the dialect df, a function for each: generated from their definitions.

Operands are Tensors of the model that is being traced (numbers and arrays become constants, of the dtype of the other
operands), attributes are keywords; None leaves an attribute out, whose default the description tells. Types are exact
here: nothing is broadcast or converted. mlc.ops has the functions for models.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Sequence
from mlc._build import TensorLike, TypeLike, build
from mlc.tensor import Tensor

'''


def records(tblgen: str, includes: list) -> dict:
    command = [tblgen, "-dump-json", *[f"-I{path}" for path in includes], str(ROOT / "dialects/Df/IR/DfOps.td")]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def attribute_of(found: dict, record: dict) -> tuple:
    """How an attribute is written and its Python type; (None, ...) for one that has no form in Python."""
    inner = record
    while inner.get("baseAttr"):
        inner = found[inner["baseAttr"]["def"]]
    storage = inner["storageType"].strip().rsplit("::", 1)[-1]
    if "EnumAttr" in inner["!superclasses"]:
        cases = [found[case["def"]]["str"] for case in found[inner["enum"]["def"]]["enumerants"]]
        form = "enum" if "<" in inner["assemblyFormat"] else "word"
        return f"{form}:{inner['mnemonic']}", f"str  # one of {', '.join(cases)}"
    if storage == "ArrayAttr":
        return ("symbols", "Sequence[str]") if "SymbolRef" in inner["summary"] or "symbol ref" in inner["summary"] else ("text", "str")
    return SIMPLE.get(storage, ("text", "str"))


def python_name(name: str) -> str:
    name = re.sub(r"(?<=[a-z])([A-Z])", lambda m: "_" + m[1].lower(), name)
    return name + "_" if keyword.iskeyword(name) or name in ("types", "name_") else name


def function_of(found: dict, record: dict) -> str:
    op = record["opName"]
    operands, attributes = [], []
    for kind, argument in record["arguments"]["args"]:
        definition = found[kind["def"]]
        supers = definition["!superclasses"]
        if "AttrConstraint" in supers:
            how, type_ = attribute_of(found, definition)
            required = not definition.get("isOptional") and definition.get("defaultValue") is None and how != "unit"
            attributes.append((argument, python_name(argument), how, type_, required))
        else:
            form = "variadic" if "Variadic" in supers else "optional" if "Optional" in supers else "one"
            operands.append((argument, python_name(argument), form))
    traits = {trait["def"] for trait in record["traits"]}
    segments = any("AttrSizedOperandSegments" in trait for trait in traits)
    free = any("reason" in found.get(trait, {}) for trait in traits)
    results = record["results"]["args"]
    several = len(results) != 1 or "Variadic" in found[results[0][0]["def"]]["!superclasses"]
    returns = "None" if not results else "list[Tensor]" if several else "Tensor"

    arguments = []
    for _, name, form in operands:
        arguments.append({"one": f"{name}: TensorLike", "optional": f"{name}: TensorLike | None = None", "variadic": f"{name}: Sequence[TensorLike]"}[form])
    # A required operand cannot stand after an optional one.
    for i, argument in enumerate(arguments):
        if "= None" not in argument and any("= None" in before for before in arguments[:i]):
            arguments[i] = argument + (" = ()" if "Sequence" in argument else "")
    keywords = [f"{name}: {type_.partition('  #')[0]}" + ("" if required else " = False" if how == "unit" else " | None = None")
                for _, name, how, type_, required in attributes]
    if free:
        keywords.append("types: Sequence[TypeLike]" if several else "type_: TypeLike")
    lines = [f"def {python_name(op)}("] + [f"    {a}," for a in arguments] + (["    *,"] if keywords else []) + [f"    {k}," for k in keywords]
    lines.append(f") -> {returns}:")
    docs = [f'    """{record["summary"][:1].upper() + record["summary"][1:]}.', ""]
    description = inspect.cleandoc(record["description"]).replace("\\", "\\\\").replace('"""', "'''")
    docs += [("    " + line).rstrip() for line in description.splitlines()]
    enums = [f"    {name}: {type_.partition('# ')[2]}." for _, name, _, type_, _ in attributes if "# " in type_]
    if enums:
        docs += ["", *enums]
    docs.append('    """')
    lines += docs
    values = ", ".join(value for _, value, _ in operands)
    forms = "".join({"one": ".", "optional": "?", "variadic": "*"}[form] for _, _, form in operands)
    written = ", ".join(f'("{name}", "{how}", {value})' for name, value, how, _, _ in attributes)
    types = ("types" if several else "[type_]") if free else "None"
    call = f'build("df.{op}", ({values}{"," if len(operands) == 1 else ""}), "{forms}", ({written}{"," if len(attributes) == 1 else ""}), {types}, {segments})'
    lines.append(f"    {'return ' if results else ''}{call}{'' if several or not results else '[0]'}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", type=Path)
    parser.add_argument("--tblgen", default="/usr/lib/llvm-22/bin/llvm-tblgen")
    parser.add_argument("-I", dest="includes", action="append", default=[])
    arguments = parser.parse_args()
    found = records(arguments.tblgen, arguments.includes or [ROOT, "/usr/lib/llvm-22/include"])
    ops = [found[name] for name in found["!instanceof"]["Op"] if found[name]["opDialect"]["def"] == "Df_Dialect"]
    ops = [op for op in ops if not op["regions"]["args"] and op["opName"] not in LEFT_OUT and "queue" not in str(op["arguments"])]
    functions = [function_of(found, op) for op in sorted(ops, key=lambda op: op["opName"])]
    text = HEADER + "\n\n" + "\n\n\n".join(functions) + "\n"
    if not arguments.output.exists() or arguments.output.read_text() != text:
        arguments.output.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
