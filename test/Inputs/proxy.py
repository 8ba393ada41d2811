"""A network between the tasks of a test.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import socket
import struct
import threading


class Proxy:
    """Passes on what comes to an address of its own; `reset` breaks all connections, as a network does that forgets them."""

    def __init__(self, target, host="127.0.0.1", port=0):
        self.host, self.port = target.split(":")
        self.listener = socket.create_server((host, port))
        self.address = f"{host}:{self.listener.getsockname()[1]}"
        self.lock, self.open, self.resets, self.accepted = threading.Lock(), set(), 0, 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:  # closed
                return
            try:
                far = socket.create_connection((self.host, int(self.port)))
                for each in (near, far):
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError:  # one of them is gone already
                near.close()
                continue
            with self.lock:
                self.open.add((near, far))
                self.accepted += 1
            for source, to in ((near, far), (far, near)):
                threading.Thread(target=self.copy, args=(source, to, (near, far)), daemon=True).start()

    def copy(self, source, to, pair):
        try:
            while data := source.recv(1 << 14):
                to.sendall(data)
        except OSError:
            pass
        self.end(pair)

    def end(self, pair):
        with self.lock:
            if pair not in self.open:
                return
            self.open.remove(pair)
        for each in pair:
            try:
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                each.shutdown(socket.SHUT_RD)
            except OSError:
                pass
            each.close()

    def close(self):
        """Nobody listens here any more, and all connections break."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.reset()

    def reset(self):
        with self.lock:
            pairs = list(self.open)
        self.resets += len(pairs)
        for pair in pairs:
            self.end(pair)
