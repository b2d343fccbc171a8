"""Records in requests of a size that the server takes, and one report of all requests."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from .answers import AdditionReport
from .server import json_bytes

BATCH_BYTES = 8 * 1024 * 1024
"""
Size of a request, unless one record is larger. The server takes 64 MiB, and reads a request whole before it adds its
pages.
"""


class Additions:
    """Collects records into batches of lines, and adds up the reports of the batches."""

    def __init__(self, batch_bytes: int = BATCH_BYTES) -> None:
        self._batch_bytes = batch_bytes
        self._lines: list[bytes] = []
        self._size = 0
        self._sent = 0
        self.report = AdditionReport()
        """The sum of all reports."""

    def add(self, record: Mapping[str, Any] | str) -> bytes | None:
        """Takes a record. Returns the batch before it, if that is full."""
        # A line end inside of JSON would make two lines, and numbers of lines wrong.
        line = record.strip().replace("\n", " ").encode() if isinstance(record, str) else json_bytes(record)
        full = self.rest() if self._lines and self._size + len(line) >= self._batch_bytes else None
        self._lines.append(line)
        self._size += len(line) + 1
        return full

    def rest(self) -> bytes | None:
        """Returns the last batch, ``None`` if it is empty."""
        lines, self._lines, self._size = self._lines, [], 0
        return b"\n".join(lines) if lines else None

    def count(self, batch: bytes, report: AdditionReport) -> None:
        """Adds the report of a batch to the sum, with the numbers of all lines."""

        def numbered(line: int | None) -> int | None:
            return None if line is None else line + self._sent

        total = self.report
        failures = [dataclasses.replace(each, line=numbered(each.line)) for each in report.failures]
        warnings = [dataclasses.replace(each, line=numbered(each.line)) for each in report.warnings]
        self.report = dataclasses.replace(
            total,
            **{name: getattr(total, name) + getattr(report, name) for name in _COUNTS},
            failures=(*total.failures, *failures),
            warnings=(*total.warnings, *warnings),
            unknown_fields=tuple(dict.fromkeys((*total.unknown_fields, *report.unknown_fields))),
            request_id=report.request_id,
        )
        self._sent += batch.count(b"\n") + 1


_COUNTS = ("read", "added", "revised", "unchanged", "removed", "failed")
