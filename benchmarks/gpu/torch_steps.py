"""The training step of the transformer in PyTorch, run and timed as told on stdin: a peer of mlc_step_benchmark.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    torch_steps.py SHAPE PRECISION MODE DEVICE BATCHES VARIABLES

starts from the variables that mlc_step_benchmark wrote, says it is ready in one line of JSON, and answers each line of
stdin with one line: `losses N` the losses of N steps, `time N` nanoseconds per step over N steps. The model is that of
benchmarks/compile/models.py; Adam is fused. PRECISION bf16_mixed is autocast to bfloat16; f32 has no TF32. MODE is
torch.compile's, or eager. DEVICE: gpu or cpu.
"""
import json
import sys
import time

SHAPES = {
    "transformer": dict(layers=12, length=512, width=768, heads=12, vocabulary=8192, rows=8),
    "tiny": dict(layers=1, length=16, width=32, heads=2, vocabulary=64, rows=4),  # to try the scripts
}
RATE, EPSILON = 1e-3, 1e-8  # of Adam, as models.py has it


def block(torch, weights, i, x, shape):
    functional, heads = torch.nn.functional, shape["heads"]
    rows, length, width = x.shape

    def norm(name, x):
        return functional.layer_norm(x, (width,), weights[f"layer{i}_{name}_scale"], weights[f"layer{i}_{name}_offset"])

    def dense(name, x):
        return x @ weights[f"layer{i}_{name}_kernel"] + weights[f"layer{i}_{name}_bias"]

    q, k, v = (part.reshape(rows, length, heads, width // heads).transpose(1, 2) for part in dense("qkv", norm("norm1", x)).split(width, 2))
    a = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = x + dense("project", a.transpose(1, 2).reshape(rows, length, width))
    return x + dense("down", functional.gelu(dense("up", norm("norm2", x))))


def loss_of(torch, weights, ids, following, shape):
    x = weights["tokens"][ids] + weights["positions"]
    for i in range(shape["layers"]):
        x = block(torch, weights, i, x, shape)
    x = torch.nn.functional.layer_norm(x, (shape["width"],), weights["norm_scale"], weights["norm_offset"])
    logits = x @ weights["output"]
    return torch.nn.functional.cross_entropy(logits.reshape(-1, shape["vocabulary"]).float(), following.reshape(-1))


class Peer:
    """State that steps through the ring."""

    def __init__(self, shape, precision, mode, device, batches, variables):
        import torch
        from safetensors.torch import load_file

        self.torch, shape = torch, SHAPES[shape]
        where = "cuda" if device == "gpu" else "cpu"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
        weights = {name: value.to(where).requires_grad_() for name, value in load_file(variables).items() if not name.endswith(("_m", "_v")) and value.is_floating_point() and value.dim() > 0}
        self.optimizer = torch.optim.Adam(weights.values(), lr=RATE, eps=EPSILON, fused=True)
        self.ring = list(zip(*(load_file(batches)[name].to(where).unbind(0) for name in ("ids", "next"))))
        self.at, self.where = 0, where

        def forward(ids, following):
            with torch.autocast(where, torch.bfloat16, enabled=precision == "bf16_mixed"):
                return loss_of(torch, weights, ids, following, shape)

        self.forward = forward if mode == "eager" else torch.compile(forward, mode=mode)

    def step(self):
        if self.where == "cuda":
            self.torch.compiler.cudagraph_mark_step_begin()
        loss = self.forward(*self.ring[self.at % len(self.ring)])
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.at += 1
        return loss.detach()

    def wait(self):
        if self.where == "cuda":
            self.torch.cuda.synchronize()

    def answer(self, command, count):
        if command == "losses":
            return {"losses": [float(self.step()) for _ in range(count)]}
        self.wait()
        start = time.perf_counter_ns()
        for _ in range(count):
            self.step()
        self.wait()
        return {"ns": (time.perf_counter_ns() - start) / count}


def main():
    peer = Peer(*sys.argv[1:])
    print(json.dumps({"ready": peer.torch.__version__}), flush=True)
    for line in sys.stdin:
        command, count = line.split()
        print(json.dumps(peer.answer(command, int(count))), flush=True)


if __name__ == "__main__":
    main()
