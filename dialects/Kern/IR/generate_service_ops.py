#!/usr/bin/env python3
"""Makes the TableGen file of kern's service ops from the runtime's list of services (mlcrt/services.def).

    generate_service_ops.py SERVICES_DEF OUTPUT_TD

A pointer to constant elements becomes an operand, one to others a destination operand (which come last), a text and a
number of 32 bits an attribute, a number of 64 bits an operand of one i64 or, with MLCRT_CONSTANT, an attribute. What
MLCRT_SIZE_OF says is told by the other parameter. A service that takes a function, or gives memory or an int32_t, becomes no op.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import sys

# What may be behind a pointer: the TableGen type of the operand.
ELEMENTS = {
    "void": "Kern_Shaped",
    "uint8_t": "Kern_Bytes",
    "int64_t": "Kern_Integers",
    "float": "Kern_Floats",
    "double": "Kern_Doubles",
    "mlcrt_string": "Kern_Strings",
}
# Types of parameters that no op has.
NOT_OPS = ("mlcrt_task_fn", "void **", "int32_t *")


class Error(Exception):
    pass


class Parameter:
    """A parameter of a service after `env`."""

    def __init__(self, text):
        words = re.findall(r"MLCRT_(\w+?)(?:\((\w+)\))?\s+(?=\S)", text)
        self.words = {word: argument for word, argument in words}
        declaration = re.match(r"(.*?[ *])(\w+)$", re.sub(r"MLCRT_\w+(\(\w+\))?\s+", "", text))
        if not declaration:
            raise Error(f"cannot read parameter '{text}'")
        self.type, self.name = declaration.group(1).strip(), declaration.group(2)
        self.getter = "get" + "".join(part.capitalize() for part in self.name.split("_"))
        self.kind, self.constraint = self.classify()
        allowed = {"in": ["NULLABLE"], "out": ["INOUT"], "text": ["NULLABLE"], "i64": ["CONSTANT"], "size": ["SIZE_OF"]}
        for word in self.words:
            if word not in allowed.get(self.kind, []):
                raise Error(f"MLCRT_{word} does not go with parameter '{self.name}' of type '{self.type}'")

    def classify(self):
        if self.type in NOT_OPS:
            return "none", None
        if "SIZE_OF" in self.words and self.type in ("int32_t", "int64_t"):
            return "size", None
        if self.type == "int32_t":
            return "i32", "Kern_I32Attr"
        if self.type == "int64_t":
            return ("i64", "Kern_I64Attr") if "CONSTANT" in self.words else ("number", "Kern_Number")
        if self.type == "const char *":
            return "text", "OptionalAttr<StrAttr>" if self.is_nullable() else "StrAttr"
        pointer = re.match(r"(const )?(\w+) \*$", self.type)
        if not pointer or pointer.group(2) not in ELEMENTS:
            raise Error(f"parameter '{self.name}' has type '{self.type}', which no op can give")
        constraint = ELEMENTS[pointer.group(2)]
        if not pointer.group(1):
            return "out", constraint
        return "in", f"Optional<{constraint}>" if self.is_nullable() else constraint

    def is_nullable(self):
        return "NULLABLE" in self.words

    def is_operand(self):
        return self.kind in ("in", "out", "number")

    def builder_type(self):
        if self.kind == "text":
            return "::mlir::StringAttr" if self.is_nullable() else "::llvm::StringRef"
        return {"i32": "int32_t", "i64": "int64_t"}.get(self.kind, "::mlir::Value")

    def assembly(self):
        """How the argument is printed, but for destinations, which stand in one list."""
        is_operand = self.is_operand()
        value = f"${self.name}" + ("^" if self.is_nullable() else "")
        text = f"`{self.name}` " + (f"`(` {value} `:` type(${self.name}) `)`" if is_operand else f"`=` {value}")
        return f"({text})?" if self.is_nullable() else text

    def argument(self, others):
        """What the call hands over: an expression of C++."""
        if self.kind == "size":
            other = others.get(self.words["SIZE_OF"])
            if not other or (other.kind, self.type) not in (("in", "int64_t"), ("out", "int64_t"), ("text", "int32_t")):
                raise Error(f"MLCRT_SIZE_OF({self.words['SIZE_OF']}) of parameter '{self.name}' names neither a pointer, "
                            "for an int64_t, nor a text, for an int32_t")
            return f"ServiceArgument::sizeOf({other.getter}{'Attr' if other.kind == 'text' else ''}())"
        make = {"in": "pointer", "out": "pointer", "number": "number", "text": "text"}.get(self.kind, "constant")
        return f"ServiceArgument::{make}({self.getter}{'' if self.is_operand() else 'Attr'}())"


def definition(name, comment, parameters, is_stateful):
    """The TableGen record of an op, or nothing for a service that is none."""
    parameters = [Parameter(p) for p in parameters]
    if any(p.kind == "none" for p in parameters):
        return ""
    by_name = {p.name: p for p in parameters}
    outs = [p for p in parameters if p.kind == "out"]
    operands = [p for p in parameters if p.is_operand()]
    arguments = [p for p in parameters if p.kind not in ("size", "none")]
    if operands[len(operands) - len(outs):] != outs:
        raise Error(f"service '{name}' has an operand after what it writes")
    updates = {"INOUT" in p.words for p in outs}
    if len(updates) > 1:
        raise Error(f"service '{name}' has MLCRT_INOUT for some of what it writes only")

    # A call whose outs nobody reads may be dropped, unless who makes it needs the checks.
    can_be_dropped = bool(outs) and not is_stateful
    class_name = "".join(part.capitalize() for part in name.split("_"))
    traits = "AttrSizedOperandSegments" if sum(p.is_nullable() for p in operands) > 1 else ""
    ins = [f"{p.constraint}:${p.name}" for p in arguments] + (["UnitAttr:$must_run"] if can_be_dropped else [])
    assembly = [p.assembly() for p in arguments if p.kind != "out"]
    if can_be_dropped:
        assembly.append("(`must_run` $must_run^)?")
    if outs:
        values, types = " `,` ".join(f"${p.name}" for p in outs), " `,` ".join(f"type(${p.name})" for p in outs)
        assembly.append(f"`outs` `(` {values} `:` {types} `)`")
    assembly.append("attr-dict")
    if outs:
        assembly.append("(`->` type($results)^)?")

    lines = [
        f'def Kern_{class_name}Op : Kern_ServiceOp<"{name}", [{traits}]> {{',
        f'  let summary = "calls the runtime\'s service {name}";',
        "  let description = [{",
        *("    " + line for line in comment),
        "  }];",
        "  let arguments = (ins",
        "    " + ",\n    ".join(ins) + ");",
    ]
    if outs:
        built = ", ".join(f'"{p.builder_type()}":${p.name}' for p in arguments)
        passed = ", ".join(p.name for p in arguments)
        lines += [
            "  let results = (outs Variadic<AnyRankedTensor>:$results);",
            "  // Results as the destinations are: none for buffers.",
            f"  let builders = [OpBuilder<(ins {built}), [{{",
            f"    build($_builder, $_state, detail::resultTypesOf({{{', '.join(p.name for p in outs)}}}), {passed}"
            + (", /*must_run=*/false" if can_be_dropped else "") + ");",
            "  }]>];",
        ]
    lines += [
        "  let assemblyFormat = [{",
        *("    " + part for part in assembly),
        "  }];",
        "  let extraClassDeclaration = [{",
        f'    static ::llvm::StringLiteral getServiceName() {{ return "{name}"; }}',
        f"    static bool readsOuts() {{ return {'true' if updates == {True} else 'false'}; }}",
        f"    bool mustRun() {{ return {'getMustRun()' if can_be_dropped else 'true'}; }}",
        "    ::llvm::SmallVector<ServiceArgument> getServiceArguments() {",
        "      return {",
        *(f"        {p.argument(by_name)}," for p in parameters),
        "      };",
        "    }",
        "    ::mlir::MutableOperandRange getDpsInitsMutable() {",
        f"      return ::mlir::MutableOperandRange(getOperation(), getOperation()->getNumOperands() - {len(outs)}, "
        f"{len(outs)});",
        "    }",
        "    void getEffects(::llvm::SmallVectorImpl<",
        "        ::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {",
        "      detail::getServiceEffects(*this, effects);",
        "    }",
        "  }];",
        "}",
    ]
    return "\n".join(lines) + "\n"


def definitions(text):
    """The records of all services, in their order. Services that follow one another share the comment above them."""
    comment, pending, begin, found = [], "", 0, []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if pending or re.match(r"MLCRT_(STATEFUL_)?SERVICE\(", line):
            begin = begin if pending else number
            pending += " " + line.strip()
            if pending.count("(") != pending.count(")"):
                continue
            service = re.match(r"\s*MLCRT_(STATEFUL_)?SERVICE\((\w+), \((.*)\)\)$", pending)
            try:
                if not service:
                    raise Error(f"cannot read '{pending.strip()}'")
                if not comment:
                    raise Error(f"service '{service.group(2)}' has no comment that says what it does")
                parameters = [p.strip() for p in service.group(3).split(",")]
                found.append(definition(service.group(2), comment, parameters, bool(service.group(1))))
            except Error as error:
                raise Error(f"{begin}: {error}") from error
            pending = ""
        elif line.startswith("//"):
            # A comment after a service begins anew.
            follows = number > 1 and lines[number - 2].startswith("//")
            comment = (comment if follows else []) + [line[2:].strip()]
        elif not line.strip() or line.startswith("#"):
            comment = []
    if pending:
        begun = re.search(r"SERVICE\((\w*)", pending).group(1)
        raise Error(f"{begin}: service '{begun}' does not end")
    return [d for d in found if d]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        text = file.read()
    try:
        records = definitions(text)
    except Error as error:
        sys.exit(f"{sys.argv[1]}:{error}")
    with open(sys.argv[2], "w") as file:
        file.write("// Generated by generate_service_ops.py from mlcrt/services.def. Do not edit.\n"
                   '#ifndef KERN_SERVICE_OPS_TD\n#define KERN_SERVICE_OPS_TD\n\ninclude "dialects/Kern/IR/KernServices.td"\n\n'
                   + "\n".join(records) + "\n#endif // KERN_SERVICE_OPS_TD\n")


if __name__ == "__main__":
    main()
