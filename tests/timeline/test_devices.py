#!/usr/bin/python3
"""Devices that record themselves on the page of stave timeline: test_devices.py BUILD [unittest arguments]."""
import unittest

import otf2.enums as otf2
import page_case
import pictured

CALL = 1 << 62  # as libstave-cuda.so numbers calls


def write_devices(path):
    """The host submits a kernel and a copy; then it waits until the kernel is done."""
    with pictured.Archive(path, ["Master thread"], ["Device 0 stream 7", "Device 0 stream 8"],
                          are_timed=True) as archive:
        define = archive.definitions
        main, launch, copy, wait = (archive.region(name) for name in
                                    ("main", "cuLaunchKernel", "cuMemcpyHtoDAsync_v2", "cuStreamSynchronize"))
        kernel = archive.region("!$omp target kernel @app.c:9", line=9)
        number = define.attribute("matching id", "", otf2.Type.UINT64)
        waited = define.attribute("waited by", "", otf2.Type.UINT64)
        window = define.rma_win("device", archive.team)
        host, first, second = archive.writers
        host.enter(0, main)
        host.enter(1000, launch, attributes={number: CALL | 1})
        host.leave(1100, launch)
        host.enter(1200, copy, attributes={number: CALL | 2})
        host.leave(1300, copy)
        host.enter(2000, wait, attributes={number: CALL | 3})
        first.enter(1500, kernel, attributes={number: CALL | 1})
        second.rma_get(2500, window, 0, 4000000, CALL | 2)
        second.rma_op_complete_blocking(3500, window, CALL | 2)
        first.leave(6000, kernel, attributes={waited: CALL | 3})
        host.leave(6100, wait)
        host.leave(10000, main)


def write_steps(path, steps=6):
    """A step: a target construct copies an array to the device, computes and copies it back; then the host works."""
    with pictured.Archive(path, ["Master thread"], ["Device 0 stream 13", "Device 0 stream 14"],
                          are_timed=True) as archive:
        define = archive.definitions
        names = {"target": "!$omp target @heat.c:31", "to": "!$omp target transfer to device @heat.c:31",
                 "submit": "!$omp target submit @heat.c:31", "back": "!$omp target transfer from device @heat.c:31"}
        region = {key: archive.region(name, line=31) for key, name in names.items()}
        kernel = archive.region("!$omp target kernel @heat.c:31", line=31)
        calls = {name: define.region(name, name, "", otf2.RegionRole.WRAPPER, otf2.Paradigm.CUDA)
                 for name in ("cuMemcpyHtoDAsync_v2", "cuLaunchKernel", "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize")}
        program = define.region("heat", "heat", "", otf2.RegionRole.ARTIFICIAL, otf2.Paradigm.MEASUREMENT_SYSTEM)
        number = define.attribute("matching id", "", otf2.Type.UINT64)
        waited = define.attribute("waited by", "", otf2.Type.UINT64)
        memory = define.attribute("host memory", "", otf2.Type.STRING)
        window = define.rma_win("device", archive.team)
        host, *streams = archive.writers
        host.enter(0, program)
        for step in range(steps):
            begin, base, device = 10000 * step, 4 * step, streams[step % 2]
            host.enter(begin, region["target"])
            for i, (key, name, at) in enumerate((("to", "cuMemcpyHtoDAsync_v2", 100),
                                                 ("submit", "cuLaunchKernel", 400),
                                                 ("back", "cuMemcpyDtoHAsync_v2", 700))):
                host.enter(begin + at, region[key])
                host.enter(begin + at + 50, calls[name], attributes={number: CALL | base + i})
                host.leave(begin + at + 200, calls[name])
                host.leave(begin + at + 250, region[key])
            host.enter(begin + 1000, calls["cuStreamSynchronize"], attributes={number: CALL | base + 3})
            device.rma_get(begin + 250, window, 0, 8000000, CALL | base)
            device.rma_op_complete_blocking(begin + 1750, window, CALL | base, attributes={memory: "pageable"})
            device.enter(begin + 1760, kernel, attributes={number: CALL | base + 1})
            device.leave(begin + 5200, kernel)
            device.rma_put(begin + 5210, window, 0, 8000000, CALL | base + 2)
            device.rma_op_complete_blocking(begin + 6600, window, CALL | base + 2,
                                            attributes={memory: "pageable", waited: CALL | base + 3})
            host.leave(begin + 6620, calls["cuStreamSynchronize"])
            host.leave(begin + 6650, region["target"])
        host.leave(10000 * steps, program)


def write_helpers(path):
    """Two threads of the program's, and three that the runtime has for itself, of which one runs a target task."""
    helpers = [f"OMP hidden helper {i}" for i in range(3)]
    with pictured.Archive(path, ["Master thread", "OMP thread 1", *helpers]) as archive:
        define = archive.definitions
        own = define.comm("own", define.group("own", otf2.GroupType.COMM_GROUP, otf2.Paradigm.OPENMP,
                                              members=archive.locations[2:]))
        target, main = archive.region("!$omp target @app.c:9", line=9), archive.region("main")
        archive.slice(0, 0, 9000, main)
        archive.slice(1, 0, 9000, main)
        for writer in archive.writers[2:]:
            writer.thread_team_begin(0, own)
        archive.slice(3, 2000, 5000, target)
        for writer in archive.writers[2:]:
            writer.thread_team_end(9000, own)


class Helpers(page_case.PageTest):
    """Threads that the OpenMP runtime has for itself are one line, until somebody looks into them."""
    LINE = "3 threads of the runtime's"

    def setUp(self):
        self.open("helpers", write_helpers)

    def shown(self):
        return self.browser.evaluate("""[stave.layout.rows.filter(({isHidden}) => !isHidden).map(({row}) => row.name),
            stave.layout.groups.map(({group, isFolded}) => [group.name, isFolded])]""")

    def test_are_one_line(self):
        self.assertEqual(self.shown(), [["Master thread", "OMP thread 1"], [[self.LINE, True]]])
        tops = self.browser.evaluate("[stave.layout.groups[0].y, ...stave.layout.rows.slice(0, 2).map(({y}) => y)]")
        self.assertEqual(max(tops), tops[0])

    def test_can_be_unfolded(self):
        self.browser.evaluate("stave.layout.toggleGroup(0)")
        helpers = [f"OMP hidden helper {i}" for i in range(3)]
        self.assertEqual(self.shown(), [["Master thread", "OMP thread 1", *helpers], [[self.LINE, False]]])

    def test_the_address_has_it(self):
        self.assertNotIn("turned", self.browser.evaluate("location.hash"))
        self.browser.evaluate("stave.layout.toggleGroup(0)")
        self.assertEqual(self.browser.evaluate("stave.layout.isFoldedAtFirst(stave.layout.groups[0].group)"), True)

    def test_are_unfolded_for_what_is_found_there(self):
        self.assertTrue(self.browser.evaluate("stave.layout.unfold(3)"))
        self.assertIn("OMP hidden helper 1", self.shown()[0])

    def test_no_page_of_one_process_has_a_choice_of_processes(self):
        self.assertNotIn("process", self.browser.evaluate("Object.keys(stave.model.groupings)"))


class Devices(page_case.PageTest):
    def setUp(self):
        self.open("devices", write_devices)

    def number_of(self, name):
        return self.browser.evaluate(f"stave.model.rows.findIndex(({{name}}) => name === '{name}')")

    def test_come_first(self):
        names = self.browser.evaluate("stave.model.rows.map(({name}) => name)")
        self.assertEqual(names, ["Device 0 stream 7", "Device 0 stream 8", "Master thread"])

    def test_arrows_from_calls(self):
        found = self.browser.evaluate("""stave.model.launches.map(({from, to, end, waiting}) =>
            [from.row, from.time, to.row, to.time, end, waiting && [waiting.row, waiting.time]])""")
        host, first, second = map(self.number_of, ("Master thread", "Device 0 stream 7", "Device 0 stream 8"))
        self.assertEqual(found, [[host, 1e6, first, 1.5e6, 6e6, [host, 2e6]],
                                 [host, 1.2e6, second, 2.5e6, 3.5e6, None]])

    def pick(self, row, ms):
        """Clicks on the bar, and returns the details."""
        self.browser.click(*self.point(self.number_of(row), 1 if row == "Master thread" else 0, ms))
        return self.text("#details")

    def test_wait_and_kernel(self):
        self.assertIn("submitted", self.pick("Device 0 stream 7", 3))
        self.words(self.pick("Device 0 stream 7", 3), "by Master thread")
        self.words(self.pick("Master thread", 4), "Device 0 stream 7", "4.00 ms")

    def test_table_fits_its_panel(self):
        self.addCleanup(self.browser.resize, *self.browser.size)
        for width in (400, 1280, 1920):
            self.browser.resize(width, 700)
            self.browser.frame()
            too_wide = self.browser.evaluate("""(({clientWidth, scrollWidth}) => scrollWidth - clientWidth)(
                document.querySelector('aside'))""")
            self.assertLessEqual(too_wide, 0, width)

    def test_table_of_the_interval(self):
        def lines():
            self.browser.evaluate("stave.settle()")
            return self.text("#devices")
        self.assertFalse(self.browser.evaluate("document.getElementById('devices-section').hidden"))
        self.assertRegex(lines(), r"Device 0\s+45.0 % busy\s+55.0 % idle")
        self.assertRegex(lines(), r"Device 0 stream 7\s+45.0 %\s+0 %")
        self.assertRegex(lines(), r"Device 0 stream 8\s+0 %\s+10.0 %\s+4 MB, 4 GB/s")
        self.browser.evaluate("stave.view.show(3e6, 4e6)")
        self.assertRegex(lines(), r"Device 0\s+100 % busy")
        self.assertRegex(lines(), r"Device 0 stream 8\s+0 %\s+50.0 %\s+2 MB, 4 GB/s")


if __name__ == "__main__":
    unittest.main()
