package dev.oxbow.wire;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A feature of an Example: a list of strings, floats or whole numbers, or nothing, as a view of its bytes. */
public final class Feature {
    /** A feature without a list. */
    public static final Feature NONE = new Feature(Kind.NONE, null);

    /** What the list has; the order is that of the fields in the message. */
    public enum Kind {
        NONE,
        BYTES,
        FLOATS,
        LONGS
    }

    private static final Kind[] KINDS = Kind.values();
    private static final int VARINT = 0, LENGTH_DELIMITED = 2, FIXED32 = 5;

    private final Kind kind;
    private final Features.Fields list;

    private Feature(Kind kind, Features.Fields list) {
        this.kind = kind;
        this.list = list;
    }

    static Feature of(Features.Fields message) {
        Feature last = NONE;
        while (message.next())
            if (isList(message.number())) last = of(message.number(), message.nested(LENGTH_DELIMITED));
        return last;
    }

    /** A feature whose list was found in field {@code number} of its message; 0 for none. */
    static Feature of(int number, Features.Fields list) {
        return number == 0 ? NONE : new Feature(KINDS[number], list);
    }

    /** Whether a field of the message is a list. */
    static boolean isList(int number) {
        return number > 0 && number < KINDS.length;
    }

    public Kind kind() {
        return kind;
    }

    private Features.Fields fields() {
        return new Features.Fields(list.bytes(), list.from(), list.to());
    }

    /** The strings of a list of them. */
    public byte[][] strings() {
        byte[][] all = new byte[4][];
        int n = 0;
        Features.Fields f = fields();
        while (f.next()) {
            if (f.number() != 1) continue;
            if (n == all.length) all = Arrays.copyOf(all, 2 * n);
            all[n++] = f.nested(LENGTH_DELIMITED).content();
        }
        return Arrays.copyOf(all, n);
    }

    /** The floats of a list of them, packed or one by one. */
    public float[] floats() {
        float[] all = new float[8];
        int n = 0;
        Features.Fields f = fields();
        while (f.next()) {
            if (f.number() != 1) continue;
            Features.Fields some = f.nested(f.type() == FIXED32 ? FIXED32 : LENGTH_DELIMITED);
            int count = (some.to() - some.from()) / Float.BYTES;
            if (count * Float.BYTES != some.to() - some.from()) throw f.broken("packed floats end in a float");
            if (n + count > all.length) all = Arrays.copyOf(all, Math.max(n + count, 2 * n));
            for (int i = 0; i < count; i++) all[n++] = Float.intBitsToFloat(int32(some.bytes(), some.from() + 4 * i));
        }
        return Arrays.copyOf(all, n);
    }

    private static int int32(byte[] b, int at) {
        return b[at] & 0xff | (b[at + 1] & 0xff) << 8 | (b[at + 2] & 0xff) << 16 | b[at + 3] << 24;
    }

    /** The whole numbers of a list of them, packed or one by one. */
    public long[] longs() {
        long[] all = new long[8];
        int n = 0;
        Features.Fields f = fields();
        while (f.next()) {
            if (f.number() != 1) continue;
            if (f.type() == VARINT) {
                if (n == all.length) all = Arrays.copyOf(all, 2 * n);
                all[n++] = f.value();
                continue;
            }
            Features.Fields some = f.nested(LENGTH_DELIMITED);
            while (!some.isAtEnd()) {
                if (n == all.length) all = Arrays.copyOf(all, 2 * n);
                all[n++] = some.varint();
            }
        }
        return Arrays.copyOf(all, n);
    }

    /** Where the content of a list begins that is one packed field, or one string; 0 for any other list. */
    private int packed() {
        byte[] b = list.bytes();
        int at = list.from(), to = list.to();
        if (to - at < 2 || b[at] != (1 << 3 | LENGTH_DELIMITED)) return 0;
        int n = b[at + 1];
        if (n >= 0) return at + 2 + n == to ? at + 2 : 0;
        if (to - at < 3 || b[at + 2] < 0) return 0;
        return at + 3 + (n & 127 | b[at + 2] << 7) == to ? at + 3 : 0;
    }

    /** Writes the first {@code most} floats of a list of them to memory; how many the list has. */
    public int putFloats(long address, int most) {
        int at = packed(), bytes = list.to() - at;
        if (at > 0 && bytes % Float.BYTES == 0 && bytes / Float.BYTES <= most) {
            MemorySegment.copy(list.bytes(), at, Memory.ALL, Memory.BYTE, address, bytes);
            return bytes / Float.BYTES;
        }
        int n = 0;
        Features.Fields f = fields();
        while (f.next()) {
            if (f.number() != 1) continue;
            Features.Fields some = f.nested(f.type() == FIXED32 ? FIXED32 : LENGTH_DELIMITED);
            int count = (some.to() - some.from()) / Float.BYTES, taken = Math.clamp(count, 0, most - Math.min(most, n));
            if (count * Float.BYTES != some.to() - some.from()) throw f.broken("packed floats end in a float");
            MemorySegment.copy(
                    some.bytes(),
                    some.from(),
                    Memory.ALL,
                    Memory.BYTE,
                    address + (long) n * Float.BYTES,
                    taken * Float.BYTES);
            n += count;
        }
        return n;
    }

    /** Writes the first {@code most} whole numbers of a list of them to memory; how many the list has. */
    public int putLongs(long address, int most) {
        int at = packed();
        if (at > 0 && at + 1 == list.to() && list.bytes()[at] >= 0 && most > 0) {
            Memory.putLong(address, list.bytes()[at]);
            return 1;
        }
        int n = 0;
        Features.Fields f = fields();
        while (f.next()) {
            if (f.number() != 1) continue;
            if (f.type() == VARINT) {
                if (n < most) Memory.putLong(address + (long) n * Long.BYTES, f.value());
                n++;
                continue;
            }
            Features.Fields some = f.nested(LENGTH_DELIMITED);
            for (; !some.isAtEnd(); n++) {
                long v = some.varint();
                if (n < most) Memory.putLong(address + (long) n * Long.BYTES, v);
            }
        }
        return n;
    }

    /** Writes the first {@code most} strings of a list of them to an array; how many the list has. */
    public int putStrings(Object[] to, int at, int most) {
        int only = packed();
        if (only > 0 && most > 0) {
            to[at] = Arrays.copyOfRange(list.bytes(), only, list.to());
            return 1;
        }
        int n = 0;
        Features.Fields f = fields();
        while (f.next()) {
            if (f.number() != 1) continue;
            byte[] content = f.nested(LENGTH_DELIMITED).content();
            if (n < most) to[at + n] = content;
            n++;
        }
        return n;
    }
}
