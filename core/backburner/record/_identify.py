"""What a file is that is not safetensors."""

from __future__ import annotations

from backburner.record._format import HEADER_LIMIT

_OLD = "a PyTorch checkpoint of before 0.2, a tar archive"
_AGAIN_OLD = "Load it in Python, pickle.load(file), if you trust it, and save the arrays with bb.save."
_AGAIN = "Load it in PyTorch, torch.load(path, weights_only=False), if you trust it, and save its state_dict again."

# (offset, magic bytes, what the file is, what to do)
_MAGIC: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"version https://git-lfs", "a Git-LFS pointer, not the weights", "Run `git lfs pull` to fetch them."),
    (0, b"\x1f\x8b", "gzip-compressed", "Decompress it first."),
    (0, b"BZh", "bzip2-compressed", "Decompress it first."),
    (0, b"\xfd7zXZ\x00", "xz-compressed", "Decompress it first."),
    (0, b"\x28\xb5\x2f\xfd", "zstd-compressed", "Decompress it first."),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file, such as Keras writes", "Read it with h5py and save the arrays with bb.save."),
    (0, b"\x93NUMPY", "a NumPy .npy array", "Read it with np.load."),
    (0, b"GGUF", "a GGUF model", "Convert it to safetensors first."),
    *((0, head, "a pickle of protocol 0 or 1, as Python 2 wrote them", _AGAIN_OLD)
      for head in (b"(dp", b"(lp", b"}q\0", b"]q\0", b"ccollections\n", b"cnumpy")),
    (0, b"storages".ljust(100, b"\0"), _OLD, _AGAIN),
    (0, b"tensors".ljust(100, b"\0"), _OLD, _AGAIN),
    (0, b"sys_info".ljust(100, b"\0"), _OLD, _AGAIN),
    (0, b"pickle".ljust(100, b"\0"), _OLD, _AGAIN),
    (257, b"ustar", "a tar archive", "Unpack it first."),
)  # fmt: skip

OLD_PYTORCH = b"L119547037146038801333356L\n."  # the magic number of torch.save(pickle_protocol=1) before 1.6
HEAD = 512  # bytes that identify() wants to see


def identify(head: bytes) -> tuple[str, str] | None:
    """Return what the file beginning with ``head`` is, and what to do; ``None`` if that is not known."""
    for offset, magic, what, remedy in _MAGIC:
        if head.startswith(magic, offset):
            return what, remedy
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype", b"<html", b"<head", b"<?xml")):
        return "a web page, not the weights", "The download link led to a page; it may ask for a login."
    if text.startswith((b"{", b"[")):
        return "JSON text", "Read the file of weights that goes with it."
    return None


def is_safetensors(head: bytes) -> bool:
    """Say whether a file may be safetensors: the length of a true header fits the limit, and '{' begins it."""
    return int.from_bytes(head[:8], "little") <= HEADER_LIMIT and head[8:9] == b"{"


def is_pickle(head: bytes) -> bool:
    """Say whether a file is a pickle of protocol 2 or newer, which all say so in their first bytes, or PyTorch's."""
    return (
        head.startswith(OLD_PYTORCH)
        or head[:1] == b"\x80"
        and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
    )
