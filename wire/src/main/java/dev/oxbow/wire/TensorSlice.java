package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.TensorSliceProto;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A box within a tensor: start and length of each dimension, or {@link #ALL} of it. */
public record TensorSlice(List<Long> starts, List<Long> lengths) {
    /** The length that stands for a whole dimension. */
    public static final long ALL = -1;

    public TensorSlice {
        starts = List.copyOf(starts);
        lengths = List.copyOf(lengths);
        int n = starts.size();
        require(n == lengths.size(), INVALID_ARGUMENT, "TensorSlice: %d starts, %d lengths", n, lengths.size());
        for (int d = 0; d < n; d++) {
            long start = starts.get(d), length = lengths.get(d);
            require(
                    length == ALL ? start == 0 : start >= 0 && length >= 0 && start <= Long.MAX_VALUE - length,
                    INVALID_ARGUMENT,
                    "TensorSlice: dimension %d needs start >= 0 and length >= 0, got %d and %d",
                    d,
                    start,
                    length);
        }
    }

    /** What SaveV2 and RestoreV2 take as shape_and_slices: the whole tensor's shape, and a box of it. */
    public record Spec(Shape fullShape, TensorSlice slice) {
        /** The shape of the box. */
        public Shape shape() {
            return slice.shapeIn(fullShape);
        }
    }

    /** All of a tensor of the given rank. */
    public static TensorSlice full(int rank) {
        return new TensorSlice(Collections.nCopies(rank, 0L), Collections.nCopies(rank, ALL));
    }

    /** A slice as text: {@code start,length} or {@code -} for each dimension, with {@code :} between them. */
    public static TensorSlice parse(String text) {
        List<Long> starts = new ArrayList<>(), lengths = new ArrayList<>();
        for (String extent : text.isEmpty() ? new String[0] : text.split(":", -1)) {
            String[] parts = extent.split(",", -1);
            if (extent.equals("-")) {
                starts.add(0L);
                lengths.add(ALL);
                continue;
            }
            require(
                    parts.length == 2,
                    INVALID_ARGUMENT,
                    "TensorSlice: expected 'start,length' or '-', got '%s' in '%s'",
                    extent,
                    text);
            long start = number(parts[0], text), length = number(parts[1], text);
            require(
                    start >= 0 && length > 0,
                    INVALID_ARGUMENT,
                    "TensorSlice: expected start >= 0 and length > 0, got '%s' in '%s'",
                    extent,
                    text);
            starts.add(start);
            lengths.add(length);
        }
        return new TensorSlice(starts, lengths);
    }

    /** A shape and a slice of it, such as {@code 4 16 -:0,8}. */
    public static Spec parseSpec(String text) {
        String[] parts = text.split(" ", -1);
        require(
                parts.length >= 2,
                INVALID_ARGUMENT,
                "TensorSlice: expected dimensions and a slice such as '4 16 -:0,8', got '%s'",
                text);
        long[] dims = new long[parts.length - 1];
        for (int i = 0; i < dims.length; i++) {
            dims[i] = number(parts[i], text);
            require(dims[i] >= 0, INVALID_ARGUMENT, "TensorSlice: a dimension is negative in '%s'", text);
        }
        Spec spec = new Spec(Shape.of(dims), parse(parts[parts.length - 1]));
        spec.shape();
        return spec;
    }

    private static long number(String digits, String text) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            throw new OxbowException(
                    INVALID_ARGUMENT, "TensorSlice: '%s' is not a number in '%s'".formatted(digits, text), e);
        }
    }

    public int rank() {
        return starts.size();
    }

    /** Whether it says that every dimension is whole; {@link #isAllOf} also accepts equal lengths. */
    public boolean isFull() {
        return lengths.stream().allMatch(l -> l == ALL);
    }

    public boolean isAllOf(Shape full) {
        return shapeIn(full).equals(full);
    }

    /** The first index of dimension {@code d}. */
    long start(int d) {
        return starts.get(d);
    }

    /** The index after the last of dimension {@code d} of {@code full}. */
    long end(int d, Shape full) {
        return lengths.get(d) == ALL ? full.dim(d) : starts.get(d) + lengths.get(d);
    }

    /** The shape of this slice of a tensor of shape {@code full}. */
    public Shape shapeIn(Shape full) {
        require(
                full.rank() == rank(),
                INVALID_ARGUMENT,
                "TensorSlice: %s has rank %d, the tensor is %s",
                this,
                rank(),
                full);
        long[] dims = new long[rank()];
        for (int d = 0; d < dims.length; d++) {
            require(
                    end(d, full) <= full.dim(d),
                    INVALID_ARGUMENT,
                    "TensorSlice: %s reaches beyond dimension %d of %s",
                    this,
                    d,
                    full);
            dims[d] = end(d, full) - start(d);
        }
        return Shape.of(dims);
    }

    /** What both slices of a tensor of shape {@code full} share; null when nothing. */
    TensorSlice intersection(TensorSlice other, Shape full) {
        List<Long> from = new ArrayList<>(), length = new ArrayList<>();
        for (int d = 0; d < rank(); d++) {
            long start = Math.max(start(d), other.start(d));
            long end = Math.min(end(d, full), other.end(d, full));
            if (start >= end) return null;
            from.add(start);
            length.add(end - start);
        }
        return new TensorSlice(from, length);
    }

    static TensorSlice decode(TensorSliceProto proto) {
        List<Long> starts = new ArrayList<>(), lengths = new ArrayList<>();
        for (TensorSliceProto.Extent e : proto.getExtentList()) {
            starts.add(e.getStart());
            lengths.add(e.hasLength() ? e.getLength() : ALL);
        }
        return new TensorSlice(starts, lengths);
    }

    TensorSliceProto encode() {
        TensorSliceProto.Builder proto = TensorSliceProto.newBuilder();
        for (int d = 0; d < rank(); d++) {
            TensorSliceProto.Extent.Builder extent = proto.addExtentBuilder();
            if (lengths.get(d) != ALL) extent.setStart(start(d)).setLength(lengths.get(d));
        }
        return proto.build();
    }

    /** The text that {@link #parse} reads. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        for (int d = 0; d < rank(); d++) parts.add(lengths.get(d) == ALL ? "-" : starts.get(d) + "," + lengths.get(d));
        return String.join(":", parts);
    }

    /** Copies a box, given in coordinates of the whole tensor, from one slice of it to another. */
    static void copyBox(TensorSlice box, Tensor from, TensorSlice fromSlice, Tensor to, TensorSlice toSlice) {
        int rank = box.rank();
        int inner = Math.max(0, rank - 1);
        long run = rank == 0 ? 1 : box.lengths().get(inner);
        long rows = 1;
        for (int d = 0; d < inner; d++) rows *= box.lengths().get(d);
        long[] index = new long[rank];
        for (long row = 0; row < rows; row++) {
            long source = 0, target = 0;
            for (int d = 0; d < rank; d++) {
                long at = box.start(d) + index[d];
                source = source * from.shape().dim(d) + at - fromSlice.start(d);
                target = target * to.shape().dim(d) + at - toSlice.start(d);
            }
            if (from.dtype().isObject()) {
                System.arraycopy(from.objects(), (int) source, to.objects(), (int) target, (int) run);
            } else {
                int width = from.dtype().size();
                Memory.copy(from.address() + source * width, to.address() + target * width, run * width);
            }
            for (int d = inner - 1; d >= 0 && ++index[d] == box.lengths().get(d); d--) index[d] = 0;
        }
    }
}
