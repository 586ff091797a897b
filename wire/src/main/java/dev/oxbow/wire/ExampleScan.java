package dev.oxbow.wire;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Walks an Example as writers write it: a map whose entries are a key and then a feature, which is one packed list or one string. It
 * allocates nothing and judges nothing: where something is otherwise it says so, and {@link Features} reads it by the book.
 */
public final class ExampleScan {

    /*
     * Examples of a file are alike: what stands before the values of a feature (tags, lengths, its name) is most often byte for
     * byte what stood there in the Example before, and then means the same. So those bytes are kept, by number of the feature,
     * with what was found in them; comparing them is cheaper than walking them.
     */

    private static final int ENTRY = 1 << 3 | 2, VALUE = 2 << 3 | 2;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Of so many features are the bytes before their values kept, if they are so few. */
    private static final int KEPT = 64, HEAD = 48;

    private final byte[] heads = new byte[KEPT * HEAD];
    private final Head[] kept = new Head[KEPT];

    /** What was found before the values of a feature: how long that was, where in it the name is, how many bytes of values follow. */
    private record Head(int length, int name, int behindName, int kind, int values) {}

    private byte[] bytes;
    private int at;
    private int end;
    private boolean usual;
    private boolean repeated;
    private int number;
    private int name;
    private int behindName;
    private int kind;
    private int values;

    /** Where the content of the field read last ends. */
    private int behind;

    /** Begins another Example. */
    public void begin(byte[] example) {
        bytes = example;
        int features = content(0, example.length, ENTRY);
        usual = features > 0 && behind == example.length || example.length == 0;
        at = features;
        end = usual ? example.length : 0;
        number = -1;
    }

    /** Goes to the next feature; false behind the last, and where something is not as usual. */
    public boolean next() {
        if (!usual || at == end) return false;
        Head h = ++number < KEPT ? kept[number] : null;
        repeated = h != null && isAt(h);
        if (repeated) {
            name = at + h.name;
            behindName = at + h.behindName;
            kind = h.kind;
            values = at + h.length;
            behind = values + h.values;
            at = behind;
            return true;
        }
        int entry = content(at, end, ENTRY), last = behind;
        usual = entry > 0 && enter(entry, last);
        if (usual) keep();
        at = last;
        return usual;
    }

    /** Whether the next feature begins as this one did. */
    private boolean isAt(Head h) {
        int n = h.length, from = number * HEAD;
        if (n + h.values > end - at) return false;
        for (int i = 0; i + Long.BYTES < n; i += Long.BYTES)
            if ((long) LONG.get(bytes, at + i) != (long) LONG.get(heads, from + i)) return false;
        return (long) LONG.get(bytes, at + n - Long.BYTES) == (long) LONG.get(heads, from + n - Long.BYTES);
    }

    private void keep() {
        int n = values - at;
        if (number >= KEPT) return;
        boolean fits = n >= Long.BYTES && n <= HEAD;
        kept[number] = fits ? new Head(n, name - at, behindName - at, kind, behind - values) : null;
        if (fits) System.arraycopy(bytes, at, heads, number * HEAD, n);
    }

    /** Which of the features of its Example it is, from 0 on. */
    public int number() {
        return number;
    }

    /** Whether the feature of this number had the same name and kind the last time that there was one. */
    public boolean isRepeated() {
        return repeated;
    }

    private boolean enter(int entry, int last) {
        name = content(entry, last, ENTRY);
        behindName = behind;
        int feature = name == 0 ? 0 : content(behindName, last, VALUE);
        if (feature == 0 || behind != last || feature == last) return false;
        kind = bytes[feature] >> 3;
        int list = content(feature, last, kind << 3 | 2);
        if (list == 0 || behind != last || !Feature.isList(kind)) return false;
        values = content(list, last, ENTRY);
        return values > 0 && behind == last;
    }

    /** Where the content of a field of this tag begins; 0 where there is another, or it does not fit. */
    private int content(int from, int to, int tag) {
        if (to - from < 2 || bytes[from] != tag) return 0;
        int first = from + 2, n = bytes[from + 1];
        if (n < 0) {
            if (first == to) return 0;
            int more = bytes[first++];
            n = n & 127 | (more & 127) << 7;
            if (more < 0) {
                if (first == to || bytes[first] < 0) return 0;
                n |= bytes[first++] << 14;
            }
        }
        behind = first + n;
        return behind <= to ? first : 0;
    }

    /** Whether all so far was as usual. */
    public boolean isUsual() {
        return usual;
    }

    /** Whether the feature has this name. */
    public boolean isNamed(byte[] wanted) {
        return behindName - name == wanted.length && Arrays.equals(bytes, name, behindName, wanted, 0, wanted.length);
    }

    public boolean is(Feature.Kind wanted) {
        return kind == wanted.ordinal();
    }

    /** Writes floats to memory; false unless there are so many. */
    public boolean putFloats(long address, int wanted) {
        if (behind - values != wanted * Float.BYTES) return false;
        MemorySegment.copy(bytes, values, Memory.ALL, Memory.BYTE, address, behind - values);
        return true;
    }

    /** Writes whole numbers to memory; false unless there are so many. */
    public boolean putLongs(long address, int wanted) {
        int from = values;
        for (int i = 0; i < wanted; i++) {
            long v = 0;
            int shift = 0;
            byte b;
            do {
                if (from == behind || shift > 63) return false;
                b = bytes[from++];
                v |= (b & 0x7fL) << shift;
                shift += 7;
            } while (b < 0);
            Memory.putLong(address + (long) i * Long.BYTES, v);
        }
        return from == behind;
    }

    /** The only string. */
    public byte[] string() {
        return Arrays.copyOfRange(bytes, values, behind);
    }
}
