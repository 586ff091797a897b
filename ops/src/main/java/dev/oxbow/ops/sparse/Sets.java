package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the set operations share: the last dimension holds sets, one for each index of the others. */
final class Sets {

    /** Elements of all supported dtypes in order: numbers, or strings by their bytes. */
    private static final Comparator<Object> ORDER =
            (a, b) -> a instanceof byte[] x ? Arrays.compareUnsigned(x, (byte[]) b) : Long.compare((Long) a, (Long) b);

    /** Sets by the coordinates of their group, in row-major order, and the shape of the groups. */
    record Groups(TreeMap<long[], TreeSet<Object>> sets, long[] shape) {}

    private Sets() {}

    private static Object element(Tensor t, long i) {
        return t.dtype() == DType.STRING ? t.objects()[(int) i] : (Object) t.getLong(i);
    }

    static Groups dense(Tensor t) {
        require(
                t.shape().rank() >= 2,
                INVALID_ARGUMENT,
                "Shape rank %d < 2.",
                t.shape().rank());
        long[] shape = t.shape().slice(0, t.shape().rank() - 1).dims();
        long n = t.shape().dim(-1);
        TreeMap<long[], TreeSet<Object>> sets = new TreeMap<>(Arrays::compare);
        long groups = n == 0 ? 0 : t.size() / n;
        Counts.objects(groups + t.size(), 128);
        for (long g = 0; g < groups; g++) {
            TreeSet<Object> set = new TreeSet<>(ORDER);
            for (long i = 0; i < n; i++) set.add(element(t, g * n + i));
            long[] at = new long[shape.length];
            long rest = g;
            for (int d = at.length - 1; d >= 0; d--) {
                at[d] = rest % shape[d];
                rest /= shape[d];
            }
            sets.put(at, set);
        }
        return new Groups(sets, shape);
    }

    static Groups sparse(Tensor indices, Tensor values, Tensor shape, boolean validate) {
        Coordinates x = Coordinates.of(indices, values, shape);
        require(x.rank() >= 2, INVALID_ARGUMENT, "Shape rank %d < 2.", x.rank());
        if (validate) x.ordered();
        Counts.objects(x.count(), 256);
        TreeMap<long[], TreeSet<Object>> sets = new TreeMap<>(Arrays::compare);
        for (int k = 0; k < x.count(); k++) {
            long[] at = Arrays.copyOf(x.rows()[k], x.rank() - 1);
            sets.computeIfAbsent(at, _ -> new TreeSet<>(ORDER)).add(element(values, k));
        }
        return new Groups(sets, Arrays.copyOf(x.shape(), x.rank() - 1));
    }

    static List<TensorType> infer(InferenceContext c, DType dtype, long rank) {
        return Coordinates.types(dtype, rank);
    }

    /** Gives the three outputs of a set operation on two groups of sets. */
    static void combine(KernelContext c, String operation, Groups a, Groups b) {
        require(
                Arrays.equals(a.shape, b.shape),
                INVALID_ARGUMENT,
                "Mismatched group shapes %s vs %s.",
                Arrays.toString(a.shape),
                Arrays.toString(b.shape));
        TreeSet<long[]> groups = new TreeSet<>(Arrays::compare);
        groups.addAll(a.sets.keySet());
        groups.addAll(b.sets.keySet());
        List<long[]> rows = new ArrayList<>();
        List<Object> elements = new ArrayList<>();
        long most = 0;
        for (long[] g : groups) {
            TreeSet<Object> none = new TreeSet<>(ORDER);
            TreeSet<Object> set = apply(operation, a.sets.getOrDefault(g, none), b.sets.getOrDefault(g, none));
            int i = 0;
            for (Object o : set) {
                long[] row = Arrays.copyOf(g, g.length + 1);
                row[g.length] = i++;
                rows.add(row);
                elements.add(o);
            }
            most = Math.max(most, set.size());
        }
        Coordinates.emit(c, 0, rows, a.shape.length + 1);
        Tensor values = c.allocate(1, Shape.of(elements.size()));
        for (int k = 0; k < elements.size(); k++) {
            if (values.dtype() == DType.STRING) values.objects()[k] = elements.get(k);
            else values.setLong(k, (Long) elements.get(k));
        }
        long[] shape = Arrays.copyOf(a.shape, a.shape.length + 1);
        shape[a.shape.length] = most;
        Coordinates.vector(c, 2, shape);
    }

    private static TreeSet<Object> apply(String operation, TreeSet<Object> a, TreeSet<Object> b) {
        TreeSet<Object> result = new TreeSet<>(operation.equals("b-a") ? b : a);
        switch (operation) {
            case "a-b" -> result.removeAll(new TreeSet<>(b));
            case "b-a" -> result.removeAll(new TreeSet<>(a));
            case "intersection" -> result.retainAll(b);
            default -> result.addAll(b);
        }
        return result;
    }

    /** The operation in small letters. */
    static String operation(String name) {
        String small = name.toLowerCase(Locale.ROOT);
        require(
                List.of("a-b", "b-a", "intersection", "union").contains(small),
                INVALID_ARGUMENT,
                "Invalid set_operation %s.",
                name);
        return small;
    }
}
