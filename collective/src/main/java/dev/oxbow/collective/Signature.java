package dev.oxbow.collective;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/**
 * What all ranks must agree on before data moves.
 *
 * @param counts elements per rank, where ranks have different numbers of them, else empty
 * @param reduction its name, or empty
 * @param root the rank of the group that gives or gets, or -1
 * @param how wire format, wished algorithm and determinism, or empty
 */
record Signature(Kind kind, DType dtype, Shape shape, long[] counts, String reduction, int root, String how) {
    private static final long[] NONE = {};

    /** A call of a kind that moves nothing. */
    static Signature of(Kind kind) {
        return new Signature(kind, null, null, NONE, "", -1, "");
    }

    static Signature of(Kind kind, DType dtype, Shape shape) {
        return new Signature(kind, dtype, shape, NONE, "", -1, "");
    }

    Signature withCounts(long... counts) {
        return new Signature(kind, dtype, shape, counts, reduction, root, how);
    }

    Signature withReduction(Reduction reduction) {
        return new Signature(kind, dtype, shape, counts, reduction.name(), root, how);
    }

    Signature withRoot(int root) {
        return new Signature(kind, dtype, shape, counts, reduction, root, how);
    }

    Signature withHow(String how) {
        return new Signature(kind, dtype, shape, counts, reduction, root, how);
    }

    long hash() {
        long h = Hash.of(kind.ordinal(), root);
        if (dtype != null) {
            h = Hash.of(h, dtype.number());
            for (int i = 0; shape.isRankKnown() && i < shape.rank(); i++) h = Hash.of(h, shape.dim(i));
        }
        if (counts.length > 0) h = Hash.of(h, counts);
        if (!reduction.isEmpty()) h = Hash.of(h, reduction);
        return how.isEmpty() ? h : Hash.of(h, how);
    }

    /** The parts in words, for comparing them across ranks: kind, type, reduction, root, counts, how. */
    List<String> fields() {
        List<String> fields = new ArrayList<>();
        fields.add(kind.toString());
        fields.add(dtype == null ? "" : dtype.toString() + shape);
        fields.add(reduction);
        fields.add(root < 0 ? "" : "root " + root);
        fields.add(counts.length == 0 ? "" : "counts " + words(counts));
        fields.add(how);
        return fields;
    }

    private static String words(long[] counts) {
        StringBuilder s = new StringBuilder("[");
        for (int i = 0; i < counts.length && i < 32; i++)
            s.append(i > 0 ? ", " : "").append(counts[i]);
        return s.append(counts.length > 32 ? ", ...]" : "]").toString();
    }
}
