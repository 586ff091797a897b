package dev.oxbow.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class OrderedCodeTest {

    @Test
    void knownValuesHaveTheirBytes() {
        assertEquals("00", hex(new OrderedCode().number(0)));
        assertEquals("0105", hex(new OrderedCode().number(5)));
        assertEquals("020100", hex(new OrderedCode().number(256)));
        assertEquals("6100ffff000001", hex(new OrderedCode().bytes(new byte[] {'a', 0, -1})));
        assertEquals("80", hex(new OrderedCode().signed(0)));
        assertEquals("7f", hex(new OrderedCode().signed(-1)));
        assertEquals("bf", hex(new OrderedCode().signed(63)));
        assertEquals("c040", hex(new OrderedCode().signed(64)));
        assertEquals("3fbf", hex(new OrderedCode().signed(-65)));
        assertEquals("ffc07fffffffffffffff", hex(new OrderedCode().signed(Long.MAX_VALUE)));
    }

    @Test
    void codesSortLikeTheirValues() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            long a = random.nextLong() >> random.nextInt(64), b = random.nextLong() >> random.nextInt(64);
            byte[] x = new OrderedCode().signed(a).toByteArray(),
                    y = new OrderedCode().signed(b).toByteArray();
            int wanted = Long.compare(a, b), got = Integer.signum(Arrays.compareUnsigned(x, y));
            assertEquals(wanted, got, a + " and " + b);
            assertTrue(x.length <= 10);
        }
    }

    private static String hex(OrderedCode code) {
        return HexFormat.of().formatHex(code.toByteArray());
    }
}
