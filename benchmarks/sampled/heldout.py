#!/usr/bin/env python3
"""Held-out loss of a model of words trained by sampled softmax against one trained by the full softmax.

usage: heldout.py [--build-dir DIR] [--text FILE] [--threads N] [--rate RATE] [--epochs N]

The next word from the three before it on tiny Shakespeare, cut at white space: 25,670 classes in the order of how often the training part
has them. Training part: the first 90 % of the text; the rest is held out. Each of both trainings has a learning rate of its own: from RATE
on it is doubled and halved until neither does better on the last tenth of the training part, after training on the rest of it. Then
all of the training part is trained on. Prints the full softmax's loss on the held-out part, in nats per word, of both, and the ratio.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import array
import collections
import json
import os
import pathlib
import subprocess
import tempfile
import time

from run import write_safetensors

HERE = pathlib.Path(__file__).resolve().parent
CLASSES, CONTEXT = 25_670, 3


def number_words(text):
    """The words of a text by number: the commonest of the training part is 0; what only the rest has comes last."""
    words = text.split()
    counts = collections.Counter(dict.fromkeys(words, 0))
    counts.update(words[: len(words) * 9 // 10])
    number = {word: i for i, (word, _) in enumerate(sorted(counts.items(), key=lambda item: (-item[1], item[0])))}
    if len(number) != CLASSES:
        raise SystemExit(f"the text has {len(number)} different words; the models are made for {CLASSES}")
    return [number[word] for word in words]


def write_rows(path, words, begin, end):
    """Predicts the words [begin, end) from those before them."""
    begin = max(begin, CONTEXT)
    context = array.array("q", (word for i in range(begin, end) for word in words[i - CONTEXT : i]))
    write_safetensors(path, {"context": ("I64", [end - begin, CONTEXT], context),
                             "next": ("I64", [end - begin], array.array("q", words[begin:end]))})
    return path


def train(trainer, directory, data, held_out, rate, options):
    """The held-out loss after the training."""
    begin = time.monotonic()
    command = [trainer, "train", "--model_dir", directory / "m", "--fresh", "--train_files", data, "--set", f"learning_rate={rate}",
               "--set", f"train.epochs={options.epochs}", "--threads", str(options.threads), "--quiet"]
    subprocess.run(command, check=True)
    seconds = time.monotonic() - begin
    answer = subprocess.run([trainer, "evaluate", "--model_dir", directory / "m", "--eval_files", held_out, "--threads", str(options.threads), "--json", "--quiet"],
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    loss = json.loads(answer.splitlines()[-1])["full_softmax_loss"]
    print(f"  {trainer.name}, rate {rate}: {loss:.4f} nats a word, trained in {seconds:.0f} s", flush=True)
    return loss


def best_rate(rate, loss_at):
    """The rate whose double and half do worse."""
    tried = {}
    while True:
        for near in (rate, rate * 2, rate / 2):
            if near not in tried:
                tried[near] = loss_at(near)
        best = min(tried, key=tried.get)
        if best == rate:
            return rate
        rate = best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build-dir", type=pathlib.Path, default=HERE.parents[1] / "build")
    data = os.environ.get("MLC_TEST_DATA", HERE.parents[2] / "shared" / "data")
    parser.add_argument("--text", type=pathlib.Path, default=pathlib.Path(data) / "tinyshakespeare" / "input.txt")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rate", type=float, default=0.4)
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args()
    words = number_words(options.text.read_text(encoding="utf-8"))
    whole = len(words) * 9 // 10
    part = whole * 9 // 10
    print(f"{CLASSES} classes, {whole} words to train on, {len(words) - whole} held out, {options.epochs} epochs")
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        files = {name: write_rows(scratch / f"{name}.safetensors", words, *ends)
                 for name, ends in {"part": (0, part), "check": (part, whole), "train": (0, whole), "held_out": (whole, len(words))}.items()}
        losses = {}
        for name in ("sampled", "full"):
            trainer = scratch / name
            subprocess.run([options.build_dir / "bin" / "mlc", "compile", HERE / f"words_{name}.mlir", "--cpu=native", "-o", trainer, "--quiet"], check=True)
            print(f"{name}: learning rates, on the last tenth of the training part")
            best = best_rate(options.rate, lambda rate: train(trainer, scratch, files["part"], files["check"], rate, options))
            print(f"{name}: held-out part at rate {best}")
            losses[name] = train(trainer, scratch, files["train"], files["held_out"], best, options)
        print(f"full {losses['full']:.4f}, sampled {losses['sampled']:.4f}, sampled / full {losses['sampled'] / losses['full']:.4f}")


if __name__ == "__main__":
    main()
