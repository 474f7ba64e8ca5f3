"""Runs that go on as long as a test needs, and what `stave watch` serves of them."""
import contextlib
import json
import os
import socket
import subprocess

import cli
import killing

# Runs as many parallel regions as each line of its input has, and answers; ends with 3.
PROGRAM = r"""
#include <omp.h>
#include <stdio.h>
int main(void) {
  int regions, done = 0;
  while (scanf("%d", &regions) == 1) {
    for (int i = 0; i < regions; i++)
#pragma omp parallel num_threads(2)
    {
#pragma omp critical
      done++;
    }
    printf("%d\n", done);
    fflush(stdout);
  }
  return 3;
}
"""


def program(folder):
    return cli.compile_program(os.path.join(folder, "steps"), PROGRAM)


class Process:
    """One that is talked to by lines; its messages on stderr are kept."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen([str(word) for word in command], env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.messages = []

    def do(self, regions):
        """The program has run so many more."""
        self.process.stdin.write(f"{regions}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def address(self):
        """The address that it prints."""
        for line in self.process.stderr:
            self.messages.append(line)
            if "watch it at " in line:
                return line.split("watch it at ")[1].strip()
        raise AssertionError(f"no address: {self.messages}")

    def finish(self):
        """The input is over: its exit status; its lines are in messages."""
        self.process.stdin.close()
        return self.wait()

    def wait(self):
        self.messages += self.process.stderr.readlines()
        return self.process.wait(timeout=cli.HANG_S)

    def end(self):
        """So that it can remove what is its own."""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.terminate()
        for stream in (self.process.stdout, self.process.stderr):
            stream.read()
            stream.close()
        self.process.wait(timeout=cli.HANG_S)


def port_of(address):
    return int(address.split(":")[2].split("/")[0])


def send_request(port, *lines, ending=b"\r\n\r\n"):
    """What the server answers to these lines of a request, to its end: status and body."""
    with socket.create_connection(("127.0.0.1", port), timeout=cli.HANG_S) as connection:
        connection.sendall("\r\n".join(lines).encode() + ending)
        answer = b""
        while data := connection.recv(1 << 16):
            answer += data
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, body


def get(address, path="", **fields):
    port = port_of(address)
    token = address.rstrip("/").rsplit("/", 1)[1]
    fields.setdefault("Host", f"127.0.0.1:{port}")
    return send_request(port, f"GET /{token}/{path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()))


class News:
    """The server's news, as they come; in a with statement."""

    def __init__(self, address):
        port, token = port_of(address), address.rstrip("/").rsplit("/", 1)[1]
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=cli.HANG_S)
        self.connection.sendall(f"GET /{token}/news HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
        self.lines = self.connection.makefile("r")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.connection.close()

    def wait(self, condition):
        """The first news of which the condition holds."""
        for line in self.lines:
            if line.startswith("data: ") and condition(news := json.loads(line[6:])):
                return news
        raise AssertionError("the server has ended")


def picture(address, news):
    """The first one that the server reports and that is still there when it is requested: the last two are. Its news
    and the page."""
    while True:
        state = news.wait(lambda state: state["picture"])
        status, page = get(address, f"picture-{state['picture']}")
        if status == 200:
            return state, page
        with News(address) as later:
            newest = later.wait(lambda state: state["picture"])["picture"]
        if status != 404 or newest < state["picture"] + 2:
            raise AssertionError(f"picture {state['picture']}: status {status}, the newest is {newest}")


def port_for_tests():
    """A free one that the kernel gives to nobody's connection meanwhile."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        first = int(file.read().split()[0])
    for port in range(first - 1 - os.getpid() % 10000, 1023, -1):
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port
    raise AssertionError(f"no port below {first} is free")


def is_gone(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=cli.HANG_S).close()
    except ConnectionRefusedError:
        return True
    return False


def wait_until_gone(port):
    killing.wait_until(lambda: is_gone(port), "the server's end")
