# SPDX-License-Identifier: LGPL-2.1-or-later
"""The C functions of libdomxml, with what they take and return; nothing else knows ctypes."""

import ctypes
import ctypes.util
import os
from ctypes import POINTER, Structure, c_bool, c_char, c_char_p, c_int, c_size_t, c_uint
from ctypes import c_ulonglong, c_void_p


class Error(Structure):
    """struct domxml_error"""

    _fields_ = [
        ("code", c_int),
        ("offset", c_size_t),
        ("line", c_int),
        ("column", c_int),
        ("text", c_char * 256),
    ]


class Attr(Structure):
    """struct domxml_attr"""

    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class Span(Structure):
    """struct domxml_span"""

    _fields_ = [("offset", c_size_t), ("length", c_size_t)]


_ERROR = POINTER(Error)
_SIZE = POINTER(c_size_t)

# Text that the caller frees comes as c_void_p, or ctypes would lose the address.
_PROTOTYPES = {
    "domxml_version": (c_char_p, []),
    "domxml_parse": (c_void_p, [c_char_p, c_size_t, _ERROR]),
    "domxml_doc_free": (None, [c_void_p]),
    "domxml_doc_domain": (c_void_p, [c_void_p]),
    "domxml_doc_root": (c_void_p, [c_void_p]),
    "domxml_disk_count": (c_size_t, [c_void_p]),
    "domxml_disk": (c_void_p, [c_void_p, c_size_t]),
    "domxml_doc_position": (None, [c_void_p, c_size_t, POINTER(c_int), POINTER(c_int)]),
    "domxml_get_span": (c_bool, [c_void_p, c_char_p, POINTER(Span)]),
    "domxml_is_template": (c_bool, [c_char_p]),
    "domxml_editor_new": (c_void_p, [c_void_p, _ERROR]),
    "domxml_editor_free": (None, [c_void_p]),
    "domxml_editor_get": (c_char_p, [c_void_p, c_void_p, c_char_p]),
    "domxml_editor_find": (c_void_p, [c_void_p, c_void_p, c_char_p]),
    "domxml_editor_note_count": (c_size_t, [c_void_p]),
    "domxml_editor_note": (c_char_p, [c_void_p, c_size_t]),
    "domxml_editor_finish": (c_void_p, [c_void_p, _ERROR]),
    "domxml_edits_free": (None, [c_void_p]),
    "domxml_edits_apply": (
        c_void_p,
        [c_void_p, c_char_p, c_size_t, _SIZE, POINTER(c_void_p), _ERROR],
    ),
    "domxml_edits_diff": (
        c_void_p,
        [c_void_p, c_char_p, c_size_t, c_char_p, c_char_p, _SIZE, _ERROR],
    ),
    "domxml_disk_set_driver": (c_bool, [c_void_p, c_void_p, c_char_p, c_char_p, _ERROR]),
    "domxml_disk_set_format": (c_bool, [c_void_p, c_void_p, c_char_p, _ERROR]),
    "domxml_disk_set_cache": (c_bool, [c_void_p, c_void_p, c_char_p, c_char_p, _ERROR]),
    "domxml_disk_set_source": (
        c_bool,
        [c_void_p, c_void_p, c_char_p, POINTER(Attr), c_size_t, _ERROR],
    ),
    "domxml_disk_set_bus": (c_bool, [c_void_p, c_void_p, c_char_p, _ERROR]),
    "domxml_disk_set_discard": (c_bool, [c_void_p, c_void_p, c_char_p, _ERROR]),
    "domxml_disk_set_detect_zeroes": (c_bool, [c_void_p, c_void_p, c_char_p, _ERROR]),
    "domxml_disk_set_queues": (c_bool, [c_void_p, c_void_p, c_uint, _ERROR]),
    "domxml_disk_set_iothread": (c_bool, [c_void_p, c_void_p, c_uint, _ERROR]),
    "domxml_disk_set_metadata_cache": (c_bool, [c_void_p, c_void_p, c_ulonglong, _ERROR]),
    "domxml_disk_remove_backing_store": (c_bool, [c_void_p, c_void_p, _ERROR]),
    "domxml_disk_remove": (c_bool, [c_void_p, c_void_p, _ERROR]),
    "domxml_disk_add": (
        c_void_p,
        [c_void_p, c_char_p, c_char_p, c_char_p, c_char_p, POINTER(Attr), c_size_t, _ERROR],
    ),
    "domxml_metadata_find": (c_void_p, [c_void_p, c_char_p]),
    "domxml_metadata_set": (c_bool, [c_void_p, c_char_p, c_char_p, c_char_p, _ERROR]),
    "domxml_metadata_remove": (c_bool, [c_void_p, c_char_p, _ERROR]),
}


def _load() -> ctypes.CDLL:
    name = os.environ.get("DOMXML_LIBRARY") or ctypes.util.find_library("domxml")
    library = ctypes.CDLL(name or "libdomxml.so.0")
    for function, (result, arguments) in _PROTOTYPES.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


library = _load()

_free = ctypes.CDLL(None).free
_free.restype = None
_free.argtypes = [c_void_p]


def take_bytes(address: int, length: int) -> bytes:
    """The bytes at an address that the library gave away, which is freed."""
    try:
        return ctypes.string_at(address, length)
    finally:
        _free(address)
