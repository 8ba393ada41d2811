#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""op_table.py [--bin BUILD/bin] [--gaps]: what each op of df has; exits with 1 if something is missing.

Columns: rule (of the interpreter, or a decomposition), lowering, example (in its documentation, parses), invalid (a test of
its errors), gradient (checked by differences, if it has a rule), dimensions (it tells which are kept), fails (it tells
whether it may; what does not is taken to), work (it tells what it costs), moves (what makes no elements tells of which operands
they are), measures (what takes an operand for its sizes alone tells so), state (what names variables tells which it reads and
writes), ranges (of integers that it tells), regions (what carries values through regions tells where their sizes are from),
features (work that runs ahead of the step), types (its results' are inferred, or free: their
definition says why), compiled (a case against the interpreter). What is registered is asked of the built dialect; examples are parsed by the built mlc-opt.
"""
import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LLVM = Path("/usr/lib/llvm-22")

# Ops that declare or end something: what a column says of others does not apply to them.
STRUCTURE = {"variable", "vocabulary", "queue", "dimension", "function", "return", "yield", "condition"}
# Gone before code: rewritten by a pass of the dialect.
REWRITTEN = {"gradients", "all_reduce", "batch_mean", "custom_gradient"}
# A column and the ops that have no such thing, with the reason.
EXEMPT = {
    "invalid": {"yield": "any operands will do; its parent's constraints say which",
                "optimization_barrier": "two operands of any types",
                "condition": "its parent's constraint says where it may stand",
                "constant": "what its attribute says, its type is"},
    "dimensions": {**dict.fromkeys(["constant", "densify_rows", "eye", "histogram", "linspace", "read", "setting", "shape", "size"],
                                   "its sizes are static"),
                   **dict.fromkeys(["dynamic_reshape", "nonzero", "range"], "it makes all of its sizes"),
                   **dict.fromkeys(["custom_gradient", "if", "remat", "scan", "while", "call", "dequeue", "dequeue_many", "dequeue_up_to"],
                                   "its sizes are those of a region, a function or a queue"),
                   **dict.fromkeys(["queue_is_closed", "queue_size"], "scalars"),
                   **dict.fromkeys(["apply_rows", "assign", "assign_add", "assign_sub", "enqueue", "enqueue_many", "queue_close",
                                    "require", "require_same_size", "restore", "save"], "it has no result"),
                   "gradients": "gone before sizes matter"},
    "moves": {"iota": "it makes numbers", "nonzero": "it makes coordinates", "ragged_to_dense": "it makes lengths, too",
              "string_split": "it makes strings",
              **dict.fromkeys(["enqueue", "enqueue_many", "queue_close", "queue_is_closed", "queue_size", "dequeue", "dequeue_many",
                               "dequeue_up_to"], "what it moves goes through a queue")},
    "state": {"variable": "it declares one", "gradients": "it names variables whose values others read",
              "string_format": "its pattern is one of texts"},
    "regions": {"custom_gradient": "it is inlined before sizes matter", "apply_rows": "its region is of one row, whose shape is static",
                "update_rows": "its region is of one row, whose shape is static", "function": "its arguments have symbols"},
}


def definitions() -> dict:
    """Name of an op -> (class, description, traits, number of declared results, its other facts) from its TableGen record."""
    found = {}
    text = subprocess.run([LLVM / "bin/llvm-tblgen", "-dump-json", f"-I{ROOT}", f"-I{LLVM}/include",
                           ROOT / "dialects/Df/IR/DfOps.td"], capture_output=True, text=True, check=True).stdout
    records = json.loads(text)
    for name in records["!instanceof"]["Op"]:
        record = records[name]
        if record["opDialect"]["def"] == "Df_Dialect":
            traits = {trait["def"] for trait in record["traits"]}
            arguments = {argument: type_["def"] for type_, argument in record["arguments"]["args"]}
            facts = {fact for fact, holds in {
                "like": "like" in arguments,
                "variables": arguments.keys() & {"variable", "variables", "pattern"},
                "regions": record["regions"]["args"],
            }.items() if holds}
            found[record["opName"]] = (name.removeprefix("Df_"), record["description"], traits, len(record["results"]["args"]), facts)
    return found


def example_of(description: str) -> str:
    """The example of a description: a fenced block, or what stands between backquotes."""
    tail = description.partition("Example:")[2]
    if fenced := re.match(r"\s*```mlir\n(.*?)```", tail, re.S):
        return fenced[1]
    inline = re.match(r"\s*`([^`]*)`", tail)
    return inline[1] if inline else ""


def parse_examples(examples: dict, opt: Path) -> dict:
    """Op -> the parser's error, of those that do not parse. Values that an example takes from outside get the types that
    the parser asks for; what the verifier says of their surroundings does not matter here."""
    types, errors, left = {name: {} for name in examples}, {}, dict(examples)
    for _ in range(24):
        if not left:
            return errors
        order = list(left)
        chunks = ["\n".join([f'{value} = "test.value"() : () -> {type_}' for value, type_ in types[name].items()]
                            + [left[name]]) for name in order]
        text = "\n// -----\n".join(chunks) + "\n"
        result = subprocess.run([opt, "-split-input-file", "-allow-unregistered-dialect", "-mlir-print-op-on-diagnostic=0",
                                 "-o", "/dev/null"], input=text, capture_output=True, text=True, check=False)
        starts, line = [], 1
        for chunk in chunks:
            starts.append(line)
            line += chunk.count("\n") + 2
        messages = {}
        for where, message in re.findall(r"^(?:<stdin>|within split at <stdin>:\d+ offset )?:(\d+):\d+: error: (.*)$", result.stderr, re.M):
            at = max(i for i, start in enumerate(starts) if start <= int(where))
            messages.setdefault(order[at], message)
        # Offsets are those within a piece in some versions: pieces are then told one by one.
        changed = False
        for name in order:
            message = messages.get(name)
            if message is None or re.match(r"'?(builtin|df)\.\S+ op |'df\.\S+' op ", message) or "' op " in message:
                del left[name]
                continue
            if m := re.match(r"use of undeclared SSA value name", message):
                for value in re.findall(r"%\w+", left[name]):
                    if value not in types[name] and not re.search(rf"{value}(:\d+)?\s*(,\s*%\w+(:\d+)?\s*)*=|{value}: ", left[name]):
                        types[name][value] = "i1"
                        changed = True
            elif m := re.match(r"use of value '(%\w+)' expects different type than prior uses: '(.*)' vs '(.*)'", message):
                types[name][m[1]] = m[2] if m[3] == types[name].get(m[1]) else m[3]
                changed = True
            else:
                errors[name] = message
                del left[name]
        if not changed and left:
            break
    errors.update({name: "its values have no types that fit" for name in left})
    return errors


def texts(*patterns: str) -> str:
    return "\n".join(path.read_text() for pattern in patterns for path in sorted(ROOT.glob(pattern)))


def ops_with_errors() -> set:
    """Ops that a test of errors expects one at: named in the message, or standing in the line that it is of."""
    found = set()
    for path in [*ROOT.glob("test/Dialect/Df/*.mlir"), *ROOT.glob("test/Interpret/*.mlir"), *ROOT.glob("test/Conversion/**/*.mlir")]:
        waiting = False
        for line in path.read_text().splitlines():
            if "expected-error" in line:
                found.update(re.findall(r"'df\.(\w+)'", line))
                waiting = True
                if op := re.search(r"df\.(\w+)", line.partition("//")[0]):
                    found.add(op[1])
            elif waiting and (op := re.search(r"\bdf\.(\w+)", line)):
                found.add(op[1])
                waiting = False
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bin")
    parser.add_argument("--gaps", action="store_true", help="print ops that lack something alone")
    arguments = parser.parse_args()
    registered = {}
    for line in subprocess.run([arguments.bin / "mlc_random_programs_test", "--print=ops"], capture_output=True, text=True,
                               check=True).stdout.splitlines():
        name, *facts = line.split()
        registered[name.removeprefix("df.")] = facts
    defined = definitions()
    if set(defined) != set(registered):
        print(f"defined and registered ops differ: {set(defined) ^ set(registered)}")
        return 1
    examples = {name: example_of(description) for name, (_, description, *_) in defined.items()}
    broken = parse_examples({name: text for name, text in examples.items() if text}, arguments.bin / "mlc-opt")
    lowering = texts("lib/Conversion/DfToLinalg/*.cpp", "dialects/Df/Transforms/*.cpp")
    gradients = texts("test/Unit/compiler/Interpreter/*Gradient*.cpp")
    compiled = texts("test/Unit/compiler/Execute/*.cpp")
    invalid = ops_with_errors()
    columns = ["rule", "lowering", "example", "invalid", "gradient", "dimensions", "fails", "work", "moves", "measures", "state", "ranges",
               "regions", "features", "types", "compiled"]
    gaps = 0
    print(f"{'op':24}" + "".join(f"{column:>11}" for column in columns))
    for name in sorted(defined):
        cls, _, traits, results, declared = defined[name]
        facts = registered[name]
        decomposed = "decomposition" in facts
        has = {
            "rule": "rule" if "rule" in facts else "parts" if decomposed else "",
            "lowering": "yes" if "Elementwise" in traits or re.search(rf"\b{cls}\b", lowering) else "parts" if decomposed else "",
            "example": "yes" if examples[name] and name not in broken else "",
            "invalid": "yes" if name in invalid else "",
            "gradient": ("yes" if re.search(rf"df\.{name}\b|\"{name}\"|\b{cls}\b", gradients) else "") if "gradient" in facts else "-",
            "dimensions": "yes" if "dimensions" in facts else "",
            "fails": "told" if "fallible" in facts else "may",
            "work": "yes" if "work" in facts else "",
            "moves": "yes" if "moves" in facts else "" if "movement" in facts else "-",
            "measures": "yes" if "measures" in facts else "" if "like" in declared else "-",
            "state": "yes" if "state" in facts else "" if "variables" in declared else "-",
            "ranges": "yes" if "integers" in facts else "-",
            "regions": "yes" if "regions" in facts else "" if "regions" in declared else "-",
            "features": "yes" if "prepares" in facts else "-",
            "types": "" if {"infers", "free"} <= set(facts) else "inferred" if "infers" in facts else "free" if "free" in facts
                     else "-" if results == 0 else "",
            "compiled": "yes" if re.search(rf"df\.{name}\b|\"{name}[\" ]", compiled) else "",
        }
        if name in STRUCTURE:
            has.update(rule="-", lowering="-", dimensions="-", fails="-", compiled="-")
        if name in {"return", "yield", "condition"}:
            has.update(work="-")
        if name in REWRITTEN:
            has.update(lowering="-")
        for column, ops in EXEMPT.items():
            if name in ops and not has[column]:
                has[column] = "-"
        missing = sum(not value for value in has.values())
        gaps += missing
        if missing or not arguments.gaps:
            print(f"{name:24}" + "".join(f"{value or 'MISSING':>11}" for value in has.values()))
    for name, message in sorted(broken.items()):
        print(f"example of df.{name}: {message}")
    print(f"{len(defined)} ops, {gaps} gaps")
    return 1 if gaps else 0


if __name__ == "__main__":
    sys.exit(main())
