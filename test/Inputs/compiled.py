"""mlc compile, or a copy of what another test has compiled by the same command.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    compiled.py SPEC -o TRAINER FLAGS...

Many tests run a trainer of the same example, whose compilation is not what they are about. The first of them compiles
it into a directory beside lit's cache. What it depends on is part of its name: the command, the files beside the spec,
compiler and runtime.
"""
import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys


def stamp_of_file(path):
    status = os.stat(path)
    return f"{path} {status.st_size} {status.st_mtime_ns}"


def stamp(directory):
    """Names, sizes and times of what lies in a directory and below."""
    lines = []
    for folder, _, files in os.walk(directory):
        lines += [stamp_of_file(os.path.join(folder, file)) for file in files]
    return "\n".join(sorted(lines))


def fingerprint(text):
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def main(arguments):
    # What is told to whom does not change the trainer.
    arguments = [argument for argument in arguments if argument != "--quiet"]
    at = arguments.index("-o")
    spec, output, flags = arguments[0], arguments[at + 1], arguments[1:at] + arguments[at + 2 :]
    mlc = shutil.which("mlc")
    build = os.path.dirname(os.path.dirname(mlc))
    libraries = [os.path.join(build, "lib", name) for name in os.listdir(os.path.join(build, "lib"))]
    of_compiler = [mlc] + sorted(path for path in libraries if os.path.isfile(path))
    compiler = fingerprint("\n".join(map(stamp_of_file, of_compiler)))
    of_spec = fingerprint("\n".join([spec, *flags, stamp(os.path.dirname(os.path.abspath(spec)))]))
    name = f"{compiler}-{of_spec}"
    directory = os.path.join(os.environ["XDG_CACHE_HOME"], "compiled")
    os.makedirs(directory, exist_ok=True)
    kept = os.path.join(directory, name)
    # Tests that ask for one trainer at the same time wait for the first of them.
    with open(kept + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(kept):
            for old in os.listdir(directory):
                if not old.startswith(compiler):
                    with contextlib.suppress(FileNotFoundError):  # another test was faster
                        os.remove(os.path.join(directory, old))
            being_made = f"{kept}.{os.getpid()}"
            done = subprocess.run(["mlc", "compile", spec, "-o", being_made, "--quiet", *flags])
            if done.returncode != 0:
                return done.returncode
            os.rename(being_made, kept)
    # A copy: a test may change its trainer.
    shutil.copy(kept, output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
