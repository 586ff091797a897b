package dev.oxbow.ops.parse;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Feature;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Values of one feature, of many examples behind each other. */
final class FeatureValues {
    private final DType dtype;
    private final String key;
    private final boolean dense;
    private final ExampleErrors errors;
    private int count;
    private float[] floats = {};
    private long[] longs = {};
    private Object[] strings = {};

    /** Values of a feature; what is wrong with them is said in the words for dense ones or others. */
    FeatureValues(DType dtype, byte[] key, boolean dense, ExampleErrors errors) {
        this.dtype = dtype;
        this.key = FeatureColumns.text(key);
        this.dense = dense;
        this.errors = errors;
    }

    String key() {
        return key;
    }

    int count() {
        return count;
    }

    /** Adds the values of a feature of a row, which must have this dtype; how many. Nothing is no values. */
    int add(Feature feature, int row, int step) {
        if (feature == null) return 0;
        Feature.Kind wanted =
                dtype == DType.F32 ? Feature.Kind.FLOATS : dtype == DType.I64 ? Feature.Kind.LONGS : Feature.Kind.BYTES;
        if (feature.kind() == Feature.Kind.NONE && !(dense && errors.refusesEmpty())) return 0;
        if (feature.kind() != wanted) throw errors.type(row, key, step, dense, feature.kind(), dtype);
        try {
            return add(feature, wanted);
        } catch (OxbowException e) {
            throw errors.brokenFeature(row, key, wanted, e);
        }
    }

    private int add(Feature feature, Feature.Kind wanted) {
        switch (wanted) {
            case FLOATS -> {
                float[] more = feature.floats();
                room(more.length);
                System.arraycopy(more, 0, floats, count, more.length);
                count += more.length;
                return more.length;
            }
            case LONGS -> {
                long[] more = feature.longs();
                room(more.length);
                System.arraycopy(more, 0, longs, count, more.length);
                count += more.length;
                return more.length;
            }
            default -> {
                byte[][] more = feature.strings();
                room(more.length);
                System.arraycopy(more, 0, strings, count, more.length);
                count += more.length;
                return more.length;
            }
        }
    }

    /** Adds all elements of a tensor. */
    void add(Tensor t) {
        for (int i = 0; i < t.size(); i++) addElement(t, i);
    }

    /** Adds so many times the one element of a tensor; zeros or empty strings where it is null. */
    void pad(Tensor value, int times) {
        for (int i = 0; i < times; i++) {
            if (value != null) addElement(value, 0);
            else {
                room(1);
                if (dtype == DType.STRING) strings[count] = new byte[0];
                count++;
            }
        }
    }

    private void addElement(Tensor t, int i) {
        room(1);
        if (dtype == DType.F32) floats[count] = (float) t.getDouble(i);
        else if (dtype == DType.I64) longs[count] = t.getLong(i);
        else strings[count] = t.objects()[i];
        count++;
    }

    private void room(int more) {
        int wanted = Math.addExact(count, more);
        if (dtype == DType.F32 && wanted > floats.length) floats = Arrays.copyOf(floats, Math.max(wanted, 2 * count));
        else if (dtype == DType.I64 && wanted > longs.length) longs = Arrays.copyOf(longs, Math.max(wanted, 2 * count));
        else if (dtype == DType.STRING && wanted > strings.length)
            strings = Arrays.copyOf(strings, Math.max(wanted, 2 * count));
    }

    /** Makes an output of them. */
    void write(KernelContext c, int output, Shape shape) {
        Tensor t = c.isAllocated(output) ? c.output(output) : c.allocate(output, shape);
        if (dtype == DType.STRING) System.arraycopy(strings, 0, t.objects(), 0, count);
        else {
            MemorySegment source = dtype == DType.F32 ? MemorySegment.ofArray(floats) : MemorySegment.ofArray(longs);
            MemorySegment.copy(source, 0, Memory.ALL, t.address(), (long) count * dtype.size());
        }
    }
}
