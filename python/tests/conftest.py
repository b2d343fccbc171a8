"""
A real server over a folder that the tests fill, a server that fails as it is told, and both clients behind one
interface.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from asof_client import AsyncClient, Client

ROOT = Path(__file__).parents[2]
NODE = ROOT / "node_modules/.bin/node"
ADMIN_TOKEN = "an-admin-token-for-tests"
SEAL = "2025-03-01T00:00:00.000Z"
TICKET = "https://example.com/price"
TRAM = "https://example.com/tram"
CHAIR = "https://shop.example/chair"
FERRIES = 120

PAGES: list[dict[str, Any]] = [
    {
        "url": TICKET,
        "title": "Tickets",
        "text": "The train ticket costs 20 euros.",
        "published_at": "2025-01-09",
        "acquired_at": "2025-01-10",
        "fields": {"price": 20},
    },
    {
        "url": TICKET,
        "title": "Tickets",
        "text": "The train ticket costs 25 euros.",
        "acquired_at": "2025-06-10",
        "fields": {"price": 25},
    },
    {"url": TRAM, "title": "Tram", "text": "The tram ticket costs 3 euros.", "acquired_at": "2025-02-01"},
    {"url": TRAM, "removed_at": "2025-08-01"},
    {"url": CHAIR, "markdown": "Price: 12 €. It is by Jane.", "acquired_at": "2025-01-20"},
    {"url": CHAIR, "markdown": "# Chair\n\nPrice: 15 €\n\nIt is by **Jane**.", "acquired_at": "2025-06-20"},
    *(
        {
            "url": f"https://ferries.example/{number}",
            "title": f"Ferry {number}",
            "text": "A ferry crosses the river. " + "ferry " * (number % 7) + "timetable " * (number % 5 + 1),
            "acquired_at": "2025-01-01",
        }
        for number in range(FERRIES)
    ),
]


@dataclass(frozen=True)
class RunningServer:
    """A server, and keys of it."""

    url: str
    key: str
    sealed_key: str


@contextmanager
def running_server(data: Path, **environment: str) -> Iterator[str]:
    """Runs ``asof serve`` over a folder, and returns its URL."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("ASOF_")}
    with subprocess.Popen(
        [NODE, ROOT / "transports/cli/main.ts", "serve", "--data", data, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**inherited, "ASOF_ADMIN_TOKEN": ADMIN_TOKEN, **environment},
    ) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            assert line.startswith("listening on "), line
            yield line.removeprefix("listening on ").strip()
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server with :data:`PAGES`, a key, and a key that is sealed at :data:`SEAL`."""
    generous = {"ASOF_KEYLESS_PER_SECOND": "1000", "ASOF_KEYLESS_PER_HOUR": "1000000", "ASOF_ALLOW_PRIVATE": "on"}
    with running_server(tmp_path_factory.mktemp("data"), **generous) as url:
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {ADMIN_TOKEN}"}) as admin:

            def create(what: str, **fields: Any) -> dict[str, str]:
                answer = admin.post(f"/admin/{what}/create", json=fields)
                answer.raise_for_status()
                return cast("dict[str, str]", answer.json())

            organization = create("org", name="Tests", rate_limit=10_000, allowance=1_000_000)["id"]
            workspace = create("workspace", name="Tests", org=organization)["id"]
            key = create("key", workspace=workspace)["key"]
            sealed_key = create("key", workspace=workspace, sealed_at=SEAL)["key"]
        with Client(url, admin_token=ADMIN_TOKEN) as client:
            report = client.add_pages(PAGES)
        assert (report.read, report.added, report.removed, report.failed) == (len(PAGES), len(PAGES) - 1, 1, 0)
        yield RunningServer(url, key, sealed_key)


class Awaited:
    """An asynchronous client whose calls wait, so that a test can use it in place of :class:`Client`."""

    def __init__(self, client: AsyncClient, loop: asyncio.AbstractEventLoop) -> None:
        self.client = client
        self._loop = loop

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self.client, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            answer = method(*args, **kwargs)
            if inspect.isawaitable(answer):
                return self._loop.run_until_complete(answer)
            return Awaited(answer, self._loop)

        return call


Connect = Callable[..., Client]


@pytest.fixture(params=["sync", "async"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connect]:
    """Makes clients of both kinds, with the arguments of :class:`Client`. ``sleep`` notes the waits in a list."""
    loop = asyncio.new_event_loop()
    opened: list[Any] = []

    def make(url: str, *, waits: list[float] | None = None, **options: Any) -> Client:
        noted: list[float] = [] if waits is None else waits
        client: Any
        if request.param == "sync":
            client = Client(url, sleep=noted.append, **options)
        else:

            async def sleep(seconds: float) -> None:
                noted.append(seconds)

            client = Awaited(AsyncClient(url, sleep=sleep, **options), loop)
        opened.append(client)
        return cast("Client", client)

    yield make
    for client in opened:
        client.close()
    loop.close()


@pytest.fixture
def client(connect: Connect, server: RunningServer) -> Client:
    """A client with a key."""
    return connect(server.url, key=server.key)


@pytest.fixture
def keyless(connect: Connect, server: RunningServer) -> Client:
    """A client without a key."""
    return connect(server.url, title="tests")


@pytest.fixture
def admin(connect: Connect, server: RunningServer) -> Client:
    """A client with the admin token."""
    return connect(server.url, admin_token=ADMIN_TOKEN)


@dataclass
class Scripted:
    """What a server answers, one request after the other, and what it was asked."""

    url: str
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    otherwise: tuple[int, dict[str, str], bytes] | None = None
    """The answer when no other one is left. Default: the connection is broken off."""

    def answer(self, status: int, body: bytes = b"{}", **headers: str) -> None:
        """Adds an answer. An underscore in the name of a header stands for a hyphen."""
        self.answers.append((status, {name.replace("_", "-"): value for name, value in headers.items()}, body))


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    """A server on loopback that answers as it is told, and breaks off the connection when nothing is left."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def respond(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            script.asked.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            answer = script.answers.pop(0) if script.answers else script.otherwise
            if answer is None:
                self.close_connection = True
                return
            status, headers, content = answer
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = respond  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            """Is silent."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    script = Scripted(f"http://127.0.0.1:{http.server_port}")
    thread = threading.Thread(target=http.serve_forever, args=[0.01])
    thread.start()
    yield script
    http.shutdown()
    thread.join()
    http.server_close()
