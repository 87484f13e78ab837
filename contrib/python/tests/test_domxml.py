# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Python module on the real library. $DOMXML_LIBRARY names it where it is not installed."""

import gc
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import domxml

TEXT = """\ufeff<?xml version="1.0"?>
<!-- mine -->
<domain type='kvm'>\r
  <name>a &amp; b</name>
  <os><type machine='pc'>hvm</type></os>
  <devices>
    <disk type="file"   device='disk'>
      <driver name='qemu' type='qcow2' cache="writethrough"/>
      <source file='/srv/a.qcow2' startupPolicy='optional'/>
      <target dev='hda' bus='ide'/>
      <address type='drive' controller='0' bus='0' target='0' unit='0'/>
    </disk>
    <disk type='block' device='disk'>
      <source dev='/dev/vg/b'/>
      <target dev='{{ name }}'/>
    </disk>
  </devices>
</domain>"""


class Reading(unittest.TestCase):
    def test_disks(self) -> None:
        with domxml.Document(TEXT) as document:
            first, second = document
            self.assertEqual((first.target, first.bus), ("hda", "ide"))
            self.assertEqual(first.source, "/srv/a.qcow2")
            self.assertEqual(first.get("driver@cache"), "writethrough")
            self.assertIsNone(first.get("driver@io"))
            self.assertIsNone(second.get("serial"))
            self.assertEqual(second.source, "/dev/vg/b")
            self.assertIs(document.disk("hda").exists(), True)
            with self.assertRaises(KeyError):
                document.disk("vdz")

    def test_domain(self) -> None:
        with domxml.Document(TEXT.encode()) as document:
            self.assertEqual(document.get("name"), "a & b")
            self.assertEqual(document.get("os/type@machine"), "pc")
            position = document.position("os/type@machine")
            self.assertEqual(position[1:], (5, 13))
            self.assertEqual(TEXT.encode()[position.offset:][:7], b"machine")
            self.assertIsNone(document.position("uuid"))

    def test_lone_disk(self) -> None:
        with domxml.Document("<disk><target dev='sda'/></disk>") as document:
            self.assertEqual(document.get("target@dev"), "sda")
            self.assertEqual(len(document.disks()), 1)

    def test_templates(self) -> None:
        self.assertTrue(domxml.is_template("{{ x }}"))
        self.assertFalse(domxml.is_template("vda"))

    def test_version(self) -> None:
        self.assertRegex(domxml.version(), r"^\d+\.\d+\.\d+$")


class Changing(unittest.TestCase):
    def change(self, text: str, function) -> str:
        with domxml.Document(text) as document:
            function(document)
            return document.apply().decode()

    def test_nothing(self) -> None:
        self.assertEqual(self.change(TEXT, lambda document: None), TEXT)
        with domxml.Document(TEXT) as document:
            document.disk("hda").set_cache("writethrough")
            self.assertEqual(document.diff("a/x", "b/x"), "")
            self.assertEqual(document.notes(), [])

    def test_cache(self) -> None:
        changed = self.change(TEXT, lambda document: document.disk("hda").set_cache("none", "native"))
        self.assertEqual(changed, TEXT.replace('cache="writethrough"', 'cache="none" io="native"'))

    def test_source(self) -> None:
        changed = self.change(
            TEXT, lambda document: document.disk("hda").set_source("block", dev="/dev/a&b")
        )
        self.assertIn("<source startupPolicy='optional' dev='/dev/a&amp;b'/>", changed)
        self.assertIn('<disk type="block"   device=', changed)

    def test_bus_and_notes(self) -> None:
        text = TEXT.replace("{{ name }}", "sdb")
        with domxml.Document(text) as document:
            disk = document.disk("hda")
            disk.set_bus("virtio")
            self.assertEqual((disk.target, disk.bus), ("vda", "virtio"))
            self.assertIn("renamed target hda to vda", document.notes())
            self.assertNotIn(b"type='drive'", document.apply())

    def test_settings(self) -> None:
        text = "<disk><driver type='qcow2'/><target dev='vda' bus='virtio'/></disk>"
        with domxml.Document(text) as document:
            disk = document.disks()[0]
            disk.set_discard("unmap")
            disk.set_detect_zeroes("unmap")
            disk.set_queues(4)
            disk.set_iothread(2)
            disk.set_metadata_cache(1 << 40)
            disk.set_driver("x", "y")
            self.assertEqual(disk.get("driver/metadata_cache/max_size"), str(1 << 40))
            disk.set_metadata_cache(None)
            disk.set_queues(None)
            disk.remove_backing_store()
            self.assertEqual(
                document.apply().decode(),
                text.replace(
                    "type='qcow2'",
                    "type='qcow2' discard='unmap' detect_zeroes='unmap' iothread='2' x='y'",
                ),
            )

    def test_format(self) -> None:
        changed = self.change(TEXT, lambda document: document.disk("hda").set_format("raw"))
        self.assertEqual(changed, TEXT.replace("qcow2' cache", "raw' cache"))

    def test_add_and_remove(self) -> None:
        text = TEXT.replace("{{ name }}", "vda")
        with domxml.Document(text) as document:
            added = document.add_disk("virtio", "file", "raw", source={"file": "/srv/c"})
            self.assertEqual(added.target, "vdb")
            added.set_cache("none")
            document.disk("vda").remove()
            self.assertEqual([disk.target for disk in document], ["hda"])
            with domxml.Document(document.apply()) as changed:
                self.assertEqual([disk.target for disk in changed], ["hda", "vdb"])

    def test_metadata(self) -> None:
        with domxml.Document(TEXT) as document:
            self.assertIsNone(document.metadata("urn:m"))
            document.set_metadata("urn:m", "m:note", "<1>")
            self.assertEqual(document.metadata("urn:m"), "<1>")
            self.assertIn(b"<m:note xmlns:m='urn:m'>&lt;1&gt;</m:note>", document.apply())
            document.remove_metadata("urn:m")
            self.assertEqual(document.apply().decode(), TEXT)

    @unittest.skipUnless(shutil.which("patch"), "no patch")
    def test_patch_takes_the_diff(self) -> None:
        with tempfile.TemporaryDirectory() as folder, domxml.Document(TEXT) as document:
            path = Path(folder, "web.xml")
            path.write_bytes(TEXT.encode())
            document.disk("hda").set_cache("none", "native")
            subprocess.run(
                ["patch", "-s", "-p1", "--binary"],
                cwd=folder,
                input=document.diff("a/web.xml", "b/web.xml").encode(),
                check=True,
            )
            self.assertEqual(path.read_bytes(), document.apply())


class Failing(unittest.TestCase):
    def refuse(self, code: domxml.Code, function, *arguments) -> domxml.DomxmlError:
        with self.assertRaises(domxml.DomxmlError) as caught:
            function(*arguments)
        self.assertEqual(caught.exception.code, code)
        self.assertTrue(caught.exception.text)
        return caught.exception

    def test_documents(self) -> None:
        self.refuse(domxml.Code.EMPTY, domxml.Document, "")
        self.refuse(domxml.Code.ROOT, domxml.Document, "<network/>")
        self.refuse(domxml.Code.VALUE, domxml.Document, "<domain>\0</domain>")
        self.refuse(domxml.Code.DOCTYPE, domxml.Document, "<!DOCTYPE domain><domain/>")
        error = self.refuse(domxml.Code.NOT_WELL_FORMED, domxml.Document, "<domain>\n <a></b>")
        self.assertEqual(error.line, 2)
        self.assertGreater(error.column, 1)
        self.assertIn("2:", str(error))

    def test_changes_leave_no_trace(self) -> None:
        with domxml.Document(TEXT) as document:
            disk = document.disk("hda")
            self.refuse(domxml.Code.REFUSED, disk.set_cache, "writeback", "native")
            self.refuse(domxml.Code.ARGUMENT, disk.set_bus, "none")
            self.refuse(domxml.Code.TEMPLATE, disk.set_bus, "virtio")
            self.refuse(domxml.Code.REFUSED, disk.set_queues, 4)
            self.refuse(domxml.Code.ARGUMENT, disk.set_queues, -1)
            self.refuse(domxml.Code.ARGUMENT, disk.set_queues, 1 << 32)
            self.refuse(domxml.Code.VALUE, disk.set_driver, "x", "\x01")
            self.refuse(domxml.Code.VALUE, disk.set_driver, "x", "a\0b")
            self.refuse(domxml.Code.VALUE, disk.set_driver, "x", "\ud800")
            self.refuse(domxml.Code.TEMPLATE, document.add_disk, "virtio", "file", "raw", "disk",
                        {"file": "/a"})
            self.assertEqual(document.apply().decode(), TEXT)

    def test_use_after_close(self) -> None:
        document = domxml.Document(TEXT)
        disk = document.disks()[0]
        document.close()
        document.close()
        with self.assertRaises(ValueError):
            disk.get("target@dev")
        with self.assertRaises(ValueError):
            document.apply()

    def test_disk_keeps_its_document(self) -> None:
        disk = domxml.Document(TEXT).disks()[0]
        gc.collect()
        self.assertEqual(disk.target, "hda")

    def test_threads(self) -> None:
        results = []

        def work() -> None:
            for _ in range(50):
                with domxml.Document(TEXT) as document:
                    document.disk("hda").set_cache("none")
                    results.append(document.apply())

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((len(results), len(set(results))), (400, 1))


if __name__ == "__main__":
    unittest.main()
