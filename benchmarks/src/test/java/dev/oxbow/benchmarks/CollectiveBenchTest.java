package dev.oxbow.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CollectiveBenchTest {
    @Test
    void sizesAreListsAndRanges() {
        assertEquals(List.of(1024L, 4096L, 16384L), Sizes.parse("1KB..16KB"));
        assertEquals(List.of(1L << 20, 4L << 20, 5L << 20), Sizes.parse("1MB..5MB"));
        assertEquals(List.of(0L, 100L, 64L << 20), Sizes.parse("0,100,64MB"));
        assertEquals(10, Sizes.parse("1KB..256MB").size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "much", "4KB..1KB", "0..4KB", "-1"})
    void wrongSizesAreRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> Sizes.parse(text));
    }

    @Test
    void ratesAreInBitsPerSecond() {
        assertEquals(125e6, Site.bytesPerSecond("1gbit"));
        assertEquals(12.5e6, Site.bytesPerSecond("100mbit"));
        assertThrows(IllegalArgumentException.class, () -> Site.bytesPerSecond("1 gigabyte"));
    }

    @Test
    void busBandwidthIsWhatEachLinkCarries() {
        CollectiveRow row = new CollectiveRow(
                Collective.ALL_REDUCE,
                "tcp",
                4,
                64 << 20,
                "none",
                "-",
                0.85,
                Double.NaN,
                1.7,
                0.805306368,
                Optional.empty());
        assertEquals(0.1184, row.busBandwidth(), 1e-4); // 1.5 * 64 MiB / 0.85 s
        assertEquals(
                "[\n  {\"collective\": \"all-reduce\", \"transport\": \"tcp\", \"ranks\": 4, \"bytes\": 67108864,"
                        + " \"seconds\": 0.850000, \"bus_gb_per_s\": 0.118427, \"ratio_mpi\": null, \"ratio_gloo\": 2.00000,"
                        + " \"algorithm\": null, \"wire\": \"none\", \"ratio_predicted\": 1.05550, \"build\": null}\n]\n",
                CollectiveRow.json(List.of(row)));
    }

    @Test
    void onlySegmentedBuffersAreRoundedToRanks() {
        assertEquals(256, Collective.ALL_REDUCE.count(1024, 3));
        assertEquals(255, Collective.ALL_GATHER.count(1024, 3));
        assertEquals(3, Collective.ALL_TO_ALL.count(0, 3));
        assertEquals(Collective.ALL_REDUCE, Collective.of("allreduce").orElseThrow());
    }

    @Test
    void aWrongValueIsNoticed() {
        try (Arena arena = Arena.ofConfined()) {
            long at = arena.allocate(4 * 3000, 8).address();
            Pattern sum = Pattern.sum(3);
            sum.fill(at, 500, 3000);
            sum.check("x", at, 500, 3000, 0);
            Memory.putFloat(at + 4 * 1234, Memory.getFloat(at + 4 * 1234) + 1);
            var e = assertThrows(IllegalStateException.class, () -> sum.check("x", at, 500, 3000, 0));
            assertEquals("x: element 1734 is 9.0 instead of 8.0", e.getMessage());
            assertThrows(IllegalStateException.class, () -> sum.check("x", at, 501, 700, 0));
        }
    }
}
