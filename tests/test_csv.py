"""CSV files as people have them, and the tables made of them."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import os
import pickle
import tracemalloc
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backburner.data import Column, Table, _csv_source, csv_names, read_csv
from backburner.errors import (
    ArgumentError,
    BackburnerError,
    DataError,
    DTypeError,
    IndexOutOfRange,
    ShapeError,
)

NAN = float("nan")


def contents(table: Table) -> dict[str, list[Any]]:
    """The values of each column, those of categories and texts as text."""
    return {
        name: (column.values if column.kind == "number" else column.strings()).tolist()
        for name, column in table.items()
    }


def same(found: dict[str, list[Any]], wanted: dict[str, list[Any]]) -> None:
    assert list(found) == list(wanted)
    for name in wanted:
        assert repr(found[name]) == repr(wanted[name]), name  # repr, as NaN is not NaN


class Row(NamedTuple):
    """A file, and what it holds: the columns, their kinds by first letter, and options that it takes."""

    text: str | bytes
    columns: dict[str, list[Any]]
    kinds: str
    options: dict[str, Any] = {}


TWICE = {"a": [1.0, 2.0], "b": ["x", "y"]}
FILES = {
    "plain": Row("a,b\n1,x\n2,y\n", TWICE, "nc"),
    "no line end at the end": Row("a,b\n1,x\n2,y", TWICE, "nc"),
    "CR LF": Row("a,b\r\n1,x\r\n2,y\r\n", TWICE, "nc"),
    "CR": Row("a,b\r1,x\r2,y\r", TWICE, "nc"),
    "a byte order mark": Row("\ufeffa,b\n1,x\n2,y\n".encode(), TWICE, "nc"),
    "a mark in text": Row("\ufeffa,b\n1,x\n2,y\n", TWICE, "nc"),
    "a mark before a quote": Row('\ufeff"a",b\n1,x\n2,y\n'.encode(), TWICE, "nc"),
    "UTF-16 with a mark": Row("a,b\n1,x\n2,y\n".encode("utf-16"), TWICE, "nc"),
    "UTF-16 without": Row("a,b\n1,x\n2,y\n".encode("utf-16-le"), TWICE, "nc"),
    "UTF-16, big end first": Row("a,b\n1,x\n2,y\n".encode("utf-16-be"), TWICE, "nc"),
    "UTF-32": Row("a,b\n1,x\n2,y\n".encode("utf-32"), TWICE, "nc"),
    "another encoding, told": Row("ä\n1\n".encode("cp1252"), {"ä": [1.0]}, "n", {"encoding": "cp1252"}),
    "gzip": Row(gzip.compress(b"a,b\n1,x\n2,y\n"), TWICE, "nc"),
    "blank lines": Row("\n  \na,b\n\n1,x\n   \n2,y\n\n\n", TWICE, "nc"),
    "spaces": Row(' a , "b"\n1 ,x \n 2 , "y"\n', TWICE, "nc"),
    "quotes": Row(
        'a,b\n"1","x,y"\n2,"say ""no"""\n3,"two\nlines"\n4,"two\r\nlines, too"\n',
        {"a": [1.0, 2.0, 3.0, 4.0], "b": ["x,y", 'say "no"', "two\nlines", "two\r\nlines, too"]},
        "nt",
    ),
    "a quote inside": Row('a,b\n5" disk,1\nx,2\n', {"a": ['5" disk', "x"], "b": [1.0, 2.0]}, "cn"),
    "semicolons": Row("a;b\n1;x, y\n2;y\n", {"a": [1.0, 2.0], "b": ["x, y", "y"]}, "nc"),
    "tabs": Row("a\tb\n1\tx, y; z\n2\ty\n", {"a": [1.0, 2.0], "b": ["x, y; z", "y"]}, "nc"),
    "bars": Row("a|b\n1|x, y\n2|y\n", {"a": [1.0, 2.0], "b": ["x, y", "y"]}, "nc"),
    "commas around semicolons": Row('a,b\n1,"x; y"\n2,"p; q"\n', {"a": [1.0, 2.0], "b": ["x; y", "p; q"]}, "nc"),
    "a delimiter that is told": Row("a:b\n1:x\n2:y\n", TWICE, "nc", {"delimiter": ":"}),
    "spaces as delimiter": Row("a b\n1 x\n2 y\n", TWICE, "nc", {"delimiter": " "}),
    "a line of spreadsheets": Row("sep=;\na;b\n1;x\n2;y\n", TWICE, "nc"),
    "a line of spreadsheets, saved again": Row('"sep=;;"\na;b\n1;x\n2;y\n', TWICE, "nc"),
    "the end of a text of DOS": Row("a,b\n1,x\n2,y\n\x1a", TWICE, "nc"),
    "names that begin as other formats do": Row("PAR1,ORC\n1,x\n", {"PAR1": [1.0], "ORC": ["x"]}, "nc"),
    "decimal commas": Row(
        "a;b\n1,5;1.234,5\n-2,25;12.345.678\n,5;7\n",
        {"a": [1.5, -2.25, 0.5], "b": [1234.5, 12345678.0, 7.0]},
        "nn",
    ),
    "decimal commas beside dates": Row(
        "a;b\n1,5;01.02.2024\n2;03.02.2024\n", {"a": [1.5, 2.0], "b": ["01.02.2024", "03.02.2024"]}, "nd"
    ),
    "points in a file of semicolons": Row(
        "a;b\n1.5;1,5\n2.25;x\n", {"a": [1.5, 2.25], "b": ["1,5", "x"]}, "nc"
    ),
    "a decimal comma that is told": Row(
        'a,b\n"1,5",1\n"2,5",2\n', {"a": [1.5, 2.5], "b": [1.0, 2.0]}, "nn", {"decimal": ","}
    ),
    "a point that is told": Row("a;b\n1,500;1\n2,500;2\n", {"a": [1500.0, 2500.0], "b": [1.0, 2.0]}, "nn", {"decimal": "."}),
    "thousands": Row('a,b\n"1,234,567.5",1\n"-1,000",2\n', {"a": [1234567.5, -1000.0], "b": [1.0, 2.0]}, "nn"),
    "percent and currency": Row(
        "a;b;c\n12,5 %;1 234,50 €;-$2\n-3%;€ 7;$-3.000\n", {"a": [12.5, -3.0], "b": [1234.5, 7.0], "c": [-2.0, -3000.0]}, "nnn"
    ),
    "as accountants write": Row(
        "a|b|c\n(3.5)|4-|\u22122\n$1|+5|3e2\n", {"a": [-3.5, 1.0], "b": [-4.0, 5.0], "c": [-2.0, 300.0]}, "nnn"
    ),
    "groups of digits": Row(
        "a|b\n1\u202f234\u202f567,5|1'234\n1\xa0000|9’999’999\n",
        {"a": [1234567.5, 1000.0], "b": [1234.0, 9999999.0]},
        "nn",
    ),
    "groups of digits in India": Row("a|b\n12,34,567|1\n1,00,000.5|2\n", {"a": [1234567.0, 100000.5], "b": [1.0, 2.0]}, "nn"),
    "no numbers": Row(
        "a,b,c,d,e\n(3,--3,1 23,007%,1_0%\n4),3-4,0 123,3 kg,-3-\n",
        {"a": ["(3", "4)"], "b": ["--3", "3-4"], "c": ["1 23", "0 123"], "d": ["007%", "3 kg"], "e": ["1_0%", "-3-"]},
        "ccccc",
    ),
    "errors of spreadsheets": Row("a,b\n#DIV/0!,#REF!\n1,x\n", {"a": [NAN, 1.0], "b": ["", "x"]}, "nc"),
    "None": Row("a,b\nNone,None\n1,x\n", {"a": [NAN, 1.0], "b": ["None", "x"]}, "nc"),
    "None, and what is missing is told": Row("a\nNone\n1\n", {"a": ["None", "1"]}, "c", {"missing": [""]}),
    "no thousands": Row('a,b\n"1,23",1\n"1,234",2\n', {"a": ["1,23", "1,234"], "b": [1.0, 2.0]}, "cn"),
    "missing": Row(
        "a,b\n,x\nNA,\nnan,?\nNULL,x\n?,-\n-,y\n1,n/a\n#N/A,y\n",
        {"a": [NAN] * 6 + [1.0, NAN], "b": ["x", "", "", "x", "", "y", "", "y"]},
        "nc",
    ),
    "missing, told": Row("a,b\n-99,x\nNA,x\n", {"a": ["", "NA"], "b": ["x", "x"]}, "cc", {"missing": ["-99"]}),
    "nothing but missing": Row("a,b\n,1\n,2\n", {"a": [NAN, NAN], "b": [1.0, 2.0]}, "nn"),
    "empty cells behind the last column": Row("a,b\n1,x,\n2,y\n1,x, ,\n2,y\n", {"a": [1.0, 2.0, 1.0, 2.0], "b": ["x", "y", "x", "y"]}, "nc"),
    "one column": Row('a\n1\n\n""\n3\n', {"a": [1.0, NAN, 3.0]}, "n"),
    "names alone": Row("a,b\n", {"a": [], "b": []}, "nn"),
    "no names": Row("1,x\n2,y\n", {"column_1": [1.0, 2.0], "column_2": ["x", "y"]}, "nc", {"header": False}),
    "names from elsewhere": Row("1,x\n2,y\n", TWICE, "nc", {"header": ["a", "b"]}),
    "names that occur twice": Row(
        "a,a,,a_2,a\n1,2,3,4,5\n",
        {"a": [1.0], "a_3": [2.0], "column_3": [3.0], "a_2": [4.0], "a_4": [5.0]},
        "nnnnn",
    ),
    "some columns": Row("c,a,b\n9,1,x\n9,2,y\n", TWICE, "nc", {"columns": ["b", "a"]}),
    "comments": Row('# made by\na,b\n1,"x\n# no comment"\n# one\n2,y\n', {"a": [1.0, 2.0], "b": ["x\n# no comment", "y"]}, "nc", {"comment": "#"}),
    "lines in front": Row("made by, him\n\na,b\n1,x\n2,y\n", TWICE, "nc", {"skip_lines": 1}),
    "infinities and powers": Row(
        "a\n1e3\ninf\n-Infinity\n1E-400\n.5\n+2.\n", {"a": [1000.0, np.inf, -np.inf, 0.0, 0.5, 2.0]}, "n"
    ),
    "ids with zeros in front": Row("a,b\n007,0\n010,0.5\n007,00.5\n010,-0\n", {"a": ["007", "010"] * 2, "b": [0.0, 0.5, 0.5, -0.0]}, "cn"),
    "a zero in front after a missing one": Row("a,b\n,1\n007,1\n", {"a": ["", "007"], "b": [1.0, 1.0]}, "cn"),
    "whole numbers that float64 rounds": Row(
        "a,b\n9007199254740993,9007199254740992\n1,12345678901234567890e3\n",
        {"a": ["9007199254740993", "1"], "b": [9007199254740992.0, 1.2345678901234567e22]},
        "cn",
    ),
    "underscores": Row("a,b\n1_000,1\n2_000,1\n", {"a": ["1_000", "2_000"], "b": [1.0, 1.0]}, "cn"),
    "categories in their order": Row("a\nb\na\nb\nc\na\nc\n", {"a": ["b", "a", "b", "c", "a", "c"]}, "c"),
    "too many for categories": Row("a\nx\ny\nz\nx\ny\nz\n", {"a": ["x", "y", "z"] * 2}, "t", {"max_categories": 2}),
    "texts": Row("a\nx\ny\nz\nx\n", {"a": ["x", "y", "z", "x"]}, "t"),
    "kinds that are told": Row(
        "a,b,c\n1,x,007\n2,y,9007199254740993\n3,z,5\n",
        {"a": ["1", "2", "3"], "b": ["x", "y", "z"], "c": [7.0, 9007199254740992.0, 5.0]},
        "tcn",
        {"kinds": {"a": "text", "b": "category", "c": "number"}},
    ),
    "a date that is a category": Row("a\n1.1.2024\n1.1.2024\n", {"a": ["1.1.2024"] * 2}, "c", {"kinds": {"a": "category"}}),
}  # fmt: skip


@pytest.mark.parametrize("cells", [10**6, 1], ids=["in one block", "row by row"])
@pytest.mark.parametrize("row", FILES.values(), ids=FILES)
def test_a_file_is_read_for_what_it_holds(row: Row, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_csv_source, "CELLS", cells)
    monkeypatch.setattr(_csv_source, "LEAST", 1)
    file: Any = io.StringIO(row.text) if isinstance(row.text, str) else io.BytesIO(row.text)
    table = read_csv(file, **row.options)
    same(contents(table), row.columns)
    assert "".join(kind[0] for kind in table.kinds.values()) == row.kinds
    assert len(table) == len(next(iter(row.columns.values())))
    for column in table.values():
        missing = np.isnan(column.values) if column.kind == "number" else column.strings() == ""
        assert column.missing.dtype == np.bool_ and column.missing.tolist() == missing.tolist()


@pytest.mark.parametrize("text", [
    "2024-01-31", "2024/1/31", "31.1.2024", "1/31/24", "31-Jan-2024", "Jan 31, 2024", "2024-01-31 12:00",
    "2024-01-31T12:00:05.123Z", "2024-01-31 12:00:05+01:00", "1/31/2024 12:00 PM",
])  # fmt: skip
def test_a_column_of_dates_stays_text_and_says_that_it_is_dates(text: str) -> None:
    table = read_csv(io.StringIO(f'a,b\n"{text}",1\n,2\n"{text}",3\n'))
    assert table["a"].kind == "date"
    assert table["a"].values.tolist() == [text, "", text] and table["a"].missing.tolist() == [
        False,
        True,
        False,
    ]


@pytest.mark.parametrize("text", ["12:30", "2024-01", "1.2.3.4", "2024-01/31", "20240131a", "2024-01-31x"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert read_csv(io.StringIO(f"a\n{text}\n{text}\n"))["a"].kind == "category"


class Fault(NamedTuple):
    """A file or an option that is refused, the class of the error, and its words."""

    text: str | bytes
    message: str
    options: dict[str, Any] = {}
    error: type[BackburnerError] = DataError


FAULTS = {
    "nothing": Fault("", "the file has no rows"),
    "blank lines alone": Fault("\n \n", "the file has no rows"),
    "a row too long": Fault("a,b\n1,2\n\n3,4,5\n", "line 4: 3 cells where there are 2 columns"),
    "a row too short beside one too long": Fault("a,b\n1,2,\n3\n", "line 3: 1 cells where there are 2 columns"),
    "a row too short": Fault('a,b\n1,"x\ny"\n3\n', "line 4: 1 cells where there are 2 columns"),
    "a row too long, with comments": Fault("#\na,b\n#\n1,2\n1,2,3\n", "line 5: 3 cells where", {"comment": "#"}),
    "a title above the names": Fault("My sheet\na,b\n1,2\n", "line 2: 2 cells below 1 names. Give every row .* delete those above it, .* skip_lines=", {"delimiter": ","}),
    "an open quote": Fault('a,b\n1,"x\n2,y\n', r'line 2: the quote \("\) that opens in this row is never'),
    "an open quote, with comments": Fault('#\na,b\n1,"x\n2,y\n', "line 3: the quote", {"comment": "#"}),
    "an open quote in the names": Fault('a,"b\n1,2\n', "line 1: the quote"),
    "a cell without end": Fault('a,b\n1,"' + "x" * 140_000, "a cell is longer than 131072 characters"),
    "no number": Fault(
        "a,b\n1,2\n\nx,2\n", "line 4: the column 'a' is told to be numbers, and 'x' is none", {"kinds": {"a": "number"}}
    ),
    "another encoding": Fault("a,b\nä,1\n".encode("cp1252"), "is not in utf-8: the byte 0xe4"),
    "half a character": Fault("a,b\nä,1\n".encode("utf-16")[:-1], "is not in utf-16"),
    "zero bytes": Fault(b"a,b\n1,\0\0\n2,3\n3,4\n", "is no text: it has zero bytes"),
    "a spreadsheet": Fault(b"PK\x03\x04...", r"a spreadsheet \(.xlsx\)"),
    "a web page": Fault(b"\n<!DOCTYPE html><p>", "is a web page"),
    "bzip2": Fault(bz2.compress(b"a,b\n1,2\n"), "is compressed with bzip2. Unpack it: bunzip2"),
    "an archive": Fault(b"a.csv".ljust(257, b"\0") + b"ustar\x0000", "is a tar archive. Unpack it"),
    "HDF5": Fault(b"\x89HDF\r\n\x1a\n" + b"\0" * 99, "is an HDF5 file. Write its table as CSV"),
    "JSON": Fault(b'[\n  {"a": 1}]', "is JSON. Write it as CSV"),
    "XML": Fault(b'\xef\xbb\xbf<?xml version="1.0"?>', "is an XML file"),
    "zero bytes that are no UTF-16": Fault(b"\1\0\2\0\3\0" * 9, "is no text: it has zero bytes, the first at byte 1. Take"),
    "a codec of bytes": Fault(b"a\n", "Python knows no encoding 'base64' of text", {"encoding": "base64"}, ArgumentError),
    "a quote between cells": Fault("a\n", "the delimiter is no quote", {"delimiter": '"'}, ArgumentError),
    "a pointer": Fault(b"version https://git-lfs.github.com/spec/v1", "git lfs pull"),
    "half a gzip file": Fault(gzip.compress(b"a,b\n1,2\n" * 99)[:-12], "is a damaged gzip file"),
    "no such column": Fault("aa,b\n1,2\n", r"no column 'a': the columns are 'aa', 'b'. Did you mean 'aa'\?", {"columns": ["a"]}, IndexOutOfRange),
    "no such column to tell of": Fault("aa,b\n1,2\n", "no column 'x'", {"kinds": {"x": "text"}}, IndexOutOfRange),
    "no such kind": Fault("a,b\n1,2\n", "the kind of 'a' is one of number, .*, not 'int'", {"kinds": {"a": "int"}}, ArgumentError),
    "no such encoding": Fault(b"a\n", "Python knows no encoding 'utf-9'", {"encoding": "utf-9"}, ArgumentError),
    "a long delimiter": Fault("a\n", "the delimiter is one character, not '::'", {"delimiter": "::"}, ArgumentError),
    "another decimal mark": Fault("a\n", "decimal is '.' or ',', not 'x'", {"decimal": "x"}, ArgumentError),
    "two commas": Fault("a\n", "cannot be both", {"decimal": ",", "delimiter": ","}, ArgumentError),
    "a negative number of lines": Fault("a\n", "skip_lines is a number of at least 0", {"skip_lines": -1}, ArgumentError),
    "one text": Fault("a\n", "lists of texts", {"missing": "NA"}, ArgumentError),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_what_cannot_be_read_says_why_and_where(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    for cells in (10**6, 1):
        monkeypatch.setattr(_csv_source, "CELLS", cells)
        monkeypatch.setattr(_csv_source, "LEAST", 1)
        file: Any = io.StringIO(fault.text) if isinstance(fault.text, str) else io.BytesIO(fault.text)
        with pytest.raises(fault.error, match=f"^read_csv: .*{fault.message}"):
            read_csv(file, **fault.options)


def test_what_can_be_read_only_once_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for of in (read_csv, csv_names):
        with pytest.raises(DataError, match=r"pipe is a pipe or a device, .* Save it in a file first\.$"):
            of(tmp_path / "pipe")
        with pytest.raises(DataError, match=r"- is no file, and standard input is not read\. Save it"):
            of("-")
        with pytest.raises(ArgumentError, match="the delimiter is no quote"):
            of(tmp_path / "x", delimiter='"')


def test_what_is_neither_path_nor_file_is_refused() -> None:
    with pytest.raises(ArgumentError, match="read_csv: a path or an open file is needed, not a int"):
        read_csv(3)  # type: ignore[arg-type]


def test_a_column_that_turns_out_late_to_be_no_number_keeps_its_first_cells_as_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_csv_source, "CELLS", 100)
    path = tmp_path / "late.csv"
    cells = [f"{i}.50" for i in range(500)] + ["x"]
    path.write_text("a,b\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(cells)))
    table = read_csv(path)
    assert table["a"].values.tolist() == cells and table["a"].kind == "text"
    assert table["b"].values.tolist() == list(range(501))
    codes = read_csv(path, kinds={"a": "category"})["a"]
    assert codes.kind == "category" and codes.strings().tolist() == cells


def test_what_was_not_taken_as_it_stands_is_told() -> None:
    table = read_csv(io.StringIO("a,,a\n1,2,3\n"))
    assert table.notes == (
        "column 2 is named '': it is read as 'column_2'.",
        "column 3 is named 'a' again: it is read as 'a_2'.",
    )
    mixed = read_csv(io.StringIO("a,zip,c\n" + "1,10115,\n" * 20 + "unknown,01067,x\n"))
    assert mixed.notes == (
        "column 'a' is not read as numbers, which most of its cells are, because of 'unknown'. "
        "If that stands for no value, empty those cells, or in Python add it to missing=.",
    )
    assert "such as '1.5', are" in read_csv(io.StringIO("1.5,2,setosa\n2.5,3,rose\n")).notes[0]
    assert "give header=False" in read_csv(io.StringIO("1,2\n3,4\n")).notes[0]
    assert (
        read_csv(io.StringIO("a,b\n3,4\n")).notes == read_csv(io.StringIO("3,4\n"), header=False).notes == ()
    )


def test_what_is_held_beside_the_result_does_not_grow_with_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_csv_source, "CELLS", 1000)
    path = tmp_path / "long.csv"
    n = 20_000
    path.write_text("a,b,c\n" + "".join(f"{i}.123456789,{i % 7},c{i % 5}\n" for i in range(n)))
    tracemalloc.start()
    try:
        table = read_csv(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    held = sum(column.values.nbytes + column.missing.nbytes for column in table.values())
    assert len(table) == n and peak < 2 * held + 500_000, (peak, held)


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8).map(str.strip)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(CELL, CELL, st.floats(allow_nan=False)), min_size=1, max_size=12),
    delimiter=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_pythons_writer_writes_is_read_back(
    rows: list[tuple[str, str, float]], delimiter: str, end: str, encoding: str
) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([("x", "y", "z"), *rows])
    file = io.BytesIO(text.getvalue().encode(encoding))
    options: dict[str, Any] = {"missing": [""], "delimiter": delimiter, "decimal": "."}
    table = read_csv(file, kinds={"x": "text", "y": "category"}, **options)
    wanted = [list(column) for column in zip(*rows, strict=True)]
    same(contents(table), {"x": wanted[0], "y": wanted[1], "z": wanted[2]})


# -- tables ----------------------------------------------------------------------------------------------

TABLE = read_csv(io.StringIO("size,colour,name\n1.5,red,p\n,blue,q\n3,,r\n4,red,s\n5,red,t\n"))


def test_a_table_gives_columns_by_name_and_rows_by_number() -> None:
    assert (len(TABLE), TABLE.names, list(TABLE)) == (
        5,
        ("size", "colour", "name"),
        ["size", "colour", "name"],
    )
    assert "size" in TABLE and "weight" not in TABLE and TABLE.get("weight") is None
    assert repr(TABLE) == "Table(5 rows; size: number, colour: category, name: text)"
    chosen = TABLE.select(["name", "size"])
    assert chosen.names == ("name", "size") and chosen["size"] is TABLE["size"]
    assert TABLE["size"].strings().tolist() == ["1.5", "", "3", "4", "5"]
    for rows in ([3, -4], np.array([3, 1]), [False, True, False, True, False]):
        taken = TABLE.take(rows)
        assert len(taken) == 2 and set(taken["name"].strings().tolist()) == {"q", "s"}
        assert taken["colour"].categories == TABLE["colour"].categories
    assert len(TABLE.take([])) == 0 and len(TABLE.select([])) == 5


@pytest.mark.parametrize(("wrong", "error", "message"), [
    (lambda: TABLE["colour "], IndexOutOfRange, "Table: there is no column 'colour ': .* Did you mean 'colour'"),
    (lambda: TABLE["weight"], KeyError, "the columns are 'size', 'colour', 'name'\\.$"),
    (lambda: TABLE[["size"]], DTypeError, "Table: a column goes by its name, not by a list. Use select"),  # type: ignore[index]
    (lambda: TABLE.select("size"), ArgumentError, "Table.select: names is the text 'size'"),
    (lambda: TABLE.take([5]), IndexOutOfRange, "Table.take: row 5 of 5 rows"),
    (lambda: TABLE.take([0.5]), ArgumentError, "whole numbers or bools, not float64"),
    (lambda: TABLE.take([True]), ShapeError, r"\[1\] bools for 5 rows"),
    (lambda: Table({"a": Column("number", np.zeros(2), np.zeros(2, bool))}, rows=3), ShapeError, "not of one length"),
])  # fmt: skip
def test_what_a_table_does_not_have_is_told(wrong: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        wrong()


def test_a_table_survives_pickling() -> None:
    again = pickle.loads(pickle.dumps(TABLE))
    same(contents(again), contents(TABLE))
    assert again.kinds == TABLE.kinds and again.notes == TABLE.notes


def test_a_column_shows_a_few_of_its_values() -> None:
    table = read_csv(io.StringIO("a;b\n1;x\n;y\n3;x\n4;y\n"))
    assert repr(table["a"]) == "Column(number, 4 values, 1 missing: '1', '', '3', ...)"
    assert repr(table["b"].take(np.arange(2))) == "Column(category, 2 values, 0 missing: 'x', 'y')"
