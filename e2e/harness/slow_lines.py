"""Opens connections that read slowly or send nothing: slow_lines.py HOST PORT SOURCE COUNT REQUEST
A small receive window, which Node cannot set, keeps the answer in the server's buffers. Prints "open" once all
connections are open, and "ended" when the server has ended all of them. They also end with the standard input."""
import select
import socket
import sys
import threading
import time

host, port, source, count, request = sys.argv[1:]


def line():
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    # Small segments, as over radio: the server's kernel buffers less for the connection.
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
    made.bind((source, 0))
    made.connect((host, int(port)))
    made.sendall(request.encode())
    return made


lines = [line() for _ in range(int(count))]
print("open", flush=True)


def leave():
    sys.stdin.read()
    import os

    os._exit(0)


threading.Thread(target=leave, daemon=True).start()
hung_up = select.poll()
# A hang-up is seen without reading the unread bytes.
for one in lines:
    hung_up.register(one, select.POLLHUP | select.POLLERR | select.POLLRDHUP)
left = len(lines)
while left > 0:
    for number, _ in hung_up.poll(1000):
        hung_up.unregister(number)
        left -= 1
    time.sleep(0.01)
print("ended", flush=True)
