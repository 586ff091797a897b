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
}
