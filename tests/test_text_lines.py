"""Lines of text by number."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backburner import data
from backburner.data import _files
from backburner.errors import ArgumentError, BackburnerError, DataError, IndexOutOfRange

FILES: dict[str, tuple[bytes, str, list[str]]] = {
    "LF": (b"a\nbc\n", "utf-8", ["a", "bc"]),
    "no end at the end": (b"a\nbc", "utf-8", ["a", "bc"]),
    "CR LF": (b"a\r\nbc\r\n", "utf-8", ["a", "bc"]),
    "a CR within": (b"a\rb\nc\r\r\n", "utf-8", ["a\rb", "c\r"]),
    "blank lines": (b"\n\na\n\n", "utf-8", ["", "", "a", ""]),
    "nothing": (b"", "utf-8", []),
    "one line end": (b"\n", "utf-8", [""]),
    "a mark": ("\ufeffä\nb".encode(), "utf-8", ["ä", "b"]),
    "a mark alone": ("\ufeff".encode(), "utf-8", []),
    "cp1252": ("ä\n€".encode("cp1252"), "cp1252", ["ä", "€"]),
    "UTF-16": ("ä\r\n\u0a0a\n\u0a00".encode("utf-16"), "utf-16", ["ä", "\u0a0a", "\u0a00"]),
    "UTF-16, big end first": ("\ufeffä\n\u0a0a".encode("utf-16-be"), "utf-16", ["ä", "\u0a0a"]),
    "UTF-16 without a mark": ("ä\n\u0a0a".encode("utf-16-be"), "utf-16-be", ["ä", "\u0a0a"]),
    "UTF-32": ("ä\n\U0001f600\n".encode("utf-32"), "utf-32", ["ä", "\U0001f600"]),
}


@pytest.mark.parametrize("block", [4, 1 << 22])
@pytest.mark.parametrize(("content", "encoding", "lines"), FILES.values(), ids=FILES)
def test_lines_are_read_by_number(
    content: bytes,
    encoding: str,
    lines: list[str],
    block: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_files, "BLOCK", block)
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    found = data.TextLines(path, encoding=encoding)
    assert len(found) == len(lines)
    assert (
        [found[i] for i in range(len(lines))] == lines == [found[i - len(lines)] for i in range(len(lines))]
    )
    with pytest.raises(IndexOutOfRange, match=f"TextLines: example {len(lines)} of {len(lines)}"):
        found[len(lines)]
    again = pickle.loads(pickle.dumps(found))
    assert list(again) == lines and repr(again) == f"TextLines({str(path)!r}, {len(lines)} lines)"


@settings(max_examples=50, deadline=None)
@given(
    lines=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\n\ufeff"), max_size=6), max_size=8
    ),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-32-be"]),
    ended=st.booleans(),
)
def test_what_was_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], encoding: str, ended: bool
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_bytes(
        "".join(line + "\n" for line in lines).encode(encoding)[
            : None if ended or not lines else -{"utf-8": 1, "utf-16": 2}.get(encoding, 4)
        ]
    )
    wanted = [line.removesuffix("\r") for line in lines]
    if not ended and lines and not lines[-1]:
        wanted.pop()  # a last line of nothing, not even an end, is none
    assert list(data.TextLines(path, encoding=encoding)) == wanted


def changed(path: Path) -> Any:
    lines = data.TextLines(path)
    path.write_text("longer than before\n")
    return lines[0]


@pytest.mark.parametrize(("wrong", "error", "message"), [
    (changed, DataError, "has changed since it was opened. Open it anew"),
    (lambda path: data.TextLines(path)[1], DataError, "line 2: 'utf-8' codec can't decode byte 0xe4"),
    (lambda path: data.TextLines(path, encoding="utf-9"), ArgumentError, "Python knows no encoding 'utf-9'"),
    (lambda path: data.TextLines(path)[0.5], ArgumentError, "an example is asked for by its number, not by 0.5"),
])  # fmt: skip
def test_what_cannot_be_read_is_told(
    wrong: Any, error: type[BackburnerError], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n\xe4\n")
    with pytest.raises(error, match=f"^TextLines: .*{message}"):
        wrong(path)


def test_lines_go_through_a_loader_with_what_is_not_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"line {i}\n" for i in range(1000)))
    lines = data.TextLines(path)
    loader = data.Loader(data.Mapped(lines, len), 400, workers=2, threads=True)
    assert np.concatenate([batch.numpy() for batch in loader]).tolist() == [
        len(f"line {i}") for i in range(1000)
    ]
    assert len(pickle.dumps(lines)) < 1000 * 9 + 1000  # 8 bytes a line
