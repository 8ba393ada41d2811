#!/usr/bin/env python3
# An authority and a certificate of it. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: certificates.py DIRECTORY [--name NAME] [--authority DIRECTORY] [--begin YEAR] [--end YEAR] [--trust FILE]

Makes authority.pem, task.pem and task.key there, by the command line of OpenSSL; with --authority the certificate is of the
one there. NAME is that of the task's host (IP:127.0.0.1); FILE is trusted, too.
"""
import argparse
import os
import pathlib
import shutil
import subprocess

KEY = ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-batch"]
CA = """[ca]
default_ca = here
[here]
database = ./index
serial = ./serial
new_certs_dir = .
default_md = sha256
policy = names
copy_extensions = copy
unique_subject = no
[names]
commonName = supplied
"""


def make_certificates(directory, name="IP:127.0.0.1", authority=None, begin=None, end=None, trust=()):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)

    def run(*command):
        subprocess.run(command, check=True, cwd=directory, capture_output=True)

    if authority:
        for file in ("authority.pem", "authority.key"):
            shutil.copy(pathlib.Path(authority, file), directory / file)
    else:
        run(*KEY, "-keyout", "authority.key", "-x509", "-days", "2", "-subj", f"/CN=authority {directory.name}", "-out",
            "authority.pem")
    (directory / "ca.cnf").write_text(CA)
    (directory / "index").write_text("")
    (directory / "serial").write_text(os.urandom(8).hex())
    run(*KEY, "-keyout", "task.key", "-subj", "/CN=task", "-addext", f"subjectAltName={name}", "-out", "task.csr")
    dates = ["-startdate", f"{begin}0101000000Z"] if begin else []
    dates += ["-enddate", f"{end}0101000000Z"] if end else ["-days", "2"]
    run("openssl", "ca", "-batch", "-notext", "-config", "ca.cnf", "-in", "task.csr", "-out", "task.pem", "-cert", "authority.pem",
        "-keyfile", "authority.key", *dates)
    with open(directory / "authority.pem", "a") as trusted:
        trusted.writelines(pathlib.Path(file).read_text() for file in trust)
    return ["--tls_certificate", f"{directory}/task.pem", "--tls_key", f"{directory}/task.key", "--tls_authority",
            f"{directory}/authority.pem"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("directory")
    parser.add_argument("--name", default="IP:127.0.0.1")
    parser.add_argument("--authority")
    parser.add_argument("--begin")
    parser.add_argument("--end")
    parser.add_argument("--trust", action="append", default=[])
    make_certificates(**vars(parser.parse_args()))
