#!/usr/bin/env python3
"""Lints of the tree: layering of includes, file sizes, licence lines, tests that check something, what libraries leave to programs,
documentation that names what is there.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import functools
import glob
import itertools
import os
import re
import subprocess
import sys

MAX_LINES = 1000

# The nearest match in a message is the same for all.
NEAREST = "common/cli/NearestMatch.h"
# The key of a name, which compiler and runtime must agree on.
NAME_KEY = "common/checkpoint/NameKey.h"
# What all dialects build on.
DIALECTS = "dialects/Support/"

# What a file under a prefix may include of ours (quoted paths). The first prefix that matches rules.
LAYERS = [
    ("common/", ["common/"]),
    ("runtime/", ["runtime/", "mlcrt/", "common/"]),
    (DIALECTS, [DIALECTS]),
    ("dialects/Est/", ["dialects/Est/", DIALECTS, NEAREST]),
    ("dialects/Df/", ["dialects/Df/", DIALECTS, NEAREST, NAME_KEY]),
    ("dialects/Kern/", ["dialects/Kern/", DIALECTS, NEAREST]),
    ("dialects/Dist/", ["dialects/Dist/", "dialects/Df/IR/", "dialects/Df/Utils/", DIALECTS, NEAREST]),
    ("include/mlc/Interpreter/", ["mlc/", "dialects/", "common/"]),
    ("include/mlc/Codegen/", ["mlc/Codegen/", "mlc/Support/", "mlc/Target/KernelTarget.h", "dialects/"]),
    ("include/mlc/Target/", ["mlc/", "dialects/", "common/", "mlcrt/abi.h"]),
    ("include/mlc/", ["mlc/", "dialects/", "common/"]),
    # Neutral: of targets it knows what all of them say.
    ("lib/Codegen/", ["mlc/Codegen/", "mlc/Support/", "mlc/Target/KernelTarget.h", "lib/Codegen/", "dialects/", "mlcrt/abi.h", "mlcrt/services.def"]),
    ("lib/Target/Artifact/", ["mlc/Target/Artifact/", "mlc/Support/", "dialects/", "common/", "mlcrt/abi.h"]),
    ("lib/", ["mlc/", "lib/", "dialects/", "common/", "mlcrt/abi.h", "mlcrt/services.def", "mlcrt/kernel_needs.h"]),
]
OURS = ("common/", "runtime/", "mlcrt/", "dialects/", "mlc/", "lib/")


def listed():
    """Files of the tree that git knows or does not ignore; in a tree without git, all outside of builds."""
    try:
        known = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True)
        return [f for f in known.stdout.splitlines() if os.path.exists(f)]
    except (FileNotFoundError, subprocess.CalledProcessError):
        found = []
        for directory, within, names in os.walk("."):
            within[:] = sorted(d for d in within if not d.startswith((".", "build", "__pycache__")))
            found += [os.path.relpath(os.path.join(directory, name)) for name in sorted(names)]
        return found


def files():
    return [f for f in listed() if not f.startswith("examples/") or f.endswith((".pbtxt", ".sh"))]


def check_layering(path, lines, errors):
    allowed = next((a for prefix, a in LAYERS if path.startswith(prefix)), None)
    if allowed is None:
        return
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s+[<"]([^">]+)[">]', line)
        if not match:
            continue
        included = match.group(1)
        foreign = path.startswith(("runtime/", "common/")) and included.startswith(("mlir/", "llvm/"))
        if included.endswith(".inc"):
            continue  # generated beside the file that includes it
        if foreign or (included.startswith(OURS) and not included.startswith(tuple(allowed))):
            errors.append(f"{path}:{number}: layering: includes '{included}'; expected only {', '.join(allowed)}")


# What is said of an op follows its name, which emitOpError puts before it.
NAMELESS = re.compile(r'(?:\.|->)emitError\((?:\)\s*<<\s*)?"(?:has|is|must|still|captures|uses|needs|takes|names|reads|writes) ')


def check_messages(path, lines, errors):
    for number, line in enumerate(lines, 1):
        if NAMELESS.search(line):
            errors.append(f"{path}:{number}: a message that begins with what an op does; expected emitOpError, which names the op")


# Libraries print nothing, end no process and leave signals, locale and environment alone: programs do these things.
PROCESS = re.compile(r"\b(stdout|stderr|std::cout|std::cerr|std::clog|llvm::outs|llvm::errs|report_fatal_error|isatty|setlocale|setenv|unsetenv|putenv)\b"
                     r"|(?<![\w.>])(?:std::|::)?(?:exit|_exit|quick_exit|abort|sigaction|printf|puts|putchar)\s*\("
                     r"|(?<!\w)(?:std)?::signal\s*\(|std::locale::global|RemoveFileOnSignal|CrashRecoveryContext::Enable")
# Of the runtime what is no library: the trainer. Of the compiler: the verbs of mlc, and what prints on purpose.
PROGRAMS = ("runtime/src/trainer/", "lib/Driver/Launch/", "lib/Driver/Tune/")
# What programs ask for, each by a function or pass that says so.
ON_REQUEST = {
    "runtime/src/input/MappedFile.cpp",  # SIGBUS of files that shrink, chained to the handler before
    "dialects/Dist/Transforms/PrintPlacement.cpp", "lib/Driver/PassHelp.cpp", "lib/Driver/Reproducer.cpp", "lib/Driver/SpecVerbs.cpp", "lib/Driver/Verbs.cpp",
    "lib/Interpreter/InterpretPass.cpp", "lib/Support/UnfinishedFile.cpp",
}


def check_process(path, lines, errors):
    if path.startswith(PROGRAMS) or path in ON_REQUEST:
        return
    for number, line in enumerate(lines, 1):
        code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line.partition("//")[0])
        if match := PROCESS.search(code):
            errors.append(f"{path}:{number}: '{match[0].strip()}' in a library; expected that the program does it")


# ODS generates builders that infer for ops with these, which end the process where types do not fit.
ABORTS = re.compile(r"\b(InferTypeOpInterface|InferTypeOpAdaptor\w*|InferShapedTypeOpInterface|InferShapedTypeOpAdaptor\w*|"
                    r"InferTensorType\w*|SameOperandsAndResultType|FirstAttrDerivedResultType)\b")


def check_builders(path, lines, errors):
    for number, line in enumerate(lines, 1):
        if (match := ABORTS.search(line.partition("//")[0])) and not line.startswith("include"):
            errors.append(f"{path}:{number}: builders: {match[1]} generates builders that end the process; expected "
                          "Df_InfersTypes, whose ops df::build builds")


def check_lit(path, lines, errors):
    text = "\n".join(lines)
    if "RUN:" not in text:
        errors.append(f"{path}:1: test has no RUN line")
    elif not re.search(r"CHECK|verify-diagnostics|check-prefix|%metrics|_reference\.py|\bdiff\b|\bcmp\b|\bnot\b", text):
        errors.append(f"{path}:1: test checks nothing")


# Places in the tree that documentation names as paths; what stands in angle brackets is a placeholder.
TREE = re.compile(r"(?<![\w/.-])(?:dialects|lib|include|runtime|common|tools|test|docs|examples|benchmarks|python)/[\w./{},*-]*")


def expand_braces(text):
    match = re.search(r"\{([^{}]*)\}", text)
    if not match:
        return [text]
    return [p for part in match.group(1).split(",") for p in expand_braces(text[:match.start()] + part + text[match.end():])]


@functools.cache
def anchors(path):
    """What links to a place in a page may name: its headings as viewers of repositories write them."""
    found = set()
    fenced = False
    with open(path, encoding="utf-8") as file:
        for line in file:
            fenced ^= line.startswith("```")
            heading = None if fenced else re.match(r"#+ +(.*?) *$", line)
            if heading:
                words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
                name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
                found.add(next(n for n in itertools.chain([name], (f"{name}-{i}" for i in itertools.count(1))) if n not in found))
    return found


def check_docs(path, lines, errors):
    """Every relative link, with its anchor, and every path of the tree that a page names is there."""
    here = os.path.dirname(path)
    for number, line in enumerate(lines, 1):
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?[^)]*\)", line):
            place = os.path.normpath(os.path.join(here, target)) if target else path
            if re.match(r"[a-z]+:", target):
                continue
            if not os.path.exists(place):
                errors.append(f"{path}:{number}: link to '{target}', which does not exist")
            elif anchor and place.endswith(".md") and anchor not in anchors(place):
                errors.append(f"{path}:{number}: link to '{target}#{anchor}', but that page has no such heading")
        for named in TREE.findall(line):
            for place in expand_braces(named.rstrip(".,")):
                # What a set-up script makes is there only after it.
                if "/.venv" not in place and not glob.glob(place):
                    errors.append(f"{path}:{number}: names '{place}', which does not exist")


def main():
    if sys.argv[1:] == ["--sources"]:  # what check.sh formats
        print("\n".join(f for f in listed() if f.endswith((".cpp", ".h", ".c"))))
        return 0
    errors = []
    count = 0
    for path in files():
        is_doc = re.match(r"docs/.*\.md$|README\.md$|CONTRIBUTING\.md$", path)
        if not is_doc and not re.search(r"\.(cpp|h|c|td|py|sh|cmake|def|proto|mlir|test)$|CMakeLists\.txt$|^\.ci/run$", path):
            continue
        try:
            lines = open(path, encoding="utf-8").read().splitlines()
        except FileNotFoundError:
            continue
        count += 1
        if is_doc:
            check_docs(path, lines, errors)
            continue
        if len(lines) > MAX_LINES:
            errors.append(f"{path}:1: {len(lines)} lines; expected at most {MAX_LINES}")
        if not path.endswith((".mlir", ".test")) and lines and not any("SPDX-License-Identifier" in l for l in lines[:12]):
            errors.append(f"{path}:1: no SPDX-License-Identifier line")
        if re.search(r"\.(cpp|h|c|def)$", path):
            check_layering(path, lines, errors)
        if path.startswith(("common/", "runtime/src/", "dialects/", "lib/")) and path.endswith((".cpp", ".h")):
            check_process(path, lines, errors)
        if path.startswith(("dialects/", "lib/")):
            check_messages(path, lines, errors)
        if path.startswith("dialects/Df/IR/") and path.endswith(".td"):
            check_builders(path, lines, errors)
        if path.startswith("test/") and "/Inputs/" not in path and path.endswith((".mlir", ".test")):
            check_lit(path, lines, errors)
        for number, line in enumerate(lines, 1):
            if line != line.rstrip() and not path.endswith((".mlir", ".test")):
                errors.append(f"{path}:{number}: trailing blanks")
                break
    for error in errors:
        print(error)
    print(f"lint: {count} files, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
