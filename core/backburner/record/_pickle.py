"""An interpreter of pickles that builds inert values and runs nothing.

Python's own unpickler imports what a file names and calls it with what the file says. This one knows of nothing
to import: a name is looked up in a table, and what stands there is a function of ours that checks its arguments.
All else that a pickle can do is build numbers, text, bytes and containers of them.

What a hostile file may cost is bounded as well: every operation is paid for out of a budget, integers and keys
have a largest size, and nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from backburner.record._dtypes import Malformed
from backburner.record._machine import INTEGER_BYTES, Global, Machine, check_key, fill


def load(
    data: memoryview,
    position: int,
    find: Callable[[str, str], Global],
    persistent: Callable[[Any], Any],
) -> tuple[Any, int]:
    """Return what the pickle that begins at ``position`` stands for, and where it ends.

    Args:
        data: the bytes.
        position: where to begin.
        find: looks up a module and a name, or raises `Malformed`.
        persistent: gives what an id of the surrounding file stands for, or raises `Malformed`.

    Raises:
        Malformed: the pickle is broken, or wants something that is not to be had here.
    """
    machine = Machine(data, position, find, persistent)
    while True:
        code = machine.take(1)[0]
        if code == STOP:
            return machine.pop(), machine.position
        operation = OPERATION.get(code)
        if operation is None:
            raise Malformed(f"its pickle has the unknown operation {bytes([code])!r}")
        machine.pay(1)
        operation(machine)


def _extend(target: Any, values: list[Any]) -> None:
    if type(target) is not list:
        raise Malformed(f"its pickle appends to a {type(target).__name__}. Nothing was executed")
    target += values


def _add(target: Any, values: list[Any]) -> None:
    if type(target) is not set:
        raise Malformed(f"its pickle adds to a {type(target).__name__}. Nothing was executed")
    target.update(map(check_key, values))


def _integer(digits: str) -> int:
    if len(digits) > 2 * INTEGER_BYTES:
        raise Malformed("its pickle has an integer of too many digits")
    try:
        return int(digits.removesuffix("L"))
    except ValueError:
        raise Malformed("its pickle has an integer that is none") from None


def _protocol(m: Machine) -> None:
    version = m.take(1)[0]
    if version > 5:
        raise Malformed(f"its pickle is of protocol {version}, and 5 is the newest known")


def _int_line(m: Machine) -> None:
    line = m.line()
    m.push({"00": False, "01": True}[line] if line in ("00", "01") else _integer(line))


def _long(m: Machine, size: int) -> None:
    if size > INTEGER_BYTES:
        raise Malformed(f"its pickle has an integer of {size:,} bytes")
    m.push(int.from_bytes(m.take(size), "little", signed=True))


def _float_line(m: Machine) -> None:
    try:
        m.push(float(m.line()))
    except ValueError:
        raise Malformed("its pickle has a float that is none") from None


def _old_text(m: Machine, size: int) -> None:
    """Push the text of a Python 2: text where it is UTF-8, bytes where not."""
    data = bytes(m.take(size))
    try:
        m.push(data.decode("utf-8"))
    except UnicodeDecodeError:
        m.push(data)


def _quoted_line(m: Machine) -> None:
    line = m.line()
    if len(line) < 2 or line[0] != line[-1] or line[0] not in "'\"" or "\\" in line:
        raise Malformed("its pickle has text with escapes, in a form of Python 2")
    m.push(line[1:-1])


def _unicode_line(m: Machine) -> None:
    line = m.line(1 << 20)
    if "\\" in line:
        raise Malformed("its pickle has text with escapes, in a form of protocol 0")
    m.push(line)


def _tuple(m: Machine, count: int) -> None:
    if len(m.stack) < count:
        raise Malformed("its pickle takes more than it made")
    made = tuple(m.stack[-count:])
    del m.stack[-count:]
    m.push(made)


def _dict(m: Machine) -> None:
    made: dict[Any, Any] = {}
    fill(made, m.pop_mark())
    m.push(made)


def _pop(m: Machine) -> None:
    if m.stack:
        m.pop()
    else:
        m.pop_mark()


def _pop_mark(m: Machine) -> None:
    m.pop_mark()


def _frame(m: Machine) -> None:
    m.take(8)  # how long it is says nothing that the operations in it do not


def _mark(m: Machine) -> None:
    m.marks.append(m.stack)
    m.stack = []


def _below(m: Machine, change: Callable[[Any, list[Any]], None]) -> None:
    values = m.pop_mark()
    change(m.top(), values)


def _set_item(m: Machine) -> None:
    value, key = m.pop(), m.pop()
    fill(m.top(), [key, value])


def _append(m: Machine) -> None:
    value = m.pop()
    _extend(m.top(), [value])


def _global(m: Machine) -> None:
    module, name = m.line(), m.line()
    m.push(m.find(module, name))


def _stack_global(m: Machine) -> None:
    name, module = m.pop(), m.pop()
    if type(name) is not str or type(module) is not str:
        raise Malformed("its pickle names a function by something that is not text. Nothing was executed")
    m.push(m.find(module, name))


def _reduce(m: Machine) -> None:
    arguments = m.pop()
    m.call(m.pop(), arguments)


def _new_extended(m: Machine) -> None:
    options, arguments = m.pop(), m.pop()
    if type(options) is not dict or options:
        raise Malformed("its pickle makes an object with options by name, which no weights do")
    m.call(m.pop(), arguments)


def _instance(m: Machine) -> None:
    function = m.find(m.line(), m.line())
    m.call(function, tuple(m.pop_mark()))


def _object(m: Machine) -> None:
    parts = m.pop_mark()
    if not parts:
        raise Malformed("its pickle takes more than it made")
    m.call(parts[0], tuple(parts[1:]))


def _build(m: Machine) -> None:
    state = m.pop()
    target = m.top()
    if not hasattr(target, "set_state"):
        raise Malformed(f"its pickle sets the state of a {type(target).__name__}. Nothing was executed")
    if type(state) is tuple:
        m.charge(state)
    target.set_state(state)


def _persistent(m: Machine) -> None:
    m.push(m.persistent(m.pop()))


def _extension(m: Machine) -> None:
    raise Malformed(
        "its pickle names something by a number of Python's extension registry. Nothing was executed"
    )


def _outside(m: Machine) -> None:
    raise Malformed("its pickle has buffers outside of it, which are not here")


STOP = ord(".")
# The operations by their codes, named as in Python's `pickle`.
OPERATION: Mapping[int, Callable[[Machine], None]] = {
    0x80: _protocol,  # PROTO
    0x95: _frame,  # FRAME
    ord("("): _mark,  # MARK
    ord("0"): _pop,  # POP
    ord("1"): _pop_mark,  # POP_MARK
    ord("2"): lambda m: m.push(m.top()),  # DUP
    ord("N"): lambda m: m.push(None),  # NONE
    0x88: lambda m: m.push(True),  # NEWTRUE
    0x89: lambda m: m.push(False),  # NEWFALSE
    ord("I"): _int_line,  # INT
    ord("J"): lambda m: m.push(m.number("<i")),  # BININT
    ord("K"): lambda m: m.push(m.take(1)[0]),  # BININT1
    ord("M"): lambda m: m.push(m.number("<H")),  # BININT2
    ord("L"): lambda m: m.push(_integer(m.line())),  # LONG
    0x8A: lambda m: _long(m, m.take(1)[0]),  # LONG1
    0x8B: lambda m: _long(m, m.number("<I")),  # LONG4
    ord("F"): _float_line,  # FLOAT
    ord("G"): lambda m: m.push(m.number(">d")),  # BINFLOAT
    ord("S"): _quoted_line,  # STRING
    ord("T"): lambda m: _old_text(m, m.number("<I")),  # BINSTRING
    ord("U"): lambda m: _old_text(m, m.take(1)[0]),  # SHORT_BINSTRING
    ord("V"): _unicode_line,  # UNICODE
    ord("X"): lambda m: m.push(m.text(m.number("<I"))),  # BINUNICODE
    0x8C: lambda m: m.push(m.text(m.take(1)[0])),  # SHORT_BINUNICODE
    0x8D: lambda m: m.push(m.text(m.number("<Q"))),  # BINUNICODE8
    ord("B"): lambda m: m.push(bytes(m.take(m.number("<I")))),  # BINBYTES
    ord("C"): lambda m: m.push(bytes(m.take(m.take(1)[0]))),  # SHORT_BINBYTES
    0x8E: lambda m: m.push(bytes(m.take(m.number("<Q")))),  # BINBYTES8
    0x96: lambda m: m.push(bytes(m.take(m.number("<Q")))),  # BYTEARRAY8
    ord("]"): lambda m: m.push([]),  # EMPTY_LIST
    ord("}"): lambda m: m.push({}),  # EMPTY_DICT
    ord(")"): lambda m: m.push(()),  # EMPTY_TUPLE
    0x8F: lambda m: m.push(set()),  # EMPTY_SET
    ord("l"): lambda m: m.push(m.pop_mark()),  # LIST
    ord("d"): _dict,  # DICT
    ord("t"): lambda m: m.push(tuple(m.pop_mark())),  # TUPLE
    0x85: lambda m: _tuple(m, 1),  # TUPLE1
    0x86: lambda m: _tuple(m, 2),  # TUPLE2
    0x87: lambda m: _tuple(m, 3),  # TUPLE3
    0x91: lambda m: m.push(frozenset(map(check_key, m.pop_mark()))),  # FROZENSET
    ord("a"): _append,  # APPEND
    ord("e"): lambda m: _below(m, _extend),  # APPENDS
    ord("s"): _set_item,  # SETITEM
    ord("u"): lambda m: _below(m, fill),  # SETITEMS
    0x90: lambda m: _below(m, _add),  # ADDITEMS
    ord("g"): lambda m: m.recall(_integer(m.line())),  # GET
    ord("h"): lambda m: m.recall(m.take(1)[0]),  # BINGET
    ord("j"): lambda m: m.recall(m.number("<I")),  # LONG_BINGET
    ord("p"): lambda m: m.remember(_integer(m.line())),  # PUT
    ord("q"): lambda m: m.remember(m.take(1)[0]),  # BINPUT
    ord("r"): lambda m: m.remember(m.number("<I")),  # LONG_BINPUT
    0x94: lambda m: m.remember(len(m.memo)),  # MEMOIZE
    ord("c"): _global,  # GLOBAL
    0x93: _stack_global,  # STACK_GLOBAL
    ord("R"): _reduce,  # REDUCE
    0x81: _reduce,  # NEWOBJ
    0x92: _new_extended,  # NEWOBJ_EX
    ord("i"): _instance,  # INST
    ord("o"): _object,  # OBJ
    ord("b"): _build,  # BUILD
    ord("P"): lambda m: m.push(m.persistent(m.line())),  # PERSID
    ord("Q"): _persistent,  # BINPERSID
    0x82: _extension,  # EXT1
    0x83: _extension,  # EXT2
    0x84: _extension,  # EXT4
    0x97: _outside,  # NEXT_BUFFER
    0x98: _outside,  # READONLY_BUFFER
}
