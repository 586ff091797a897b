package dev.oxbow.collective.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.tensor.OxbowException;
import org.junit.jupiter.api.Test;

final class SplitTest {
    @Test
    void countsAreChecked() {
        var e = assertThrows(OxbowException.class, () -> Split.of(new long[] {3, -1}, 0, 1));
        assertEquals("Split: counts must be at least 0, got [3, -1]", e.getMessage());
    }

    @Test
    void splitsKeepGrainsTogether() {
        for (long n : new long[] {0, 1, 1023, 1024, 5000, 100_000}) {
            for (int parts = 1; parts < 9; parts++) {
                Split split = Split.even(n, parts, 3000, 1024);
                long total = 0;
                for (int s = 0; s < parts; s++) {
                    assertEquals(total, split.offset(s));
                    if (split.length(s) > 0) assertEquals(0, split.offset(s) % 1024);
                    long length = 0;
                    for (int c = 0; c < split.chunks(s); c++) {
                        assertEquals(0, (split.at(s, c) - split.offset(s)) % 1024);
                        assertEquals(length, split.at(s, c) - split.offset(s));
                        length += split.length(s, c);
                    }
                    assertEquals(split.length(s), length);
                    total += length;
                }
                assertEquals(n, total);
            }
        }
    }

    @Test
    void chunksOfSegmentsThatEndTogetherAreInProportionToThem() {
        Split s = Split.alike(new long[] {1000, 0, 3000, 2990}, 500, 1);
        long[] chunks = {167, 0, 500, 499}; // 6 of each, as the largest has by the limit
        for (int i = 0; i < chunks.length; i++) {
            assertEquals(i == 1 ? 0 : 6, s.chunks(i));
            if (i != 1) assertEquals(chunks[i], s.length(i, 0));
            long all = 0;
            for (int c = 0; c < s.chunks(i); c++) all += s.length(i, c);
            assertEquals(s.length(i), all);
        }
        assertEquals(1, Split.alike(new long[] {1000, 3000}, 0, 1).chunks(1));
        Split grains = Split.alike(new long[] {1024, 3072}, 1024, 1024);
        assertEquals(1, grains.chunks(0)); // less than a grain each
        assertEquals(3, grains.chunks(1));
    }
}
