package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What a debugger of the second kind asks of a tensor: whether it is finite, what is counted in it, or its shape. */
@Signature(
        "DebugNumericSummaryV2(input: T) -> (output: output_dtype) {output_dtype: type in [FLOAT DOUBLE] = FLOAT; T: type; tensor_debug_mode: int = -1; tensor_id: int = -1}")
public record DebugNumericSummaryV2(@Attr("output_dtype") DType dtype, long tensorDebugMode, long tensorId)
        implements NotDifferentiable {
    private static final int HEALTH = 2, CONCISE_HEALTH = 3, FULL_HEALTH = 4, SHAPE = 5, THREE_SLOTS = 8;
    private static final int SHOWN_DIMS = 6;

    @Override
    public List<TensorType> infer(InferenceContext c) {
        int size = switch ((int) tensorDebugMode) {
            case HEALTH -> 2;
            case CONCISE_HEALTH -> 5;
            case FULL_HEALTH -> 11;
            case SHAPE -> 10;
            case THREE_SLOTS -> 3;
            default -> -1;
        };
        require(size > 0, UNIMPLEMENTED, "Unimplemented tensor debug mode: %d", tensorDebugMode);
        require(
                tensorDebugMode == SHAPE
                        || !c.dtype(0).isObject() && !c.dtype(0).isComplex(),
                INVALID_ARGUMENT,
                "real numbers are counted, got %s",
                c.dtype(0));
        int digits = dtype == DType.F32 ? 24 : 53;
        require(
                tensorDebugMode == THREE_SLOTS || tensorId <= 1L << digits,
                INVALID_ARGUMENT,
                "tensor_id must be at most 2^%d, got %d",
                digits,
                tensorId);
        return List.of(new TensorType(dtype, Shape.of(size)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            Shape s = x.shape();
            long[] n = tensorDebugMode == SHAPE ? null : counts(x);
            switch ((int) tensorDebugMode) {
                case HEALTH -> put(y, tensorId, n[0] + n[1] + n[2] > 0 ? 1 : 0);
                case CONCISE_HEALTH -> put(y, tensorId, x.size(), n[0], n[1], n[2]);
                case FULL_HEALTH ->
                    put(y, tensorId, -1, x.dtype().number(), s.rank(), x.size(), n[0], n[1], n[2], n[3], n[4], n[5]);
                case SHAPE -> {
                    double[] all = new double[4 + SHOWN_DIMS];
                    all[0] = tensorId;
                    all[1] = x.dtype().number();
                    all[2] = s.rank();
                    all[3] = x.size();
                    int first = Math.max(0, s.rank() - SHOWN_DIMS);
                    for (int d = first; d < s.rank(); d++) all[4 + d - first] = s.dim(d);
                    put(y, all);
                }
                default ->
                    put(
                            y,
                            n[0] > 0 ? Double.NEGATIVE_INFINITY : 0,
                            n[1] > 0 ? Double.POSITIVE_INFINITY : 0,
                            n[2] > 0 ? Double.NaN : 0);
            }
        };
    }

    /** How many elements are -inf, inf, NaN, negative, zero and positive. */
    private static long[] counts(Tensor x) {
        long[] n = new long[6];
        for (long i = 0; i < x.size(); i++) {
            double v = x.getDouble(i);
            if (Double.isNaN(v)) n[2]++;
            else if (Double.isInfinite(v)) n[v < 0 ? 0 : 1]++;
            else n[v < 0 ? 3 : v == 0 ? 4 : 5]++;
        }
        return n;
    }

    private static void put(Tensor y, double... values) {
        for (int i = 0; i < values.length; i++) y.set(i, values[i]);
    }
}
