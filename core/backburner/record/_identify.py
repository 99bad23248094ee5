"""What a file is that is not safetensors."""

from __future__ import annotations

_PYTORCH = "Save it again where PyTorch is, with safetensors.torch.save_file(model.state_dict(), path)."
_REFUSED = "Pickles run code when they are read, so none is read here."

# (offset, magic bytes, what the file is, what to do)
_MAGIC: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"version https://git-lfs", "a Git-LFS pointer, not the weights", "Run `git lfs pull` to fetch them."),
    (0, b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19", "an old PyTorch checkpoint, a pickle", f"{_REFUSED} {_PYTORCH}"),
    (0, b"\x1f\x8b", "gzip-compressed", "Decompress it first."),
    (0, b"BZh", "bzip2-compressed", "Decompress it first."),
    (0, b"\xfd7zXZ\x00", "xz-compressed", "Decompress it first."),
    (0, b"\x28\xb5\x2f\xfd", "zstd-compressed", "Decompress it first."),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file, such as Keras writes", "Read it with h5py and save the arrays with bb.save."),
    (0, b"\x93NUMPY", "a NumPy .npy array", "Read it with np.load."),
    (0, b"GGUF", "a GGUF model", "Convert it to safetensors first."),
    (257, b"ustar", "a tar archive", "Unpack it first."),
)  # fmt: skip

HEAD = 512  # bytes that identify() wants to see


def identify(head: bytes) -> tuple[str, str] | None:
    """Return what the file beginning with ``head`` is, and what to do; ``None`` if that is not known."""
    for offset, magic, what, remedy in _MAGIC:
        if head.startswith(magic, offset):
            return what, remedy
    if head.startswith(b"PK\x03\x04"):
        return _zip(head)
    if head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05":
        return "a pickle", f"{_REFUSED} {_PYTORCH}"
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype", b"<html", b"<head", b"<?xml")):
        return "a web page, not the weights", "The download link led to a page; it may ask for a login."
    if text.startswith((b"{", b"[")):
        remedy = "Read the .safetensors file that goes with it."
        if b"weight_map" in text or b"total_size" in text:
            return "the index of a checkpoint in several files", "Read the .safetensors files that it names."
        return "JSON text", remedy
    return None


def _zip(head: bytes) -> tuple[str, str]:
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    if first.endswith(b".npy"):
        return "a NumPy .npz archive", "Read it with np.load and save the arrays with bb.save."
    if first.endswith((b"data.pkl", b"/version", b"/byteorder", b".format_version", b"/data/0")):
        return "a PyTorch checkpoint, a pickle in a zip archive", f"{_REFUSED} {_PYTORCH}"
    return "a zip archive", "Unpack it first."
