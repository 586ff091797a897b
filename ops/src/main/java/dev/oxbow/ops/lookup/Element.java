package dev.oxbow.ops.lookup;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** A key or value of a table: its bytes, or its strings joined with their lengths. */
final class Element {
    private final byte[] bytes;
    private final byte[][] strings;

    private Element(byte[] bytes, byte[][] strings) {
        this.bytes = bytes;
        this.strings = strings;
    }

    /** Element {@code i} of tensors of {@code size} scalars each. */
    static Element of(Tensor t, long i, long size) {
        if (t.dtype() == DType.STRING) {
            byte[][] s = new byte[(int) size][];
            for (int j = 0; j < s.length; j++) s[j] = (byte[]) t.objects()[(int) (i * size) + j];
            return new Element(null, s);
        }
        byte[] b = new byte[Math.toIntExact(size * t.dtype().size())];
        MemorySegment.copy(Memory.ALL, t.address() + i * b.length, MemorySegment.ofArray(b), 0, b.length);
        return new Element(b, null);
    }

    /** Writes it into {@code t}, from scalar {@code at} on. */
    void write(Tensor t, long at) {
        if (strings != null) System.arraycopy(strings, 0, t.objects(), (int) at, strings.length);
        else
            MemorySegment.copy(
                    MemorySegment.ofArray(bytes),
                    0,
                    Memory.ALL,
                    t.address() + at * t.dtype().size(),
                    bytes.length);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Element e && Arrays.equals(bytes, e.bytes) && Arrays.deepEquals(strings, e.strings);
    }

    @Override
    public int hashCode() {
        return strings != null ? Arrays.deepHashCode(strings) : Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        if (strings == null) return HexFormat.of().formatHex(bytes);
        StringBuilder s = new StringBuilder();
        for (byte[] b : strings) s.append(new String(b, StandardCharsets.UTF_8)).append(' ');
        return s.toString().strip();
    }
}
