"""Trains beside other extension modules that have their own LLVM, protobuf, gRPC, abseil or threads, which do something
before and after.

    python beside.py MODULE...      # imported first, mlc last, then the other way round; each in a process of its own

MODULE: tensorflow, torch, pyarrow, grpc, llvmlite.binding; of others the import alone is tried.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent import futures
from pathlib import Path
from typing import Any


def use_tensorflow(tf: Any) -> None:
    """Trains with Keras. XLA has an LLVM of its own."""
    product = tf.function(lambda a: tf.linalg.matmul(a, a), jit_compile=True)
    assert float(tf.reduce_sum(product(tf.ones([8, 8])))) == 512
    x = tf.random.uniform([64, 4])
    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    model.compile("sgd", "mse")
    losses = model.fit(x, x[:, :3], epochs=5, verbose=0).history["loss"]
    assert losses[-1] < losses[0], losses


def use_torch(torch: Any) -> None:
    """Trains by several threads."""
    x = torch.rand(64, 4)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    losses = []
    for _ in range(20):
        loss = torch.nn.functional.mse_loss(model(x), x[:, :3])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    assert losses[-1] < losses[0], losses
    assert float(torch.ones(300, 300).mm(torch.ones(300, 300)).sum()) == 300**3


def use_pyarrow(pyarrow: Any) -> None:
    """Computes, and writes and reads a file with its own zstd."""
    from pyarrow import parquet

    table = pyarrow.table({"x": list(range(1000)), "text": ["a", "b"] * 500})
    with tempfile.TemporaryDirectory() as name:
        parquet.write_table(table, f"{name}/t.parquet", compression="zstd")
        assert parquet.read_table(f"{name}/t.parquet").equals(table)
    assert table["x"].cast("float32").to_numpy().sum() == 499500


def use_grpc(grpc: Any) -> None:
    """A call of a server in this process."""

    class Echo(grpc.GenericRpcHandler):  # type: ignore[misc]
        def service(self, details: Any) -> Any:
            return grpc.unary_unary_rpc_method_handler(lambda request, context: request + b"!")

    server = grpc.server(futures.ThreadPoolExecutor(1))
    server.add_generic_rpc_handlers([Echo()])
    port = server.add_insecure_port("localhost:0")
    server.start()
    with grpc.insecure_channel(f"localhost:{port}") as channel:
        assert channel.unary_unary("/echo/Echo")(b"hello", timeout=30) == b"hello!"
    server.stop(None).wait()


def use_llvmlite(llvm: Any) -> None:
    """Compiles a function and calls it."""
    import ctypes

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly("define i32 @f(i32 %x) {\n %y = add i32 %x, 1\n ret i32 %y\n}")
    module.verify()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    with llvm.create_mcjit_compiler(module, machine) as engine:
        engine.finalize_object()
        assert ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(engine.get_function_address("f"))(41) == 42


USES: dict[str, Callable[[Any], None]] = {
    "tensorflow": use_tensorflow,
    "torch": use_torch,
    "pyarrow": use_pyarrow,
    "grpc": use_grpc,
    "llvmlite.binding": use_llvmlite,
}


def run(names: list[str]) -> None:
    """Imports `names`, mlc._native among them, in their order; uses the others, mlc, and the others again."""
    modules = {name: importlib.import_module(name) for name in names}
    import install  # which imports mlc

    used = [name for name in names if name in USES]
    for name in used:
        USES[name](modules[name])
    with tempfile.TemporaryDirectory() as directory:
        install.train(Path(directory))
        install.train_model_fn(Path(directory))
        install.make_trainer(Path(directory))
        install.export(Path(directory))
    for name in used:
        USES[name](modules[name])


def version_of(name: str) -> str:
    return str(getattr(importlib.import_module(name.split(".", maxsplit=1)[0]), "__version__", "of no version"))


def main() -> None:
    if sys.argv[1:2] == ["--run"]:
        run(sys.argv[2:])
        return
    names = sys.argv[1:]
    for order in (["mlc._native", *names], [*names, "mlc._native"], [*reversed(names), "mlc._native"]):
        subprocess.run([sys.executable, __file__, "--run", *order], check=True)
        print("trains in", ", ".join(order), flush=True)
    print("versions:", ", ".join(f"{name} {version_of(name)}" for name in names))


if __name__ == "__main__":
    main()
