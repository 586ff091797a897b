package dev.oxbow.collective.failure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class ReformTest {
    @Test
    void survivorsLeaveOutWhomTheyDoNotSee() {
        var joined = new TreeMap<Integer, int[]>();
        for (int r = 0; r < 5; r++) joined.put(r, new int[0]);
        joined.put(1, new int[] {3});
        joined.put(2, new int[] {3, 7});
        assertArrayEquals(new int[] {0, 1, 2, 4}, Reform.whole(joined));
        assertArrayEquals(new int[] {0}, Reform.whole(new TreeMap<>(Map.of(0, new int[] {4}))));
    }
}
