package dev.oxbow.ops.parse;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Feature;
import dev.oxbow.wire.Features;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What lists of features of SequenceExamples become; like {@link FeatureColumns}, with a dimension for the steps. */
final class FeatureLists {
    private FeatureLists() {}

    /** The steps of a list by name; null where there is none. */
    static List<Feature> steps(List<Features.NamedList> lists, byte[] key) {
        for (int i = lists.size() - 1; i >= 0; i--)
            if (Arrays.equals(lists.get(i).name(), key)) return lists.get(i).steps();
        return null;
    }

    static void sparse(
            KernelContext c, int at, List<byte[]> keys, List<DType> types, Examples<List<Features.NamedList>> rows) {
        boolean single = rows.single();
        for (int k = 0; k < keys.size(); k++) {
            FeatureValues values = new FeatureValues(types.get(k), keys.get(k), false, rows.errors());
            List<long[]> places = new ArrayList<>();
            int longest = 0, widest = 0;
            for (int r = 0; r < rows.count(); r++) {
                List<Feature> steps = steps(rows.get(r), keys.get(k));
                for (int t = 0; steps != null && t < steps.size(); t++) {
                    int n = values.add(steps.get(t), r, t);
                    for (int j = 0; j < n; j++) places.add(new long[] {r, t, j});
                    widest = Math.max(widest, n);
                }
                longest = Math.max(longest, steps == null ? 0 : steps.size());
            }
            int rank = single ? 2 : 3;
            Tensor indices = c.allocate(at + k, Shape.of(places.size(), rank));
            long i = 0;
            for (long[] p : places) for (int d = 3 - rank; d < 3; d++) indices.setLong(i++, p[d]);
            values.write(c, at + keys.size() + k, Shape.of(values.count()));
            Tensor shape = c.output(at + 2 * keys.size() + k);
            if (!single) shape.setLong(0, rows.count());
            shape.setLong(rank - 2, longest);
            shape.setLong(rank - 1, widest);
        }
    }

    /**
     * Lists whose steps all have one shape.
     *
     * @param mayMiss which of them may be missing, and are then empty
     */
    record Dense(List<byte[]> keys, List<DType> types, List<Shape> shapes, boolean[] mayMiss) {

        /** Writes them from output {@code at} on, and their lengths from {@code lengths} on unless that is negative. */
        void write(KernelContext c, int at, int lengths, Examples<List<Features.NamedList>> rows) {
            for (int k = 0; k < keys.size(); k++) {
                int[] counts = counts(k, rows);
                int longest = Arrays.stream(counts).max().orElse(0);
                Shape steps = Shape.of(longest).concat(shapes.get(k));
                values(k, rows, counts, longest).write(c, at + k, rows.withBatch(steps));
                if (lengths < 0) continue;
                Tensor each = c.isAllocated(lengths + k)
                        ? c.output(lengths + k)
                        : c.allocate(lengths + k, rows.withBatch(Shape.SCALAR));
                for (int r = 0; r < counts.length; r++) each.setLong(r, counts[r]);
            }
        }

        private int[] counts(int k, Examples<List<Features.NamedList>> rows) {
            int[] counts = new int[rows.count()];
            for (int r = 0; r < counts.length; r++) {
                List<Feature> steps = steps(rows.get(r), keys.get(k));
                if (steps == null && !mayMiss[k]) throw rows.errors().missingList(r, FeatureColumns.text(keys.get(k)));
                counts[r] = steps == null ? 0 : steps.size();
            }
            return counts;
        }

        private FeatureValues none(int k, Examples<?> rows) {
            return new FeatureValues(types.get(k), keys.get(k), true, rows.errors());
        }

        private FeatureValues values(int k, Examples<List<Features.NamedList>> rows, int[] counts, int longest) {
            int size = Math.toIntExact(shapes.get(k).size());
            FeatureValues values = none(k, rows);
            for (int r = 0; r < counts.length; r++) {
                List<Feature> steps = steps(rows.get(r), keys.get(k));
                for (int t = 0; t < counts[r]; t++) {
                    int n = values.add(steps.get(t), r, t);
                    if (n == size) continue;
                    if (rows.errors().comparesLargest()) requireWhole(k, rows);
                    throw rows.errors().size(r, values.key(), t, types.get(k), n, shapes.get(k));
                }
                values.pad(null, Math.multiplyExact(longest - counts[r], size));
            }
            return values;
        }

        /** The list with the most values has so many that they may be those of some steps. */
        private void requireWhole(int k, Examples<List<Features.NamedList>> rows) {
            int largest = 0;
            long size = shapes.get(k).size();
            for (int r = 0; r < rows.count(); r++) {
                FeatureValues own = none(k, rows);
                List<Feature> steps = steps(rows.get(r), keys.get(k));
                for (int t = 0; steps != null && t < steps.size(); t++) own.add(steps.get(t), r, t);
                largest = Math.max(largest, own.count());
            }
            if (size == 0 || largest % size != 0)
                throw ExampleErrors.total(FeatureColumns.text(keys.get(k)), shapes.get(k), largest);
        }
    }

    /** Writes ragged lists: values from output {@code at} on, then splits of the examples, then those of the steps. */
    static void ragged(
            KernelContext c, int at, List<byte[]> keys, List<DType> types, Examples<List<Features.NamedList>> rows) {
        for (int k = 0; k < keys.size(); k++) {
            FeatureValues values = new FeatureValues(types.get(k), keys.get(k), false, rows.errors());
            List<Integer> inner = new ArrayList<>();
            int[] outer = new int[rows.count()];
            for (int r = 0; r < outer.length; r++) {
                List<Feature> steps = steps(rows.get(r), keys.get(k));
                for (int t = 0; steps != null && t < steps.size(); t++) {
                    values.add(steps.get(t), r, t);
                    inner.add(values.count());
                }
                outer[r] = inner.size();
            }
            values.write(c, at + k, Shape.of(values.count()));
            FeatureColumns.splits(c, at + keys.size() + k, outer, rows.single() ? Shape.SCALAR : null);
            FeatureColumns.splits(
                    c, at + 2 * keys.size() + k, inner.stream().mapToInt(i -> i).toArray(), null);
        }
    }
}
