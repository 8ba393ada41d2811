# lit's configuration: IR tests and command lines. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib.util
import glob
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(config.mlc_source_dir, "test", "Inputs"))
import mlc_lit

config.name = "mlc"
config.excludes = ["Unit", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mlc_binary_dir, "test")
mlc_lit.use(config, os.path.join(config.mlc_binary_dir, "bin"), config.llvm_tools_dir)
for name in ("MLC_TEST_DATA", "HOME", "LD_LIBRARY_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
for helper in ("cgroup", "compiled", "interrupt"):
    mlc_lit.add_helper(config, helper)
config.substitutions.append(("%{build}", config.mlc_binary_dir))
config.substitutions.append(("%{cxx}", config.cxx))
config.substitutions.append(("%{clang}", os.path.join(config.llvm_tools_dir, "clang")))
config.substitutions.append(("%examples", os.path.join(config.mlc_source_dir, "examples")))
data = os.environ.get("MLC_TEST_DATA", os.path.join(config.mlc_source_dir, "..", "shared", "data"))
config.substitutions.append(("%{data}", data))
if os.path.isdir(data):
    config.available_features.add("test-data")
# Built where clang and its runtime of ThreadSanitizer are (test/Execute/Inputs/queues).
pipeline = os.path.join(config.mlc_binary_dir, "test", "Execute", "Inputs", "queues", "mlc_pipeline")
config.substitutions.append(("%{pipeline}", pipeline))
config.substitutions.append(("%{cluster_tsan}", os.path.join(os.path.dirname(pipeline), "mlc_cluster_tsan")))
config.substitutions.append(("%{operations}", os.environ.get("MLC_TEST_QUEUE_OPERATIONS", "6000")))
# Random models in clusters: a few, or as many as one asks for (docs/testing.md).
config.substitutions.append(("%{random_clusters}", os.environ.get("MLC_TEST_RANDOM_CLUSTERS", "10")))
config.substitutions.append(("%{random_specs}", os.environ.get("MLC_TEST_SPECS", "6")))
if os.path.exists(pipeline + "_tsan"):
    config.available_features.add("thread-sanitizer")
# The same for AddressSanitizer (test/Execute/Inputs/overrun).
overrun = os.path.join(config.mlc_binary_dir, "test", "Execute", "Inputs", "overrun", "mlc_overrun_asan")
config.substitutions.append(("%{overrun}", overrun))
if os.path.exists(overrun):
    config.available_features.add("address-sanitizer")
# Tests compare metrics with it; lit and what it runs share an interpreter.
if importlib.util.find_spec("sklearn"):
    config.available_features.add("scikit-learn")
if importlib.util.find_spec("yaml"):
    config.available_features.add("python-yaml")
# Schemas of manifests (pip install kubernetes-validate).
if importlib.util.find_spec("kubernetes_validate"):
    config.available_features.add("kubernetes-validate")
if importlib.util.find_spec("ray"):  # pip install ray
    config.available_features.add("ray")
# TensorBoard's own reader, from the peers of the benchmarks (benchmarks/setup_peers.sh).
peers = os.path.join(config.mlc_source_dir, "benchmarks", ".venv")
if glob.glob(os.path.join(peers, "lib", "python*", "site-packages", "tensorboard")):
    config.available_features.add("tensorboard")
    config.substitutions.append(("%{peers}", os.path.join(peers, "bin", "python")))
# What assembles PTX for a chip, and says what registers and spills its code has.
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%{ptxas}", ptxas))
# Limits of cgroups, where this process may make groups (as root, in a hierarchy that is mounted to be written).
if subprocess.run([sys.executable, os.path.join(config.mlc_source_dir, "test", "Inputs", "cgroup.py"), "--check"], stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("cgroup")
# Small disks, where this process may mount them in a namespace of its own.
if shutil.which("unshare") and subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("mounts")
# A network that loses packets, where this process may make one.
lossy = "ip link set lo up && tc qdisc add dev lo root tbf rate 8bit burst 1 limit 1"
if "mounts" in config.available_features and subprocess.run(["unshare", "-n", "sh", "-c", lossy], stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("network")
# A Slurm of its own daemons, which want to be root (Debian: slurm-wlm).
if os.geteuid() == 0 and all(shutil.which(program) for program in ("munged", "slurmctld", "slurmd", "sbatch")):
    config.available_features.add("slurm")
