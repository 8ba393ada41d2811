"""Trains beside other extension modules that have their own LLVM, protobuf, gRPC or threads.

    python beside.py MODULE...      # imported first, mlc last, then the other way round; each in a process of its own
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import subprocess
import sys

CODE = """
import importlib, sys, tempfile
from pathlib import Path
for name in sys.argv[2:]:
    importlib.import_module(name)
sys.path.insert(0, sys.argv[1])
import install
if "llvmlite.binding" in sys.modules:
    llvm = sys.modules["llvmlite.binding"]
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.parse_assembly("define i32 @f() {\\n ret i32 1\\n}").verify()
if "grpc" in sys.modules:
    sys.modules["grpc"].insecure_channel("localhost:1").close()
if "pyarrow" in sys.modules:
    sys.modules["pyarrow"].array([1, 2, 3]).cast("float32")
def use_tensorflow():
    # XLA has an LLVM of its own.
    tf = sys.modules["tensorflow"]
    product = tf.function(lambda a: tf.linalg.matmul(a, a), jit_compile=True)
    assert float(tf.reduce_sum(product(tf.ones([8, 8])))) == 512
    x = tf.random.uniform([64, 4])
    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    model.compile("sgd", "mse")
    model.fit(x, x[:, :3], verbose=0)
if "tensorflow" in sys.modules:
    use_tensorflow()
with tempfile.TemporaryDirectory() as name:
    install.train(Path(name))
    install.train_model_fn(Path(name))
if "tensorflow" in sys.modules:
    use_tensorflow()
"""


def main() -> None:
    here = __file__.rsplit("/", 1)[0]
    names = sys.argv[1:]
    for order in (["mlc._native", *names], [*names, "mlc._native"], [*reversed(names), "mlc._native"]):
        subprocess.run([sys.executable, "-c", CODE, here, *order], check=True)
        print("trains in", ", ".join(order))


if __name__ == "__main__":
    main()
