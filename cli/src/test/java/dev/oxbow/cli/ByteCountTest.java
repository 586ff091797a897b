package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

final class ByteCountTest {
    private final ByteCount count = new ByteCount();

    @Test
    void unitsArePowersOf1024() {
        assertEquals(1000, count.convert("1000"));
        assertEquals(64L << 20, count.convert("64MB"));
        assertEquals(3L << 29, count.convert("1.5GB"));
        assertEquals(2048, count.convert("2 kb"));
    }

    @Test
    void otherTextIsRejectedByName() {
        var e = assertThrows(TypeConversionException.class, () -> count.convert("-3MB"));
        assertEquals("'-3MB' is not a number of bytes such as 1000, 64MB or 1.5GB", e.getMessage());
        assertThrows(TypeConversionException.class, () -> count.convert("much"));
    }
}
