"""Where a log comes from: a file, standard input, a serial line, a TCP or a telnet port.

    -                      standard input
    build/serial.log       a file (also a named pipe), read to its end
    /dev/ttyUSB0           a serial line, at --baud
    tcp:HOST:PORT          a console server's raw port; telnet:HOST:PORT negotiates

read() yields bytes until the end of a file, or, from a live source, until the caller stops or the
time limit is reached.
"""

import os
import select
import socket
import stat
import sys
import time

from .errors import Finding, Usage

CHUNK = 65536


def is_live(where):
    if where.startswith(("tcp:", "telnet:")):
        return True
    try:
        return stat.S_ISCHR(os.stat(where).st_mode)
    except OSError:
        return False


def check_output(path, log):
    """Usage when what is to be written is the log that is read."""
    if os.path.exists(path) and os.path.exists(log) and os.path.samefile(path, log):
        raise Usage(f"{path}: that is the log itself")


def read(where, baud=115200, limit_s=None):
    """Chunks of bytes from `where`. Finding when the time limit of a live source is reached."""
    if where == "-":
        return _file(sys.stdin.buffer.fileno())
    if os.path.isdir(where):
        raise Usage(f"{where}: a directory, not a log")
    if not is_live(where):
        try:
            return _file(os.open(where, os.O_RDONLY))
        except OSError as error:
            raise Usage(f"{where}: {error.strerror}") from error
    deadline = None if limit_s is None else time.monotonic() + limit_s
    if where.startswith(("tcp:", "telnet:")):
        return _socket(where, deadline)
    return _serial(where, baud, deadline)


def _file(fd):
    while chunk := os.read(fd, CHUNK):
        yield chunk


def _left(deadline):
    """Seconds to wait at most for the next byte."""
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise Finding("time limit reached before the end record came")
    return left


def _serial(where, baud, deadline):
    try:
        import serial
    except ImportError as error:
        raise Usage("a serial line needs pyserial: tools/setup.sh test") from error
    try:
        port = serial.Serial(where, baud, timeout=0)
    except (serial.SerialException, ValueError, OSError) as error:
        raise Usage(f"{where}: {error}") from error
    with port:
        while True:
            if select.select([port.fileno()], [], [], _left(deadline))[0]:
                try:
                    chunk = port.read(CHUNK)
                except serial.SerialException as error:
                    raise Finding(f"{where}: {error}") from error
                if not chunk:
                    return
                yield chunk


def _socket(where, deadline):
    scheme, _, rest = where.partition(":")
    host, _, port = rest.rpartition(":")
    if not host or not port.isdigit():
        raise Usage(f"{where}: expected {scheme}:HOST:PORT")
    try:
        link = socket.create_connection((host.strip("[]"), int(port)), timeout=_left(deadline))
    except OSError as error:
        raise Usage(f"{where}: {error}") from error
    telnet = Telnet() if scheme == "telnet" else None
    with link:
        while True:
            if not select.select([link], [], [], _left(deadline))[0]:
                continue
            try:
                chunk = link.recv(CHUNK)
            except OSError as error:
                raise Finding(f"{where}: {error}") from error
            if not chunk:
                return
            if telnet:
                chunk, answer = telnet.feed(chunk)
                link.sendall(answer)
            yield chunk


class Telnet:
    """Takes telnet's own bytes (RFC 854) out of a stream and refuses every option."""

    IAC, DONT, DO, WONT, WILL, SB, SE = 255, 254, 253, 252, 251, 250, 240

    def __init__(self):
        self._state = "text"
        self._verb = 0

    def feed(self, data):
        """(text, answer to send back)."""
        text, answer = bytearray(), bytearray()
        for byte in data:
            if self._state == "text":
                if byte == self.IAC:
                    self._state = "iac"
                else:
                    text.append(byte)
            elif self._state == "iac":
                self._iac(byte, text)
            elif self._state == "option":
                if self._verb == self.DO:
                    answer += bytes([self.IAC, self.WONT, byte])
                elif self._verb == self.WILL:
                    answer += bytes([self.IAC, self.DONT, byte])
                self._state = "text"
            elif self._state == "sub":
                self._state = "sub iac" if byte == self.IAC else "sub"
            elif self._state == "sub iac":
                self._state = "text" if byte == self.SE else "sub"
        return bytes(text), bytes(answer)

    def _iac(self, byte, text):
        self._state = "text"
        if byte == self.IAC:
            text.append(byte)
        elif byte == self.SB:
            self._state = "sub"
        elif byte in (self.DO, self.DONT, self.WILL, self.WONT):
            self._verb = byte
            self._state = "option"
