# compare.py MODEL DIR: trains mlc's cases of a model in DIR and fails unless they are what tf.estimator did, as recorded: the first
# loss to 1e-6; variables and slots after the first step (with Adam the slot m is a tenth of the gradient) to 1e-5 of each
# element, and 200 losses to 1e-5, or no further from float64 than twice as far as TensorFlow is; metrics at the initial weights
# to 1e-6.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import array
import json
import os
import sys

import cases

CODES = {"F32": "f", "F64": "d"}


def numbers(tensor):
    dtype, _, data = tensor
    return array.array(CODES[dtype], data)


def distance(values, expected):
    """The largest relative one."""
    return max(abs(a - b) / abs(b) for a, b in zip(values, expected, strict=True))


def under(recorded, prefix):
    return {key[len(prefix):]: tensor for key, tensor in recorded.items() if key.startswith(prefix)}


class Checks:
    def __init__(self):
        self.failures = []

    def expect(self, case, what, distance, bound):
        if not distance <= bound:
            self.failures.append(f"{case}: {what}: {distance:.2e}; at most {bound:.2e} is right")


def compare(case, directory, optimize, recorded, metrics, checks):
    trainer = cases.Trainer(case, directory, optimize)
    first_loss = trainer.train(1)
    losses = trainer.train(cases.STEPS)
    initial = trainer.variables(trainer.model_dir(1), 0)
    for name, tensor in under(recorded, case.initial).items():
        if initial[name][2] != tensor[2]:
            raise SystemExit(f"{case.name}: {name} starts with other weights than when TensorFlow was recorded; see record.py")

    expected, exact = numbers(recorded[case.name + "/losses"]), numbers(recorded[case.name + "/losses64"])
    checks.expect(case.name, "first loss", distance(first_loss, expected[:1]), 1e-6)
    near, own, theirs = distance(losses, expected), distance(losses, exact), distance(expected, exact)
    if near > 1e-5:
        checks.expect(case.name, "losses from float64", own, 2 * theirs)

    state = trainer.variables(trainer.model_dir(1), 1)
    right = under(recorded, case.name + "/first64/")
    worst = 0
    for name, tensor in under(recorded, case.name + "/first/").items():
        found, theirs_found = numbers(state[name]), numbers(tensor)
        far = cases.element_distance(found, theirs_found)
        worst = max(worst, far)
        what = f"{name} after the first step"
        if far > cases.ELEMENT_BOUND and name in right:
            exact_found = numbers(right[name])
            checks.expect(case.name, what + ", from float64", cases.element_distance(found, exact_found),
                          2 * cases.element_distance(theirs_found, exact_found))
        else:
            checks.expect(case.name, what, far, cases.ELEMENT_BOUND)

    line = (f"{case.name}: first loss {distance(first_loss, expected[:1]):.1e}, first step {worst:.1e}, losses {near:.1e}, "
            f"from float64 {own:.1e} (TensorFlow {theirs:.1e})")
    if case.name in metrics:
        found = trainer.evaluate(trainer.model_dir(1), 0)
        far = max(abs(found[name] - value) for name, value in metrics[case.name].items())
        checks.expect(case.name, "metrics", far, 1e-6)
        line += f", metrics {far:.1e}"
    print(line)


def main():
    model, directory = sys.argv[1:]
    recorded, metadata = cases.read_safetensors(os.path.join(cases.HERE, "tensorflow.safetensors"))
    checks = Checks()
    # Optimizers and losses are what is compared; code that LLVM optimized has the same results, of which one is a sample.
    for number, case in enumerate(case for case in cases.CASES if case.model == model):
        compare(case, directory, number == 0, recorded, json.loads(metadata["metrics"]), checks)
    sys.exit("\n".join(checks.failures) or 0)


main()
