package dev.oxbow.ops.lookup;

import dev.oxbow.kernels.text.Hashes;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** A key or value of a table: its bytes, or its strings joined with their lengths. */
final class Element {
    private final byte[] bytes;
    private final byte[][] strings;
    private final int width;

    private Element(byte[] bytes, byte[][] strings, int width) {
        this.bytes = bytes;
        this.strings = strings;
        this.width = width;
    }

    /** Element {@code i} of tensors of {@code size} scalars each. */
    static Element of(Tensor t, long i, long size) {
        if (t.dtype() == DType.STRING) {
            byte[][] s = new byte[(int) size][];
            for (int j = 0; j < s.length; j++) s[j] = (byte[]) t.objects()[(int) (i * size) + j];
            return new Element(null, s, 0);
        }
        byte[] b = Counts.array(size * t.dtype().size(), byte[]::new);
        MemorySegment.copy(Memory.ALL, t.address() + i * b.length, MemorySegment.ofArray(b), 0, b.length);
        return new Element(b, null, t.dtype().size());
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

    /** TensorFlow's hash of a key: a whole number is its own, strings have Murmur's, vectors combine those of their parts. */
    long scalarHash() {
        int n = strings != null ? strings.length : bytes.length / width;
        if (n == 1) return scalarHash(0);
        long h = 0;
        for (int i = 0; i < n; i++) h ^= scalarHash(i) + 0x9e3779b97f4a7800L + (h << 10) + (h >>> 4);
        return h;
    }

    private long scalarHash(int i) {
        if (strings != null) return Hashes.murmur(strings[i]);
        ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return width == 8 ? b.getLong(8 * i) : b.getInt(4 * i);
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
