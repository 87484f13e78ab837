# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lossless edits of disks in libvirt domain XML.

    with domxml.Document(text) as document:
        for disk in document.disks():
            if disk.get("driver@cache") == "writethrough":
                disk.set_cache("none", "native")
        print(document.diff("a/web.xml", "b/web.xml"))
        new_text = document.apply()

A document gathers changes; what its disks say is what they will be. Every byte that no change is
about stays as it is. Document.notes() tells what changed besides what was asked for.
"""

import ctypes
import enum
from types import TracebackType
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Type, Union

from ._library import Attr, Error as _Error, Span as _Span, library as _lib, take_bytes

__all__ = ["Code", "Disk", "Document", "DomxmlError", "Position", "is_template", "version"]


class Code(enum.IntEnum):
    """Why something was refused; as enum domxml_code in domxml.h."""

    NO_MEMORY = 1
    EMPTY = 2
    TOO_LARGE = 3
    TOO_DEEP = 4
    ENCODING = 5
    DOCTYPE = 6
    NOT_WELL_FORMED = 7
    ROOT = 8
    NO_DOMAIN = 9
    DISAGREE = 10
    ARGUMENT = 11
    VALUE = 12
    OVERLAP = 13
    REFUSED = 14
    TEMPLATE = 15


class Position(NamedTuple):
    """A place in the text: byte offset, and line and column from 1."""

    offset: int
    line: int
    column: int


class DomxmlError(ValueError):
    """A document or a change that was refused; line and column are 0 where no place applies."""

    def __init__(self, code: int, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"{line}:{column}: {text}" if line else text)
        try:
            self.code: Union[Code, int] = Code(code)
        except ValueError:  # of a newer library
            self.code = code
        self.text = text
        self.line = line
        self.column = column


def version() -> str:
    """The version of the library that runs."""
    return _lib.domxml_version().decode()


def is_template(value: str) -> bool:
    """Whether the value holds a placeholder of a template language."""
    return _lib.domxml_is_template(_encode(value))


def _encode(value: Optional[str]) -> Optional[bytes]:
    if value is None:
        return None
    if "\0" in value:
        raise DomxmlError(Code.VALUE, "XML cannot carry a NUL character")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise DomxmlError(Code.VALUE, "XML cannot carry half a character") from None


def _decode(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode()


def _call(function: str, *arguments: object) -> int:
    """Calls a function whose last argument is a struct domxml_error; false results are raised."""
    error = _Error()
    result = getattr(_lib, function)(*arguments, ctypes.byref(error))
    if not result:
        raise DomxmlError(error.code, error.text.decode(), error.line, error.column)
    return result


def _attributes(source: Mapping[str, str]) -> "ctypes.Array[Attr]":
    pairs = [Attr(_encode(name), _encode(value)) for name, value in source.items()]
    return (Attr * len(pairs))(*pairs)


class Disk:
    """A disk of a document. Valid as long as the document is."""

    def __init__(self, document: "Document", element: int) -> None:
        self._document = document
        self._element = element

    def __repr__(self) -> str:
        return f"<domxml.Disk {self.target}>"

    @property
    def target(self) -> Optional[str]:
        """The target name, such as "vda"."""
        return self.get("target@dev")

    @property
    def bus(self) -> Optional[str]:
        """The bus as written, or None."""
        return self.get("target@bus")

    @property
    def source(self) -> Optional[str]:
        """The image of a file, block or directory disk, or None."""
        return self.get("source@file") or self.get("source@dev") or self.get("source@dir")

    def get(self, path: str) -> Optional[str]:
        """The value at a path ("driver@cache", "source/host@name", "serial"), or None."""
        editor = self._document._editor_pointer()
        return _decode(_lib.domxml_editor_get(editor, self._element, _encode(path)))

    def exists(self) -> bool:
        """Whether the disk was not removed."""
        return bool(_lib.domxml_editor_find(self._document._editor_pointer(), self._element, b""))

    def set_driver(self, name: str, value: Optional[str]) -> None:
        """Sets an attribute of <driver>; None removes it."""
        self._change("domxml_disk_set_driver", _encode(name), _encode(value))

    def set_format(self, image_format: str) -> None:
        """Sets the image format; what described the old image goes."""
        self._change("domxml_disk_set_format", _encode(image_format))

    def set_cache(self, cache: Optional[str], io: Optional[str] = None) -> None:
        """Sets the cache mode and the I/O mode as one pair; None: none written."""
        self._change("domxml_disk_set_cache", _encode(cache), _encode(io))

    def set_source(self, disk_type: str, **source: str) -> None:
        """Sets the image: set_source("file", file="/srv/a.raw")."""
        self._change("domxml_disk_set_source", _encode(disk_type), _attributes(source), len(source))

    def set_bus(self, bus: str) -> None:
        """Moves the disk to "virtio", "scsi", "sata", "usb" or "ide", with all that hangs on it."""
        self._change("domxml_disk_set_bus", _encode(bus))

    def set_discard(self, discard: Optional[str]) -> None:
        """Sets what becomes of discards; None removes that."""
        self._change("domxml_disk_set_discard", _encode(discard))

    def set_detect_zeroes(self, mode: Optional[str]) -> None:
        """Sets what becomes of written zeroes; None removes that."""
        self._change("domxml_disk_set_detect_zeroes", _encode(mode))

    def set_queues(self, queues: Optional[int]) -> None:
        """Sets the number of virtio queues; None removes it."""
        self._change("domxml_disk_set_queues", _number(queues, 32))

    def set_iothread(self, thread: Optional[int]) -> None:
        """Gives the disk to an I/O thread of the domain; None takes it from any."""
        self._change("domxml_disk_set_iothread", _number(thread, 32))

    def set_metadata_cache(self, size: Optional[int]) -> None:
        """Sets the most that QEMU keeps of a qcow2 image's tables, in bytes; None: no limit."""
        self._change("domxml_disk_set_metadata_cache", _number(size, 64))

    def remove_backing_store(self) -> None:
        """Removes <backingStore>."""
        self._change("domxml_disk_remove_backing_store")

    def remove(self) -> None:
        """Removes the disk from the domain."""
        self._change("domxml_disk_remove")

    def _change(self, function: str, *arguments: object) -> None:
        _call(function, self._document._editor_pointer(), self._element, *arguments)


def _number(value: Optional[int], bits: int) -> int:
    if value is None:
        return 0
    if not 0 < value < 1 << bits:
        raise DomxmlError(Code.ARGUMENT, f"{value} is out of range")
    return value


class Document:
    """A document and the changes to it. Free it with close(), or use it in a with statement."""

    def __init__(self, text: Union[str, bytes]) -> None:
        self._doc: Optional[int] = None
        self._editor: Optional[int] = None
        encoded = _encode(text) if isinstance(text, str) else bytes(text)
        assert encoded is not None
        self._text = encoded
        self._doc = _call("domxml_parse", self._text, len(self._text))
        try:
            self._editor = _call("domxml_editor_new", self._doc)
        except DomxmlError:
            self.close()
            raise

    def __enter__(self) -> "Document":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Frees the document; a second time does nothing."""
        if self._editor:
            _lib.domxml_editor_free(self._editor)
        if self._doc:
            _lib.domxml_doc_free(self._doc)
        self._editor = self._doc = None

    def disks(self) -> List[Disk]:
        """The disks that the text has, in order, without those that were removed."""
        pointer = self._doc_pointer()
        count = _lib.domxml_disk_count(pointer)
        disks = [Disk(self, _lib.domxml_disk(pointer, index)) for index in range(count)]
        return [disk for disk in disks if disk.exists()]

    def __iter__(self) -> Iterator[Disk]:
        return iter(self.disks())

    def disk(self, target: str) -> Disk:
        """The disk of that target name; KeyError where there is none."""
        for disk in self.disks():
            if disk.target == target:
                return disk
        raise KeyError(target)

    def get(self, path: str) -> Optional[str]:
        """The value at a path below the domain ("name", "os/type@machine"), or None."""
        return _decode(
            _lib.domxml_editor_get(self._editor_pointer(), self._top(), _encode(path))
        )

    def position(self, path: str) -> Optional[Position]:
        """Where the text has what the path leads to, or None."""
        span = _Span()
        if not _lib.domxml_get_span(self._top(), _encode(path), ctypes.byref(span)):
            return None
        line, column = ctypes.c_int(), ctypes.c_int()
        _lib.domxml_doc_position(
            self._doc_pointer(), span.offset, ctypes.byref(line), ctypes.byref(column)
        )
        return Position(span.offset, line.value, column.value)

    def add_disk(
        self,
        bus: str,
        disk_type: str = "file",
        image_format: Optional[str] = None,
        device: str = "disk",
        source: Optional[Dict[str, str]] = None,
    ) -> Disk:
        """Adds a disk after the last one; disks() has it once the changed text is parsed."""
        attributes = source or {}
        element = _call(
            "domxml_disk_add",
            self._editor_pointer(),
            _encode(device),
            _encode(bus),
            _encode(disk_type),
            _encode(image_format),
            _attributes(attributes),
            len(attributes),
        )
        return Disk(self, element)

    def metadata(self, uri: str, path: str = "") -> Optional[str]:
        """The text of the element of that namespace in <metadata>, or a value below it."""
        editor = self._editor_pointer()
        element = _lib.domxml_metadata_find(editor, _encode(uri))
        if not element:
            return None
        return _decode(_lib.domxml_editor_get(editor, element, _encode(path)))

    def set_metadata(self, uri: str, name: str, text: str) -> None:
        """Sets the text of the element of that namespace, named "prefix:name"."""
        arguments = (_encode(uri), _encode(name), _encode(text))
        _call("domxml_metadata_set", self._editor_pointer(), *arguments)

    def remove_metadata(self, uri: str) -> None:
        """Removes the element of that namespace."""
        _call("domxml_metadata_remove", self._editor_pointer(), _encode(uri))

    def notes(self) -> List[str]:
        """What changed besides what was asked for, and what one must know."""
        editor = self._editor_pointer()
        count = _lib.domxml_editor_note_count(editor)
        return [_lib.domxml_editor_note(editor, index).decode() for index in range(count)]

    def apply(self) -> bytes:
        """The text with all changes."""
        return self._finish("domxml_edits_apply", None)

    def diff(self, old_label: str, new_label: str) -> str:
        """The changes as a unified diff, such as patch -p1 takes; "" where there are none."""
        labels = (_encode(old_label), _encode(new_label))
        return self._finish("domxml_edits_diff", *labels).decode()

    def _finish(self, function: str, *arguments: object) -> bytes:
        edits = _call("domxml_editor_finish", self._editor_pointer())
        length = ctypes.c_size_t()
        try:
            # Applying takes the length before what it may also return, a diff after its labels.
            if function == "domxml_edits_apply":
                rest = (ctypes.byref(length), *arguments)
            else:
                rest = (*arguments, ctypes.byref(length))
            address = _call(function, edits, self._text, len(self._text), *rest)
        finally:
            _lib.domxml_edits_free(edits)
        return take_bytes(address, length.value)

    def _top(self) -> int:
        pointer = self._doc_pointer()
        return _lib.domxml_doc_domain(pointer) or _lib.domxml_doc_root(pointer)

    def _doc_pointer(self) -> int:
        if self._doc is None:
            raise ValueError("the document is closed")
        return self._doc

    def _editor_pointer(self) -> int:
        if self._editor is None:
            raise ValueError("the document is closed")
        return self._editor
