"""What is tried again, when, and what each failure becomes."""

from __future__ import annotations

import json
import pickle
import socket
import threading
import time
from email.utils import formatdate

import httpx
import pytest
from conftest import Connect, Scripted

from asof_client import AsofError, Client
from asof_client.exchange import read_retry_after

FOUND = json.dumps({"query": "a", "mode": "pro", "results": []}).encode()
BUSY = json.dumps({"error": "overloaded", "message": "Try again."}).encode()


@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_refusal_for_now_is_tried_again_after_its_retry_after(
    connect: Connect, scripted: Scripted, status: int
) -> None:
    waits: list[float] = []
    scripted.answer(status, BUSY, Retry_After="2.5")
    scripted.answer(status, BUSY)
    scripted.answer(200, FOUND)
    answer = connect(scripted.url, title="tests", waits=waits).search("a")
    assert answer.results == ()
    # Without a time the wait grows: it is the second one.
    assert waits == [2.5, 2.0]
    assert [body for *_, body in scripted.asked] == [b'{"query":"a"}'] * 3


def test_there_are_at_most_as_many_tries_as_the_client_may_make(connect: Connect, scripted: Scripted) -> None:
    for _ in range(3):
        scripted.answer(429, BUSY, Retry_After="0", X_Request_Id="request-12345678")
    with pytest.raises(AsofError) as failure:
        connect(scripted.url, title="tests", max_tries=2).search("a")
    assert len(scripted.asked) == 2
    assert (failure.value.status, failure.value.error, str(failure.value)) == (429, "overloaded", "Try again.")
    assert (failure.value.request_id, failure.value.retry_after) == ("request-12345678", 0)


def test_a_wait_that_is_longer_than_the_call_may_take_is_not_waited_for(connect: Connect, scripted: Scripted) -> None:
    waits: list[float] = []
    scripted.answer(503, BUSY, Retry_After="3600")
    with pytest.raises(AsofError) as failure:
        connect(scripted.url, title="tests", waits=waits).search("a")
    assert (failure.value.retry_after, waits) == (3600, [])


@pytest.mark.parametrize("status", [400, 401, 402, 404, 500, 502, 504])
def test_other_refusals_are_not_tried_again(connect: Connect, scripted: Scripted, status: int) -> None:
    details = [{"path": "query", "reason": "is odd"}]
    scripted.answer(status, json.dumps({"error": "odd", "message": "It is odd.", "details": details}).encode())
    with pytest.raises(AsofError) as failure:
        connect(scripted.url, title="tests").search("a")
    assert (failure.value.status, failure.value.error, failure.value.details) == (status, "odd", details)
    assert len(scripted.asked) == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b"<html>"),
        (200, b"[]"),
        (200, b'{"query": "a", "mode": "pro"}'),
        (200, b'{"query": "a", "mode": "pro", "results": {}}'),
        (200, b'{"query": "a", "mode": "pro", "results": [7]}'),
        (404, b"not found"),
        (404, b'{"message": "not found"}'),
        (500, b"[1]"),
    ],
)
def test_what_no_asof_server_sends_is_named_so(connect: Connect, scripted: Scripted, status: int, body: bytes) -> None:
    scripted.answer(status, body)
    with pytest.raises(AsofError, match="not from an asof server") as failure:
        connect(scripted.url, title="tests").search("a")
    assert (failure.value.error, failure.value.status) == ("not_an_answer", status)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(connect: Connect, scripted: Scripted, status: int) -> None:
    scripted.answer(status, b"", Location="https://user:secret@elsewhere.example/")
    with pytest.raises(AsofError, match=r"redirects to https://…@elsewhere\.example/") as failure:
        connect(scripted.url, key="asof_key").search("a")
    assert (failure.value.error, failure.value.status, len(scripted.asked)) == ("redirected", status, 1)


def test_a_server_that_breaks_off_is_an_error(connect: Connect, scripted: Scripted) -> None:
    with pytest.raises(AsofError, match="can't be reached") as failure:
        connect(scripted.url, title="tests").search("a")
    assert (failure.value.error, failure.value.status) == ("connection_failed", None)


def test_an_address_on_which_nothing_listens_is_an_error(connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(AsofError) as failure:
        connect(f"http://127.0.0.1:{port}", title="tests").search("a")
    assert failure.value.error == "connection_failed"


@pytest.fixture
def dripping() -> str:
    """A server that sends a byte of its answer now and then, and never ends it."""
    listening = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        connection, _ = listening.accept()
        with connection, listening:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            try:
                while True:
                    connection.sendall(b" ")
                    time.sleep(0.02)
            except OSError:
                return

    threading.Thread(target=drip, daemon=True).start()
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_an_answer_that_never_ends_is_timed_out(connect: Connect, dripping: str) -> None:
    client = connect(dripping, title="tests").with_timeout(0.3)
    with pytest.raises(AsofError, match=r"did not answer within 0\.3 s") as failure:
        client.search("a")
    assert (failure.value.error, failure.value.status) == ("timed_out", None)


def test_a_server_that_says_nothing_is_timed_out(connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        client = connect(f"http://127.0.0.1:{listening.getsockname()[1]}", title="tests", timeout=0.2)
        with pytest.raises(AsofError) as failure:
            client.search("a")
    assert failure.value.error == "timed_out"


def test_fields_that_are_not_known_are_kept(connect: Connect, scripted: Scripted) -> None:
    result = {"title": "T", "url": "https://a.example/", "description": "", "novelty": 1}
    scripted.answer(200, json.dumps({"query": "a", "mode": "pro", "results": [result], "era": "next"}).encode())
    answer = connect(scripted.url, title="tests").search("a")
    assert (answer.more, answer.results[0].more) == ({"era": "next"}, {"novelty": 1})


def test_a_request_says_who_calls(connect: Connect, scripted: Scripted) -> None:
    scripted.answer(200, FOUND)
    scripted.answer(200, FOUND)
    connect(scripted.url + "/base/", key="asof_key").search("a", sites=["a.example"], query_time=None)
    connect(scripted.url, title="my study").search("a", filter={"at": {"lt": 3}})
    (method, path, headers, body), (_, other_path, other, _) = scripted.asked
    assert (method, path, body) == ("POST", "/base/v1/search", b'{"query":"a","sites":["a.example"]}')
    assert (headers["x-api-key"], headers["accept"]) == ("asof_key", "application/json")
    assert headers["user-agent"].startswith("asof-client/")
    assert (other_path, other["x-service-title"], "x-api-key" in other) == ("/v1/search/public", "my study", False)


def test_values_of_a_query_string_are_written_as_the_server_reads_them(connect: Connect, scripted: Scripted) -> None:
    scripted.answer(200, b'{"url": "u", "content": "c", "title": "t"}')
    connect(scripted.url, title="tests").fetch("https://a.example/?b=c&d", live=True, include=["citation"], prompt=None)
    assert (
        scripted.asked[0][1] == "/v1/fetch/public?url=https%3A%2F%2Fa.example%2F%3Fb%3Dc%26d&live=true&include=citation"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": "127.0.0.1:8787", "title": "t"}, "http or https"),
        ({"url": "ftp://a.example", "title": "t"}, "http or https"),
        ({"url": "https://a.example/?key=1", "title": "t"}, "http or https"),
        ({"url": "https://user:secret@a.example/", "title": "t"}, "user name or password"),
        ({"url": "https://a.example"}, "title is required"),
        ({"url": "https://a.example", "title": "a\nb"}, "title must be printable"),
        ({"url": "https://a.example", "key": "ключ"}, "key must be printable"),
        ({"url": "https://a.example", "key": "k", "max_tries": 0}, "max_tries"),
        ({"url": "https://a.example", "key": "k", "timeout": 0}, "timeout"),
        ({"url": "https://a.example", "key": "k", "timeout": float("nan")}, "timeout"),
    ],
)
def test_a_client_that_could_not_work_is_refused(connect: Connect, options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as failure:
        connect(**options)
    assert "secret" not in str(failure.value)


def test_a_client_of_httpx_is_used_and_left_open(scripted: Scripted) -> None:
    scripted.answer(200, FOUND)
    with httpx.Client(headers={"X-Proxy-Pass": "yes"}) as http:
        with Client(scripted.url, title="tests", http=http) as client:
            client.search("a")
        assert not http.is_closed
    assert scripted.asked[0][2]["x-proxy-pass"] == "yes"


def test_an_error_travels_between_processes() -> None:
    error = AsofError("odd", "It is odd.", status=400, details=[1], request_id="r", retry_after=2.0)
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), vars(copied)) == (str(error), vars(error))


NOW = 1_750_000_000.0


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("-1", None),
        ("soon", None),
        ("1e3", None),
        (formatdate(NOW + 30, usegmt=True), 30.0),
        (formatdate(NOW - 30, usegmt=True), 0.0),
        ("2025-06-15", None),
    ],
)
def test_a_retry_after_is_a_number_of_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert read_retry_after(header, NOW) == seconds
