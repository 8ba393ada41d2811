#!/usr/bin/env python3
# Stops training on GPUs by SIGTERM, and trains as far on the CPU.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: terminated.py DIRECTORY GPUS TRAINER ARGUMENT...

Runs `TRAINER train ARGUMENT...` on so many GPUs, with the model_dir DIRECTORY/gpu, until it says that it has made a step; it must end by SIGTERM with status
143. Then on the CPU with DIRECTORY/cpu, up to the step of the checkpoint that is there.
"""
import pathlib
import signal
import subprocess
import sys


def main():
    directory, gpus, trainer, *arguments = sys.argv[1:]
    command = [trainer, "train", *arguments, "--set", "run_config.log_step_count_steps=1", "--model_dir"]
    # However fast it is, it is not done when it says so.
    running = subprocess.Popen([*command, f"{directory}/gpu", "--gpus", gpus, "--max_steps", "1000000"], stderr=subprocess.PIPE, text=True)
    for line in running.stderr:
        if line.startswith("step"):
            running.send_signal(signal.SIGTERM)
            break
    rest = running.stderr.read()
    if running.wait(timeout=300) != 143:
        sys.exit(f"status {running.returncode}; expected 143\n{rest}")
    last = max(int(path.name.removeprefix("ckpt-")) for path in pathlib.Path(directory, "gpu").glob("ckpt-*"))
    if last == 0:
        sys.exit("no step was saved")
    subprocess.run([*command, f"{directory}/cpu", "--device", "cpu", "--max_steps", str(last), "--quiet"], check=True)


if __name__ == "__main__":
    main()
