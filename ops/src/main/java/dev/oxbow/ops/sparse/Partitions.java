package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The partitions of the rows of a ragged tensor, in the forms that TensorFlow names. */
final class Partitions {
    static final String COUNT = "FIRST_DIM_SIZE";
    private static final String OF_ROWS = "VALUE_ROWIDS";
    private static final String SPLITS = "ROW_SPLITS";

    private final List<String> types;

    private Partitions(List<String> types) {
        this.types = types;
    }

    static Partitions of(List<String> types) {
        return new Partitions(types);
    }

    /** How many dimensions are ragged. */
    static int levels(List<String> types) {
        for (String t : types)
            require(
                    t.equals(COUNT) || t.equals(OF_ROWS) || t.equals(SPLITS),
                    INVALID_ARGUMENT,
                    "row_partition_types must be FIRST_DIM_SIZE, VALUE_ROWIDS or ROW_SPLITS, got %s",
                    t);
        int count = (int) types.stream().filter(t -> !t.equals(COUNT)).count();
        require(
                !types.getFirst().equals(OF_ROWS) && types.stream().skip(1).noneMatch(COUNT::equals),
                INVALID_ARGUMENT,
                "row_partition_types must begin with FIRST_DIM_SIZE or ROW_SPLITS, and FIRST_DIM_SIZE is the first"
                        + " alone, got %s",
                types);
        require(count > 0, INVALID_ARGUMENT, "row_partition_types must have a partition, got %s", types);
        return count;
    }

    /** The shape of the result: what is wanted, with the sizes of values where nothing is. */
    static Shape shape(long[] wanted, Shape values, int levels) {
        if (!values.isRankKnown()) return Shape.of(dims(wanted));
        int rank = values.rank() + levels;
        require(
                wanted.length == rank,
                INVALID_ARGUMENT,
                "shape must have %d dimensions, that of ragged rows and of values %s, got %d",
                rank,
                values,
                wanted.length);
        long[] dims = dims(wanted);
        for (int d = 1; d < values.rank(); d++) {
            int to = levels + d;
            require(
                    dims[to] < 0 || values.dim(d) < 0 || dims[to] == values.dim(d),
                    INVALID_ARGUMENT,
                    "dimension %d of shape must be %d, that of values, got %d",
                    to,
                    values.dim(d),
                    dims[to]);
            if (dims[to] < 0) dims[to] = values.dim(d);
        }
        return Shape.of(dims);
    }

    private static long[] dims(long[] wanted) {
        long[] dims = wanted.clone();
        for (long d : dims) require(d >= -1, INVALID_ARGUMENT, "shape must have sizes or -1, got %d", d);
        return dims;
    }

    /** Fills output 0 with the value of input 2, and the values of input 1 where they belong. */
    void fill(KernelContext c) {
        int levels = levels(types);
        Tensor values = c.input(1), filler = c.input(2), wanted = c.input(0);
        long[][] splits = splits(c, values.shape().dim(0));
        long[] sizes = new long[levels + values.shape().rank()];
        Arrays.fill(sizes, -1);
        if (wanted.shape().rank() == 1) sizes = Arguments.longs(wanted);
        else
            require(
                    wanted.size() == 1 && wanted.getLong(0) == -1,
                    INVALID_ARGUMENT,
                    "shape must be a vector, or the scalar -1, got %s",
                    wanted.describe());
        long[] dims = shape(sizes, values.shape(), levels).dims();
        if (dims[0] < 0) dims[0] = splits[0].length - 1;
        for (int d = 0; d < levels; d++) if (dims[d + 1] < 0) dims[d + 1] = longest(splits[d]);
        Shape row = values.shape().slice(1, values.shape().rank());
        require(
                row.equals(Shape.broadcast(filler.shape(), row)),
                INVALID_ARGUMENT,
                "default_value must be broadcast to %s, the shape of values, got %s",
                row,
                filler.shape());
        Tensor y = c.allocate(0, Shape.of(dims));
        long width = row.size();
        long[] strides = stridesIn(filler.shape(), row.rank()), all = row.dims(), one = {1}, some = {width};
        long rows = width == 0 ? 0 : y.size() / width;
        for (long i = 0; i < rows; i++)
            Strided.copy(filler, 0, strides, y, i * width, row.strides(), all, Parallel.SERIAL);
        if (rows == 0) return;
        for (long i = 0; i < Math.min(dims[0], splits[0].length - 1); i++)
            put(
                    splits,
                    0,
                    i,
                    i,
                    dims,
                    (from, to) -> Strided.copy(values, from * width, one, y, to * width, one, some, Parallel.SERIAL));
    }

    /** Where the next element of a shape lies that is broadcast to a rank: nowhere else in dimensions of one. */
    private static long[] stridesIn(Shape s, int rank) {
        long[] own = s.strides(), strides = new long[rank];
        for (int d = 0; d < own.length; d++) strides[rank - own.length + d] = s.dim(d) == 1 ? 0 : own[d];
        return strides;
    }

    private interface Move {
        void row(long from, long to);
    }

    private static void put(long[][] splits, int level, long row, long at, long[] dims, Move move) {
        long from = splits[level][(int) row], count = Math.min(splits[level][(int) row + 1] - from, dims[level + 1]);
        for (long j = 0; j < count; j++) {
            long to = at * dims[level + 1] + j;
            if (level + 1 == splits.length) move.row(from + j, to);
            else put(splits, level + 1, from + j, to, dims, move);
        }
    }

    private static long longest(long[] splits) {
        long most = 0;
        for (int i = 1; i < splits.length; i++) most = Math.max(most, splits[i] - splits[i - 1]);
        return most;
    }

    /** Every level as splits. */
    private long[][] splits(KernelContext c, long values) {
        List<long[]> all = new ArrayList<>();
        long rows = -1;
        for (int i = 0; i < types.size(); i++) {
            Tensor t = c.input(3 + i);
            if (types.get(i).equals(COUNT)) {
                rows = t.getLong(0);
                require(rows >= 0, INVALID_ARGUMENT, "FIRST_DIM_SIZE must be >= 0, got %d", rows);
                continue;
            }
            long[] s = types.get(i).equals(SPLITS) ? Arguments.longs(t) : ofRows(Arguments.longs(t), rows);
            check(s, rows);
            all.add(s);
            rows = s[s.length - 1];
        }
        require(rows == values, INVALID_ARGUMENT, "the partitions are of %d values, there are %d", rows, values);
        return all.toArray(long[][]::new);
    }

    private static void check(long[] splits, long rows) {
        require(
                splits.length > 0 && splits[0] == 0,
                INVALID_ARGUMENT,
                "row splits must begin with 0, got %s",
                Arrays.toString(splits));
        for (int i = 1; i < splits.length; i++)
            require(
                    splits[i] >= splits[i - 1],
                    INVALID_ARGUMENT,
                    "row splits must not descend, got %d after %d",
                    splits[i],
                    splits[i - 1]);
        require(
                rows < 0 || splits.length == rows + 1,
                INVALID_ARGUMENT,
                "row splits of %d rows must have one element more, got %d",
                rows,
                splits.length);
    }

    private static long[] ofRows(long[] ids, long rows) {
        long[] splits = new long[Counts.toInt(rows + 1)];
        for (int i = 0; i < ids.length; i++) {
            require(
                    ids[i] >= (i == 0 ? 0 : ids[i - 1]) && ids[i] < rows,
                    INVALID_ARGUMENT,
                    "row ids must ascend within [0, %d), got %d at %d",
                    rows,
                    ids[i],
                    i);
            splits[(int) ids[i] + 1]++;
        }
        for (int i = 1; i < splits.length; i++) splits[i] += splits[i - 1];
        return splits;
    }
}
