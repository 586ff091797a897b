package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Elements as rows, and rows as elements. */
final class Batches {
    private Batches() {}

    /** So many elements as rows. */
    static Dataset rows(Dataset from, long size, boolean dropRest) {
        return Walks.batch(from, size, dropRest, List.of(), (turn, some) -> Pieces.stacked(turn.context(), some));
    }

    /** The rows of each element. */
    static Dataset unbatched(Dataset from) {
        return new Dataset(List.of(), List.of(from), () -> new Rows(from.open()));
    }

    /** The rows of each element in so many parts of the same size, but for the last. */
    static Dataset parts(Dataset from, long parts) {
        return new Dataset(List.of(), List.of(from), () -> new Parts(from.open(), parts));
    }

    /** The rows of all elements, as elements of these numbers of rows in turn. */
    static Dataset again(Dataset from, long[] sizes, boolean dropRest) {
        long sum = 0;
        for (long s : sizes) {
            require(s >= 0, INVALID_ARGUMENT, "Batch sizes must not be negative, got %d", s);
            sum += s;
        }
        require(sum > 0, INVALID_ARGUMENT, "Batch sizes must have a positive sum, got %s", Arrays.toString(sizes));
        return new Dataset(List.of(), List.of(from), () -> new Again(new Rows(from.open()), sizes, dropRest));
    }

    /** How many rows all components of an element have. */
    private static long rows(List<Tensor> element) {
        long rows = -1;
        for (int i = 0; i < element.size(); i++) {
            Shape s = element.get(i).shape();
            require(s.rank() > 0, INVALID_ARGUMENT, "Input element must have a non-scalar value in each component.");
            if (i == 0) rows = s.dim(0);
            require(
                    s.dim(0) == rows,
                    INVALID_ARGUMENT,
                    "Input element must have the same batch size in each component. Component 0 had size %d but"
                            + " component %d had size %d.",
                    rows,
                    i,
                    s.dim(0));
        }
        return rows;
    }

    /** One element at a time, whose rows are given one by one. */
    private abstract static class Within extends Walks.Through {
        private final Elements all;
        List<Tensor> current;
        long rows;
        long at;

        Within(Elements all) {
            super(all);
            this.all = all;
        }

        /** What comes next of the element; null behind it. */
        abstract List<Tensor> part();

        @Override
        public void next(Turn turn, Taker taker) {
            Repeating.start(turn, taker, again -> {
                List<Tensor> part = current == null ? null : part();
                if (part != null) {
                    taker.take(part, null);
                    return;
                }
                drop();
                all.next(turn, (element, error) -> {
                    if (element == null) {
                        taker.take(null, error);
                        return;
                    }
                    current = element;
                    at = 0;
                    Turn.guarded(taker, () -> rows = rows(element));
                    if (rows < 0) return;
                    again.run();
                });
            });
        }

        private void drop() {
            if (current != null) current.forEach(Tensor::release);
            current = null;
            rows = -1;
        }

        @Override
        public void close() {
            drop();
            super.close();
        }
    }

    private static final class Rows extends Within {
        Rows(Elements all) {
            super(all);
        }

        @Override
        List<Tensor> part() {
            return at < rows ? Pieces.rows(current, at++) : null;
        }
    }

    private static final class Parts extends Within {
        private final long parts;

        Parts(Elements all, long parts) {
            super(all);
            this.parts = parts;
        }

        @Override
        List<Tensor> part() {
            if (at == parts) return null;
            long width = Math.ceilDiv(rows, parts), from = Math.min(rows, at++ * width);
            return Pieces.rows(current, from, Math.min(width, rows - from));
        }
    }

    private static final class Again extends Walks.Through {
        private final Elements rows;
        private final long[] sizes;
        private final boolean dropRest;

        /** A row that was read to know what rows are; null where it was given, or there is none. */
        private List<Tensor> ahead;

        /** The types of rows; null before the first. */
        private List<TensorType> types;

        private boolean ended;
        private int turns;

        Again(Elements rows, long[] sizes, boolean dropRest) {
            super(rows);
            this.rows = rows;
            this.sizes = sizes;
            this.dropRest = dropRest;
        }

        @Override
        public void next(Turn turn, Taker taker) {
            long size = sizes[turns % sizes.length];
            List<List<Tensor>> some = new ArrayList<>();
            Repeating.start(
                    turn,
                    taker,
                    again -> {
                        if (ahead != null && some.size() < size) {
                            some.add(ahead);
                            ahead = null;
                        }
                        if (ended || types != null && some.size() == size) {
                            turns++;
                            taker.take(joined(turn, size, some), null);
                            return;
                        }
                        rows.next(turn, (row, error) -> {
                            if (error != null) {
                                Pieces.release(some);
                                taker.take(null, error);
                                return;
                            }
                            ended = row == null;
                            ahead = row;
                            if (row != null)
                                types = row.stream()
                                        .map(t -> new TensorType(t.dtype(), t.shape()))
                                        .toList();
                            again.run();
                        });
                    },
                    () -> Pieces.release(some));
        }

        private List<Tensor> joined(Turn turn, long size, List<List<Tensor>> some) {
            try {
                if (size == 0) return ended ? null : Pieces.noRows(turn.context(), types);
                boolean isGiven = some.size() == size || !dropRest && !some.isEmpty();
                return isGiven ? Pieces.stacked(turn.context(), some) : null;
            } finally {
                Pieces.release(some);
            }
        }

        @Override
        public void close() {
            if (ahead != null) ahead.forEach(Tensor::release);
            ahead = null;
            super.close();
        }
    }
}
