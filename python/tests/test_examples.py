"""The examples print what the documents show."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ADMIN_TOKEN, NODE, ROOT, running_server

from asof_client import Client

EXAMPLE = ROOT / "python/examples/compare_rankings.py"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small archive of the guides."""
    folder = tmp_path_factory.mktemp("archive")
    write: list[str | Path] = [NODE, ROOT / "examples/back-testing/write-archive.ts", folder]
    subprocess.run(write, check=True, stdout=subprocess.DEVNULL)
    return folder


def test_the_comparison_prints_what_the_guide_shows(archive: Path, tmp_path: Path) -> None:
    with running_server(tmp_path / "data", ASOF_KEYLESS_PER_SECOND="1000") as url:
        with Client(url, admin_token=ADMIN_TOKEN) as client, (archive / "archive.jsonl").open() as lines:
            assert client.add_pages(lines).failed == 0
        judged = [archive / "queries.jsonl", archive / "qrels"]
        command: list[str | Path] = [sys.executable, EXAMPLE, *judged, "--url", url, "--runs", tmp_path / "runs"]
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    guide = (ROOT / "docs/python.md").read_text()
    shown = re.search(r"```text\n(realtime .*?)```", guide, re.DOTALL)
    assert shown is not None
    assert printed == shown[1]
    assert len((tmp_path / "runs/pro.run").read_text().splitlines()) > 110
