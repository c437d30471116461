"""`view`: every item is found, hostile text stays text, and a run being asked can be seen."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import threading
import time
from pathlib import Path

import pytest

from horsesense.api import Run
from horsesense.inference.limits import Limits
from horsesense.models.messages import Response, Usage
from horsesense.models.registry import make_model
from horsesense.report.examples import came_back
from horsesense.report.viewed import RunFolder, Viewed
from horsesense.runs.settings import Settings
from studies import jsonl, run_study

pytest.importorskip("starlette")
pytest.importorskip("httpx")

import httpx
from starlette.testclient import TestClient

from horsesense.report import view_access
from horsesense.report.view_page import app_of

TOKEN = "0a1b2c"
SCRIPT = "</pre><script>alert(1)</script>"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("view")
    rows = [
        {
            "id": f"q{i}",
            "question": f"Which is number {i}?" + SCRIPT * (i == 7),
            "options": [f"answer {i}.{j}" for j in range(4)],
            "answer_index": i % 4,
            "subject": f"subject {i % 2}",
        }
        for i in range(120)
    ]
    items = jsonl(folder / "items.jsonl", rows)
    settings = Settings.of(items=str(items), model="sim:prior?know=0.5")
    return run_study(settings, folder / "run").out


def client(
    run: Path | Viewed | RunFolder, prefix: str = "", base_url: str = "http://127.0.0.1"
) -> TestClient:
    """A browser that opened the address which was told."""
    viewed = Viewed(run) if isinstance(run, Path) else run
    found = TestClient(app_of(viewed, TOKEN, prefix), base_url=base_url)
    found.get(f"{prefix}/?token={TOKEN}")
    return found


def page(found: TestClient, address: str) -> str:
    answer = found.get(address)
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "<script" not in answer.text
    return answer.text


def test_search_and_filters_find_items(run: Path) -> None:
    viewed = Viewed(run)
    viewed.results()
    while viewed.evidence() is None:
        time.sleep(0.01)
    found = client(viewed)
    assert "120 of 120 items; page 1 of 3" in page(found, "/")
    assert "page 3 of 3" in page(found, "/?page=99999")
    assert "1 of 120 items." in page(found, "/?search=ANSWER+77.2")
    assert "60 of 120 items" in page(found, "/?subject=subject+1")
    evidence = viewed.evidence()
    for reason, ids in evidence.holds.items():
        assert f"{len(ids)} of 120 items" in page(found, f"/?reason={reason}")
    never = sum(part == "never" for part in evidence.part.values())
    assert f"{never} of 120 items" in page(found, "/?part=never")


def test_an_item_has_its_prompts_and_replies_and_how_they_ended(run: Path) -> None:
    found = client(run)
    text = page(found, "/items/7")
    assert "&lt;script&gt;" in text
    assert text.count("Reply") >= 10
    assert found.get("/items/120").status_code == 404
    assert found.get("/items/-1").status_code == 404
    assert "&#34;max_tokens&#34;: 16" in text
    assert "ended by stop" in text
    said = Response("A", "length", usage=Usage(12, 3, 1), latency=0.5, served_by="m-1")
    assert came_back(said) == (
        "ended by length; 12 prompt tokens; 3 reply tokens; 1 thought token; 0.50 s; served by m-1"
    )


def test_a_folder_of_runs_has_an_index(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(run, tmp_path / "one & only")
    shutil.copytree(run, tmp_path / "two")
    (tmp_path / "two" / "estimates.json").write_text("{")
    os.mkdir(nameless := os.fsencode(tmp_path) + b"/not \xff")
    shutil.copy(run / "run.toml", nameless + b"/run.toml")
    browser = client(RunFolder(tmp_path), prefix="/runs")
    with monkeypatch.context() as patched:
        patched.setattr("horsesense.report.viewed.PATIENCE", 0)
        early = browser.get("/runs/").text
    assert early.count("not read yet") == 3
    assert 'http-equiv="refresh"' in early
    index = browser.get("/runs/").text
    assert 'http-equiv="refresh"' not in index
    assert "<h1>3 runs</h1>" in index
    assert "The name is not UTF-8" in index
    assert 'href="one%20%26%20only/"' in index
    assert "in every order." in index
    assert "two" in index, "a run that cannot be read hides no other"
    with monkeypatch.context() as patched:
        patched.setattr("horsesense.report.viewed.Results.load", lambda _: 1 / 0)
        assert browser.get("/runs/").text == index, "what was read is kept"
        os.utime(tmp_path / "two" / "estimates.json")
        assert "ZeroDivisionError" in browser.get("/runs/").text
    led = browser.get("/runs/two", follow_redirects=False)
    assert led.headers["location"] == "/runs/two/"
    page = browser.get("/runs/one%20%26%20only/").text
    assert 'href="/runs/one%20%26%20only/items/3"' in page
    assert 'href="/runs/">All runs' in page
    assert "Raw request" in browser.get("/runs/one%20%26%20only/items/3").text
    outside = ("nothing/", "..%2Ftwo/", "%2E%2E/", "nothing/items/1", "two/report/")
    assert {browser.get(f"/runs/{path}").status_code for path in outside} == {404}


def test_other_hosts_are_refused(run: Path) -> None:
    assert client(run, base_url="http://example.org").get("/").status_code == 400


def test_the_token_is_asked_for_and_moves_into_a_cookie(run: Path) -> None:
    stranger = TestClient(app_of(Viewed(run), TOKEN), base_url="http://127.0.0.1")
    stranger.cookies.set("horsesense", TOKEN)
    for address in ("/", "/items/7", "/report", f"/?token={TOKEN}0", "/?token=%ff", "/?token="):
        refused = stranger.get(address)
        assert refused.status_code == 403
        assert "Open the whole address" in refused.text
        assert "Which is number" not in refused.text
    led = stranger.get(f"/items/7?token={TOKEN}&page=2")
    assert 'content="0;url=/items/7?page=2"' in led.text
    assert "Which is number" not in led.text
    assert "HttpOnly; Path=/; SameSite=strict" in led.headers["set-cookie"]
    assert stranger.get("/items/7").status_code == 200
    for path in ("%5Cexample.org", "%09/example.org"):
        assert "=/%" in stranger.get(f"/{path}?token={TOKEN}").text
    elsewhere = stranger.get(f"http://127.0.0.1//example.org?token={TOKEN}")
    assert 'url=/example.org"' in elsewhere.text


@pytest.mark.parametrize("seen", ["", "/runs/a"])
def test_a_proxy_may_take_its_prefix_away_or_leave_it(run: Path, seen: str) -> None:
    found = client(run, "/runs/a")
    [cookie] = found.cookies.jar  # which the browser sends to the proxy
    assert cookie.path == "/runs/a/"
    found.headers["Cookie"] = f"{cookie.name}={cookie.value}"
    found.cookies.clear()
    text = page(found, f"{seen}/?page=2")
    assert set(re.findall(r' (?:href|action)="(/[a-z]*)', text)) == {"/runs"}
    assert page(found, f"{seen}/items/7")
    forwarded = found.get(f"{seen}/", headers={"X-Forwarded-Prefix": "/evil"})
    assert "/evil" not in forwarded.text


def test_connections_that_say_nothing_or_too_much_do_not_stop_it(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_access, "ASKING", 0.3)
    server = view_access.server_of(app_of(Viewed(run), TOKEN))
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    serving = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    serving.start()
    try:
        address = listening.getsockname()
        silent = [socket.create_connection(address) for _ in range(200)]
        for each in silent[::2]:
            with contextlib.suppress(OSError):  # ended already, of too many
                each.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        refused = httpx.get(f"http://127.0.0.1:{address[1]}/", timeout=5)
        assert refused.status_code == 403
        assert len(server.server_state.connections) <= view_access.CONNECTIONS
        silent[-1].settimeout(5)
        with contextlib.suppress(ConnectionError):
            assert silent[-1].recv(1) == b""  # it was not waited for any longer
        for each in silent:
            each.close()
        for host in ("127.0.0.1", "example.org"):
            with socket.create_connection(address) as greedy:
                greedy.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode() * 2)
                answers = b""
                with contextlib.suppress(ConnectionError):
                    while part := greedy.recv(9999):
                        answers += part
                assert answers.count(b"HTTP/1.1 40") == 1, "no other one on this connection"
    finally:
        server.should_exit = True
        serving.join()


def test_what_nothing_expects_is_told_on_the_page(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for page in ("_item", "_report"):
        monkeypatch.setattr(f"horsesense.report.view_page.{page}", lambda *_: 1 / 0)
    for address in ("/items/1", "/report"):
        answer = client(run).get(address)
        assert answer.status_code == 500
        assert "The page ended unexpectedly: ZeroDivisionError" in answer.text


def test_items_are_read_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large run has minutes of them."""
    viewed = Viewed(run)
    monkeypatch.setattr("horsesense.runs.directory.load_stored_items", lambda path: 1 / 0)
    for _ in range(2):
        page(client(viewed), "/?search=1")


def test_nothing_is_written(run: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()}
    found = client(run)
    for address in ("/", "/items/3", "/report"):
        found.get(address)
    after = {path: path.stat().st_mtime_ns for path in run.rglob("*") if path.is_file()}
    changed = {path.name for path in after if after[path] != before.get(path)}
    assert changed <= {"store.sqlite-shm", "store.sqlite-wal"}


def test_a_run_in_progress_shows_its_newest_answers(run: Path, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    begun.mkdir()
    for name in ("items.json", "store.sqlite"):
        (begun / name).write_bytes((run / name).read_bytes())
    record = (run / "run.toml").read_text(encoding="utf-8")
    (begun / "run.toml").write_text(record.replace('"complete"', '"begun"'), encoding="utf-8")
    text = page(client(begun), "/")
    assert re.search(r"Asking goes on. Answers: ([0-9,]+) of \1\.", text)
    assert 'http-equiv="refresh"' in text
    assert "The newest answers" in text
    assert "Not measured yet." in text
    assert "has not been measured yet" in page(client(begun), "/items/3")


def test_how_much_is_left_is_told_while_a_run_is_asked(tmp_path: Path) -> None:
    settings = Settings.of(items="sample", model="sim:prior", probes=("order",))
    run = Run.start(tmp_path, settings)
    run.plan(make_model("sim:prior"))
    assert "Planned; no answer yet." in page(client(tmp_path), "/")
    run.ask(make_model("sim:prior"), limits=Limits(requests=20))
    browser = client(tmp_path)
    assert "Asking was stopped. Answers: 20 of 296." in page(browser, "/")
    run.ask(make_model("sim:prior"), limits=Limits(requests=60))
    assert re.search(r"Answers: 60 of 296, [0-9.,]+/s, .* left\.", page(browser, "/"))
