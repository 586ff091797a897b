package dev.oxbow.cuda;

import dev.oxbow.cuda.Descriptor.Sort;
import dev.oxbow.cuda.Descriptor.Type;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A convolution as cuDNN sees it: sizes are channels before rows and columns, whatever lies next to each other in memory. Filters
 * lie as {@code [out, rows, columns, in]}, or, where images have their channels first, as {@code [out, in, rows, columns]}.
 */
record Convolution(
        Way way,
        DType dtype,
        boolean channelsFirst,
        List<Long> images,
        List<Long> filter,
        List<Long> results,
        List<Long> stride,
        List<Long> dilation,
        List<Long> before,
        List<Long> after)
        implements DnnWork {

    /** Which of the three tensors is computed from the two others. */
    enum Way {
        FORWARD(Sort.CONVOLUTION_FORWARD, 700),
        TO_IMAGES(Sort.CONVOLUTION_BACKWARD_DATA, 706),
        TO_FILTER(Sort.CONVOLUTION_BACKWARD_FILTER, 712);

        private final Sort sort;

        /** The first of its attributes: two factors, the window, filter, images, results. */
        private final int first;

        Way(Sort sort, int first) {
            this.sort = sort;
            this.first = first;
        }
    }

    /** The numbers of the tensors in calls. */
    static final long[] NUMBERS = {1, 2, 3};

    /** A window over images, with filters of {@code [rows, columns, in, out]} as TensorFlow has them. */
    static Convolution of(Way way, DType dtype, Geometry g, boolean channelsFirst, long in, long out) {
        long[] after = new long[2];
        for (int d = 0; d < 2; d++) {
            long extent = (g.kernel()[d] - 1) * g.dilation()[d] + 1;
            boolean even = (g.in()[d] + 2 * g.before()[d] - extent) / g.stride()[d] + 1 == g.out()[d];
            long reached = (g.out()[d] - 1) * g.stride()[d] + extent - g.in()[d] - g.before()[d];
            after[d] = even ? g.before()[d] : Math.max(0, reached);
        }
        return new Convolution(
                way,
                dtype,
                channelsFirst,
                List.of(g.batch(), g.channels(), g.in()[0], g.in()[1]),
                List.of(out, in, g.kernel()[0], g.kernel()[1]),
                List.of(g.batch(), out, g.out()[0], g.out()[1]),
                pair(g.stride()),
                pair(g.dilation()),
                pair(g.before()),
                pair(after));
    }

    private static List<Long> pair(long[] v) {
        return List.of(v[0], v[1]);
    }

    /** Whether products of f32 are true ones. */
    private static final boolean IS_TRUE_F32 =
            !List.of("tf32", "bf16").contains(System.getProperty("oxbow.matmul", ""));

    /** Whether cuDNN may have a plan. */
    static boolean supports(DType t) {
        return t == DType.F32 || t == DType.F16 || t == DType.BF16;
    }

    @Override
    public boolean isTrueF32() {
        return dtype == DType.F32 && IS_TRUE_F32;
    }

    @Override
    public long[] operations() {
        long window = new Descriptor(Sort.CONVOLUTION)
                .set(100, Type.DATA_TYPE, Descriptor.type(DType.F32))
                .set(101, Type.CONVOLUTION_MODE, 1)
                .set(106, Type.INT64, 2)
                .set(102, Type.INT64, longs(dilation))
                .set(103, Type.INT64, longs(stride))
                .set(104, Type.INT64, longs(after))
                .set(105, Type.INT64, longs(before))
                .done();
        long operation = new Descriptor(way.sort)
                .set(way.first, Type.FLOAT, Float.floatToRawIntBits(1))
                .set(way.first + 1, Type.FLOAT, Float.floatToRawIntBits(0))
                .set(way.first + 2, Type.DESCRIPTOR, window)
                .set(way.first + 3, Type.DESCRIPTOR, tensor(NUMBERS[1], filter))
                .set(way.first + 4, Type.DESCRIPTOR, tensor(NUMBERS[0], images))
                .set(way.first + 5, Type.DESCRIPTOR, tensor(NUMBERS[2], results))
                .done();
        return new long[] {operation};
    }

    private long tensor(long number, List<Long> sizes) {
        long c = sizes.get(1), h = sizes.get(2), w = sizes.get(3);
        long[] strides = channelsFirst ? new long[] {c * h * w, h * w, w, 1} : new long[] {h * w * c, 1, w * c, c};
        return Descriptor.tensor(number, dtype, longs(sizes), strides);
    }

    private static long[] longs(List<Long> all) {
        return all.stream().mapToLong(v -> v).toArray();
    }

    /** Which of the three tensors is computed. */
    int made() {
        return switch (way) {
            case FORWARD -> 2;
            case TO_IMAGES -> 0;
            case TO_FILTER -> 1;
        };
    }

    /** Of the two others one of whose elements each result has at most one product: images, or what images gave. */
    int single() {
        return way == Way.FORWARD ? 0 : 2;
    }

    /** How much of memory the three take, by shapes of as many elements. */
    List<Shape> shapes() {
        return List.of(Shape.of(longs(images)), filterShape(), Shape.of(longs(results)));
    }

    /** Elements of a filter for one output channel. */
    private long taps() {
        return filter.get(1) * filter.get(2) * filter.get(3);
    }

    /** The shape of filters as cuDNN has them, for a temporary. */
    Shape filterShape() {
        return Shape.of(filter.get(0), taps());
    }

    /** Whether filters lie alike for TensorFlow and cuDNN. */
    boolean isFilterSame() {
        return filter.get(0) == 1 && (!channelsFirst || filter.get(1) == 1) || taps() == 1;
    }

    /** Copies a filter from TensorFlow's form to cuDNN's, or back. */
    void turn(Card card, long from, long to, boolean back) {
        long out = filter.get(0), in = filter.get(1), window = filter.get(2) * filter.get(3);
        long[] dims = channelsFirst ? new long[] {out, in, window} : new long[] {out, window, in};
        long[] theirs = channelsFirst ? new long[] {1, out, in * out} : new long[] {1, in * out, out};
        long[] ours = StridedCopy.dense(dims);
        StridedCopy.run(card, dtype.size(), dims, from, back ? ours : theirs, to, back ? theirs : ours);
    }

    /** Computes one of the three of the others, filters as TensorFlow has them; false where cuDNN can not or {@code own} is faster. */
    boolean run(Card card, Tensor x, Tensor f, Tensor y, KernelContext c, Runnable own) {
        DnnRunner dnn = card.dnn();
        if (dnn == null || dnn.refuses(this)) return false;
        boolean same = isFilterSame();
        Tensor turned = same ? f.retain() : c.temporary(dtype, filterShape());
        try {
            if (!same && way != Way.TO_FILTER) turn(card, f.place(), turned.place(), false);
            Tensor made = way == Way.FORWARD ? y : way == Way.TO_IMAGES ? x : turned;
            List<Tensor> read = new ArrayList<>(List.of(x, turned, y));
            read.removeIf(t -> t == made);
            long[] places = {x.place(), turned.place(), y.place()};
            if (!dnn.run(this, NUMBERS, places, read, List.of(made), c, own, null)) return false;
            if (!same && way == Way.TO_FILTER) turn(card, turned.place(), f.place(), true);
            return true;
        } finally {
            turned.release();
        }
    }

    @Override
    public String key() {
        return List.of(way, dtype, isTrueF32(), channelsFirst, images, filter, results, stride, dilation, before, after)
                .toString();
    }

    @Override
    public String toString() {
        return "%s of %s, %s x %s%s, %s steps"
                .formatted(
                        switch (way) {
                            case FORWARD -> "convolution";
                            case TO_IMAGES -> "gradient to images";
                            case TO_FILTER -> "gradient to filter";
                        },
                        dtype,
                        images,
                        filter,
                        channelsFirst ? ", channels first" : "",
                        stride);
    }
}
