"""Records: archives and old checkpoints of PyTorch that are broken, or made to do harm."""

from __future__ import annotations

import os
import pickle
import zipfile
from pathlib import Path

import pytest

from backburner import record
from backburner.errors import RecordError
from records.pickles import (
    archive,
    legacy,
    many,
    mapping,
    named,
    number,
    numbers,
    storage,
    tensor,
    text,
    whole,
)

# -- archives --------------------------------------------------------------------------------------------

GOOD = archive(whole(mapping(w=tensor())))


def central(content: bytes, offset: int, value: bytes, entry: int = 0) -> bytes:
    """Return an archive with bytes of an entry of its directory changed."""
    place = -1
    for _ in range(entry + 1):
        place = content.index(b"PK\1\2", place + 1)
    return content[: place + offset] + value + content[place + offset + len(value) :]


ARCHIVES: dict[str, tuple[bytes, str]] = {
    "two pickles": (archive(whole(b"N"), {"data.pkX": whole(b"N")}, "").replace(b"data.pkX", b"data.pkl"), "two files called 'data.pkl'"),
    "two roots": (archive(whole(b"N"), {"b/data.pkl": whole(b"N")}), "no data.pkl, or several"),
    "overlapping": (central(GOOD, 42, bytes(4), 1), "files in it overlap"),
    "encrypted": (central(GOOD, 8, b"\1\0"), "is encrypted"),
    "bzip2": (archive(whole(b"N"), compression=zipfile.ZIP_BZIP2), r"in a way unknown here \(12\)"),
    "sizes that differ": (central(GOOD, 24, b"\xff\0\0\0"), "in a way unknown here"),
    "beyond the end": (central(GOOD, 42, b"\xff\xff\xff\x7f"), "is not where the directory says"),
    "long beyond the end": (central(central(GOOD, 20, b"\xff\xff\xff\x7f"), 24, b"\xff\xff\xff\x7f"), "is truncated"),
    "a bomb": (
        archive(whole(b"N"), {"data/0": bytes(10**8) * 3}, compression=zipfile.ZIP_DEFLATED),
        r"unpacks to 300,000,[0-9]+ bytes from",
    ),
    "a bomb that lies": (
        central(archive(whole(b"N" * 5000), {}, compression=zipfile.ZIP_DEFLATED), 24, b"\x10\0\0\0"),
        "does not unpack to what the archive says",
    ),
    "broken deflate": (
        central(archive(whole(b"N" * 50), {}, compression=zipfile.ZIP_DEFLATED), 16, b"\1\1\1\1"),
        "does not unpack to what the archive says",
    ),
    "no directory": (b"PK\3\4" + bytes(200), "the directory at the end of the zip archive is missing"),
    "many claimed": (GOOD[:-12] + b"\xff\xff" + GOOD[-10:], "its directory of files is broken"),
    "several disks": (GOOD[:-18] + b"\1\0" + GOOD[-16:], "a part of a zip archive in several files"),
    "byte order": (archive(whole(b"N"), {"byteorder": b"middle"}), "byte order is b'middle'"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ARCHIVES)
def test_an_archive_made_to_do_harm_is_refused(kind: str, tmp_path: Path) -> None:
    content, message = ARCHIVES[kind]
    (tmp_path / "w").write_bytes(content)
    with pytest.raises(RecordError, match=message):
        record.read(tmp_path / "w")


def test_what_is_compressed_is_unpacked_when_it_is_used_and_an_error_names_it(tmp_path: Path) -> None:
    files = {"data/0": bytes(24)}
    content = archive(whole(mapping(w=tensor())), files, compression=zipfile.ZIP_DEFLATED)
    (tmp_path / "w").write_bytes(central(content, 16, b"\1\1\1\1", 1))
    found = record.read(tmp_path / "w")
    with pytest.raises(RecordError, match=f"^record: {tmp_path}/w: tensor 'w': its file '0' is broken"):
        found["w"]


@pytest.mark.parametrize("root", ["", "../../", "/etc/", "a/b/c/", "C:/", "größe/"])
def test_names_in_an_archive_are_no_paths(root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("w").write_bytes(archive(whole(mapping(w=tensor())), root=root))
    assert record.read("w")["w"].shape == (2, 3)
    assert os.listdir(tmp_path) == ["w"]


def test_compressed_entries_and_wide_sizes_are_read(tmp_path: Path) -> None:
    (tmp_path / "w").write_bytes(archive(whole(mapping(w=tensor())), compression=zipfile.ZIP_DEFLATED))
    expected = record.read(tmp_path / "w")["w"].tolist()
    with zipfile.ZipFile(tmp_path / "wide", "w") as made:
        for name, content in {"a/data.pkl": whole(mapping(w=tensor())), "a/data/0": bytes(range(24))}.items():
            with made.open(name, "w", force_zip64=True) as entry:
                entry.write(content)
    content = (tmp_path / "wide").read_bytes()
    assert record.read(tmp_path / "wide")["w"].tolist() == expected
    # the sizes and the place in the directory too, as an archive beyond 4 GB has them
    place, end = content.rindex(b"PK\1\2"), content.rindex(b"PK\5\6")
    entry = content[place:end]
    size, begin = entry[24:28], entry[42:46]
    extra = b"\1\0\x18\0" + b"".join(x + bytes(4) for x in (size, size, begin))
    entry = (
        entry[:20]
        + b"\xff" * 8
        + entry[28:30]
        + len(extra).to_bytes(2, "little")
        + entry[32:42]
        + b"\xff" * 4
        + entry[46:]
        + extra
    )
    start = content.index(b"PK\1\2")
    directory = content[start:place] + entry
    last = (
        b"PK\6\6"
        + (44).to_bytes(8, "little")
        + bytes(12)
        + b"".join(n.to_bytes(8, "little") for n in (2, 2, len(directory), start))
    )
    locator = b"PK\6\7" + bytes(4) + (start + len(directory)).to_bytes(8, "little") + b"\1\0\0\0"
    closing = b"PK\5\6" + bytes(4) + b"\xff" * 12 + bytes(2)
    (tmp_path / "wider").write_bytes(content[:start] + directory + last + locator + closing)
    assert record.read(tmp_path / "wider")["w"].tolist() == expected


LEGACY: dict[str, tuple[bytes, str]] = {
    "no keys": (legacy(whole(mapping(w=tensor())), pickle.dumps([], 2), b""), "its storage '0' is missing"),
    "keys twice": (legacy(whole(mapping(w=tensor())), pickle.dumps(["0", "0"], 2)), "list of storages is broken"),
    "keys of numbers": (legacy(whole(mapping(w=tensor())), pickle.dumps([0], 2)), "list of storages is broken"),
    "an unknown key": (legacy(whole(mapping(w=tensor())), pickle.dumps(["0", "1"], 2), b"\6" + bytes(39)), "its storage '1' has"),
    "another size": (legacy(whole(mapping(w=tensor())), storages=b"\5" + bytes(31)), "has 5 elements, and not 6"),
    "cut short": (legacy(whole(mapping(w=tensor())))[:-1], "it is truncated: 1 bytes or more"),
    "another protocol": (b"".join(pickle.dumps(part, 2) for part in (0x1950A86A20F9469CFC6C, 1002)), "an unknown protocol"),
    "two sizes": (legacy(whole(mapping(w=tensor(), v=tensor(of=storage(size=5), shape=numbers(1), strides=numbers(1))))), "two sizes"),
    "a part beyond": (
        legacy(whole(many(text("storage"), named("torch.FloatStorage"), text("0"), text("cpu"), number(6), many(text("1"), number(4), number(3))) + b"Q")),
        "a part beyond the storage '0'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", LEGACY)
def test_an_old_checkpoint_that_is_broken_says_where(kind: str, tmp_path: Path) -> None:
    content, message = LEGACY[kind]
    (tmp_path / "w").write_bytes(content)
    with pytest.raises(RecordError, match=message):
        record.read(tmp_path / "w")


def test_a_part_of_an_old_storage_begins_where_it_says(tmp_path: Path) -> None:
    part = many(text("1"), number(4), number(2))
    token = many(text("storage"), named("torch.FloatStorage"), text("0"), text("cpu"), number(6), part) + b"Q"
    body = mapping(w=tensor(), v=tensor(numbers(2), numbers(1), of=token))
    (tmp_path / "w").write_bytes(legacy(whole(body)))
    found = record.read(tmp_path / "w")
    assert found["v"].tolist() == found["w"].ravel()[4:].tolist()
