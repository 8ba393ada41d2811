#!/usr/bin/env python3
# An authority and a certificate of it for 127.0.0.1. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: certificates.py DIRECTORY

Makes authority.pem, task.pem and task.key there, by the command line of OpenSSL.
"""
import os
import subprocess
import sys

KEY = ["openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-batch"]


def make_certificates(directory):
    os.makedirs(directory, exist_ok=True)

    def run(*command):
        subprocess.run(command, check=True, cwd=directory, capture_output=True)

    run(*KEY, "-keyout", "authority.key", "-x509", "-days", "2", "-subj", "/CN=authority", "-out", "authority.pem")
    run(*KEY, "-keyout", "task.key", "-subj", "/CN=task", "-addext", "subjectAltName=IP:127.0.0.1", "-out", "task.csr")
    run("openssl", "x509", "-req", "-days", "2", "-in", "task.csr", "-CA", "authority.pem", "-CAkey", "authority.key",
        "-CAcreateserial", "-copy_extensions", "copy", "-out", "task.pem")
    return ["--tls_certificate", f"{directory}/task.pem", "--tls_key", f"{directory}/task.key", "--tls_authority",
            f"{directory}/authority.pem"]


if __name__ == "__main__":
    make_certificates(sys.argv[1])
