"""Ports of the loopback interface for tasks of a test.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import socket

_held = []


def held_ports(count):
    """That many ports. This process holds them until it ends, by sockets that are bound and do not listen: no other test
    gets one of them, nor does a connection as its own end, while a task may listen there, which asks for SO_REUSEADDR or
    SO_REUSEPORT."""
    ports = []
    for _ in range(count):
        holder = socket.socket()
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            holder.setsockopt(socket.SOL_SOCKET, option, 1)
        holder.bind(("127.0.0.1", 0))
        _held.append(holder)
        ports.append(holder.getsockname()[1])
    return ports
