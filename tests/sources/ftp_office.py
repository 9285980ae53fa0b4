"""An FTP server on this machine that lists as MS-DOS does, and fails as it is told."""

import logging
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.filesystems import AbstractedFS
from pyftpdlib.handlers import DTPHandler, FTPHandler
from pyftpdlib.ioloop import IOLoop
from pyftpdlib.servers import FTPServer

NEVER = 1 << 60


@dataclass
class Office:
    """What the server has, and how it fails."""

    # `faults` gives, one for each file that is asked for, after how many bytes the
    # connection drops. `says` are bytes that the list, or SIZE, gives a file in place
    # of its own.
    folder: Path
    port: int = 0
    faults: list[int] = field(default_factory=list)
    lists: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    more_lines: list[str] = field(default_factory=list)
    written: str = "06-17-24  09:55AM"
    takes_rest: bool = True
    asked: list[tuple[str, int]] = field(default_factory=list)

    @property
    def url(self):
        return f"ftp://127.0.0.1:{self.port}/dissemin/Dados/"

    @property
    def files(self):
        return self.folder / "dissemin" / "Dados"


class Msdos(AbstractedFS):
    def format_list(self, basedir, listing, ignore_err=True):
        office = self.cmd_channel.server.office
        for name in listing:
            path = Path(basedir, name)
            size = office.lists.get(name, path.stat().st_size)
            told = "<DIR>     " if path.is_dir() else f"{size:>20}"
            yield f"{office.written}  {told:>20} {name}\r\n".encode()
        for line in office.more_lines:
            yield f"{line}\r\n".encode()


class Channel(DTPHandler):
    n_left = NEVER

    def send(self, data):
        if self.n_left <= 0:
            self.close()
            return 0
        n_sent = super().send(data[: self.n_left])
        self.n_left -= n_sent
        return n_sent


COMMANDS = {
    command: told
    for command, told in FTPHandler.proto_cmds.items()
    if command not in {"MLSD", "MLST"}
}


class Handler(FTPHandler):
    abstracted_fs = Msdos
    dtp_handler = Channel
    use_sendfile = False
    proto_cmds = COMMANDS

    def ftp_RETR(self, file):  # noqa: N802
        office = self.server.office
        office.asked.append((Path(file).name, self._restart_position))
        Channel.n_left = office.faults.pop(0) if office.faults else NEVER
        return super().ftp_RETR(file)

    def ftp_LIST(self, path):  # noqa: N802
        Channel.n_left = NEVER
        return super().ftp_LIST(path)

    def ftp_REST(self, line):  # noqa: N802
        if self.server.office.takes_rest:
            return super().ftp_REST(line)
        return self.respond("502 Not here.")

    def ftp_SIZE(self, path):  # noqa: N802
        size = self.server.office.sizes.get(Path(path).name)
        return super().ftp_SIZE(path) if size is None else self.respond(f"213 {size}")


@contextmanager
def serving(folder, is_open=True):
    """Serve a folder until the end; without `is_open` no anonymous login is taken."""
    logging.getLogger("pyftpdlib").setLevel(logging.CRITICAL)
    authorizer = DummyAuthorizer()
    if is_open:
        authorizer.add_anonymous(str(folder))
    handler = type("OwnHandler", (Handler,), {"authorizer": authorizer})
    handler.auth_failed_timeout = 0
    loop = IOLoop()
    server = FTPServer(("127.0.0.1", 0), handler, ioloop=loop)
    server.office = Office(Path(folder), server.socket.getsockname()[1])
    over = threading.Event()

    def serve():
        while not over.is_set():
            loop.loop(timeout=0.01, blocking=False)
        server.close_all()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server.office
    finally:
        over.set()
        thread.join()
