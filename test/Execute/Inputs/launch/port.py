#!/usr/bin/env python3
"""Says who gets the port of this task: a task may listen there, another program gets it neither for itself nor by chance.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import socket

config = json.loads(os.environ["TF_CONFIG"])
host, port = config["cluster"][config["task"]["type"]][config["task"]["index"]].split(":")


def listens(*options):
    with socket.socket() as own:
        for option in options:
            own.setsockopt(socket.SOL_SOCKET, option, 1)
        try:
            own.bind((host, int(port)))
            own.listen()
        except OSError:
            return False
        return True


print("others:", listens(), "tasks:", listens(socket.SO_REUSEADDR), listens(socket.SO_REUSEPORT))
