#!/usr/bin/python3
"""stave report, info and timeline of archives that other tools would have written: test_report_others.py BUILD
[unittest arguments]. All times are known: the archives are made by hand."""
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cli
import made_apex
import made_devices
import report_case
from otf2.enums import MeasurementMode


class Devices(report_case.Case):
    """A program with HIP and no OpenMP (../support/made_devices.py)."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.archive = os.path.join(cls.folder, "devices")
        made_devices.make(cls.archive)

    def test_kernels(self):
        numbers = self.numbers(self.archive)
        stream, = numbers["devices"]
        kernels = made_devices.STEPS * made_devices.KERNEL_MS
        self.assertEqual(stream["kernels"]["count"], made_devices.STEPS)
        self.ms(stream["kernels"]["sum_s"], kernels)
        self.assertEqual(stream["other"]["count"], 0)
        text = self.text(self.archive)
        self.assertRegex(text, r"(?m)^HIP\[0:0\] .* 4 +320 ms +60.0 ms$")
        self.assertRegex(text, r"(?m)^sweep\(double\*.* 4 +320 ms +80.0 ms +80.0 ms$")

    def test_waiting_of_the_host(self):
        numbers = self.numbers(self.archive)
        self.ms(numbers["device_wait_s"], made_devices.STEPS * made_devices.KERNEL_MS)
        waits = {one["name"]: one["wait_s"] for one in numbers["regions"] if one["wait_s"] > 0}
        self.assertEqual(list(waits), ["hipEventSynchronize"])
        text = self.text(self.archive)
        self.assertRegex(text, r"(?m)^hipEventSynchronize +4 +320 ms +80.0 ms +320 ms$")
        self.words(text, "320 ms")
        self.words(self.text(self.archive, "--brief"), "320 ms")

    def test_efficiency(self):
        numbers = self.numbers(self.archive)
        self.assertEqual(numbers["has_openmp"], False)
        self.assertAlmostEqual(numbers["efficiency"]["parallel"], 0.1)
        self.assertAlmostEqual(numbers["efficiency"]["device"], 0.1)
        text = self.text(self.archive)
        self.assertRegex(text, r"(?m)^parallel efficiency +10.0 %")
        self.assertRegex(text, r"(?m)^\+ lost, devices +90.0 %")
        for wrong in ("in regions", "load balance", "serial parts", "nothing that costs"):
            self.assertNotIn(wrong, text.lower())
        self.assertLess(text.index("\nDevices\n"), text.index("\nThreads\n"))

    def test_locations_of_metrics(self):
        found = json.loads(self.succeeds(cli.stave("info", "--json", self.archive)))["metrics"]
        names = [one["name"] for one in found]
        self.assertEqual(names, [made_devices.LONG_NAME.format(i) for i in range(made_devices.PLUGINS)])
        self.assertEqual({one["events"] for one in found}, {8})

    def test_counters(self):
        """Those of the thread alone are summed by region; their names do not make the table wide."""
        counters = self.numbers(self.archive)["counters"]
        self.assertEqual([one["name"] for one in counters["threads"]], ["Master thread"])
        names = [made_devices.LONG_COUNTER.format(i) for i in range(made_devices.COUNTERS)]
        self.assertEqual(list(counters["threads"][0]["sums"]), names)
        self.assertNotIn("junction", json.dumps(counters))
        text = self.text(self.archive)
        self.assertLess(max(map(len, text.splitlines())), 260)
        self.assertIn(f"counter 10: {names[9]}", text)


class Paused(report_case.Case):
    """Two regions of 20 and 10 ms with 1 s of pause between: of all threads, as Stave writes it, or of the first alone,
    as Score-P does."""
    def paused(self, threads, name):
        with self.timed(name) as made:
            made.program(0, True)
            for begin, end in ((10, 30), (1050, 1060)):
                made.fork(begin)
                made.begin(begin)
                made.at(end)
                for thread in range(2):
                    made.enter(thread, "implicit barrier", 1)
                made.end_all(end)
                for ms, mode in ((40, MeasurementMode.OFF), (1040, MeasurementMode.ON)):
                    for thread in range(threads if begin == 10 else 0):
                        made.at(ms).event(thread, "measurement_on_off", mode)
            made.program(1070, False)
        return self.path(name)

    def test_is_neither_serial_nor_useful(self):
        for threads in (1, 2):
            numbers = self.numbers(self.paused(threads, f"paused{threads}"))
            self.ms(numbers["not_known_s"], 1000)
            self.ms(numbers["serial_s"], 40)
            self.ms(numbers["activities"]["not known"], 2000)
            self.ms(numbers["useful_s"], 100)
            self.assertAlmostEqual(numbers["efficiency"]["parallel"], 100 / 140)
            serial, = [one for one in numbers["findings"] if one["cause"] == "serial part"]
            self.ms(serial["gain_s"], 20)
            self.words(serial["advice"], "1.8 times")

    def test_is_printed_first(self):
        archive = self.paused(1, "first")
        lines = self.text(archive).splitlines()
        self.words(lines[2], "2.00 s", "93.5 %")
        self.words(self.text(archive, "--brief"), "93.5 %")

    def test_nothing_is_reported_as_such(self):
        """All but 4 ms is paused."""
        with self.timed("most") as made:
            made.program(0, True)
            made.fork(1)
            made.begin(1)
            made.at(3)
            for thread in range(2):
                made.enter(thread, "implicit barrier", 1)
            made.end_all(3)
            made.at(4).event(0, "measurement_on_off", MeasurementMode.OFF)
            made.program(1000, False)
        text = self.text(self.path("most"), "--brief")
        self.words(text, "99.6 %")
        self.assertNotIn("wall time\n", text)


class Apex(report_case.Case):
    """Two threads with tasks that are regions and no OpenMP (../support/made_apex.py)."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.archive = os.path.join(cls.folder, "apex")
        made_apex.make(cls.archive)

    def test_threads(self):
        numbers = self.numbers(self.archive)
        self.assertEqual(numbers["threads"], 2)
        self.assertEqual([one["name"] for one in numbers["threads_of_the_run"]], ["thread 0", "thread 1"])
        busy = made_apex.BUSY_MS
        self.ms(numbers["useful_s"], 2 * busy)
        self.ms(numbers["activities"]["serial"], 2 * busy)
        self.ms(numbers["activities"]["idle"], 0)
        self.assertAlmostEqual(numbers["efficiency"]["parallel"], 1)

    def test_text(self):
        text = self.text(self.archive)
        self.assertRegex(text, r"(?m)^threads +2$")
        self.assertNotIn("idle ", text.partition("Time by activity")[2].partition("Threads")[0])

    def test_creator(self):
        text = self.succeeds(cli.stave("info", self.archive))
        self.words(text, "APEX", "2.6.5", "gcc")

    def test_values_are_not_summed(self):
        """Of counters whose values are absolute, or of the last interval, a sum has no meaning."""
        numbers = self.numbers(self.archive)
        self.assertIsNone(numbers["counters"])


if __name__ == "__main__":
    unittest.main()
