package dev.oxbow.testing.ops;

import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.I32;
import static dev.oxbow.tensor.DType.I64;
import static dev.oxbow.tensor.DType.QU8;
import static dev.oxbow.tensor.DType.U8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Evaluation;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.ops.array.BatchToSpaceND;
import dev.oxbow.ops.array.EditDistance;
import dev.oxbow.ops.array.ExpandDims;
import dev.oxbow.ops.array.GatherNd;
import dev.oxbow.ops.array.InplaceAdd;
import dev.oxbow.ops.array.MatrixDiagPart;
import dev.oxbow.ops.array.Pad;
import dev.oxbow.ops.array.Range;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.array.Slice;
import dev.oxbow.ops.array.SpaceToBatchND;
import dev.oxbow.ops.array.SplitV;
import dev.oxbow.ops.array.Tile;
import dev.oxbow.ops.array.TileGrad;
import dev.oxbow.ops.image.CropAndResize;
import dev.oxbow.ops.image.CropAndResizeGradBoxes;
import dev.oxbow.ops.image.DrawBoundingBoxes;
import dev.oxbow.ops.image.ResizeBilinear;
import dev.oxbow.ops.image.ResizeBilinearGrad;
import dev.oxbow.ops.image.ScaleAndTranslateGrad;
import dev.oxbow.ops.linalg.CholeskyGrad;
import dev.oxbow.ops.linalg.MatrixInverse;
import dev.oxbow.ops.math.Dequantize;
import dev.oxbow.ops.math.FakeQuantWithMinMaxVars;
import dev.oxbow.ops.math.FakeQuantWithMinMaxVarsGradient;
import dev.oxbow.ops.math.QuantizeAndDequantizeV4Grad;
import dev.oxbow.ops.math.SegmentSumV2;
import dev.oxbow.ops.math.SparseBincount;
import dev.oxbow.ops.nn.AvgPool;
import dev.oxbow.ops.nn.BatchNormWithGlobalNormalizationGrad;
import dev.oxbow.ops.nn.BlockLSTM;
import dev.oxbow.ops.nn.Conv2D;
import dev.oxbow.ops.nn.Conv2DBackpropInputV2;
import dev.oxbow.ops.nn.DepthwiseConv2dNative;
import dev.oxbow.ops.nn.FractionalMaxPool;
import dev.oxbow.ops.nn.LRN;
import dev.oxbow.ops.nn.MaxPool;
import dev.oxbow.ops.nn.MaxPoolGrad;
import dev.oxbow.ops.nn.MaxPoolWithArgmax;
import dev.oxbow.ops.signal.RFFT;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Inputs and attributes that kernels would leave their tensors on: each is refused before its kernel runs. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class RefusedInputsTest {
    private static final long MOST = Long.MAX_VALUE;
    private static final List<Long> ONES = List.of(1L, 1L, 1L, 1L);

    /** Shapes are known only when it runs, so that nothing but the last inference can refuse it. */
    record Case(Op op, ErrorCode code, String message, Tensor... inputs) {
        @Override
        public String toString() {
            return op.signature().name() + ": " + message;
        }
    }

    private static Case invalid(Op op, String message, Tensor... inputs) {
        return new Case(op, ErrorCode.INVALID_ARGUMENT, message, inputs);
    }

    private static Tensor zeros(DType dtype, long... dims) {
        return Tensor.zeros(dtype, Shape.of(dims));
    }

    private static Tensor zeros(long... dims) {
        return zeros(F32, dims);
    }

    private static Tensor longs(long... values) {
        return Tensor.of(Shape.of(values.length), values);
    }

    private static Tensor ints(int... values) {
        return Tensor.of(Shape.of(values.length), values);
    }

    static Stream<Case> companions() {
        return Stream.of(
                invalid(
                        new BatchNormWithGlobalNormalizationGrad(0.1f, true),
                        "'backprop' and 't' must have the same shape, got [1,1,1,3] and [1,2,2,3]",
                        zeros(1, 2, 2, 3),
                        zeros(3),
                        zeros(3),
                        zeros(3),
                        zeros(1, 1, 1, 3)),
                invalid(
                        new CholeskyGrad(),
                        "'l' and 'grad' must have the same shape, got [4,4] and [2,2]",
                        zeros(4, 4),
                        zeros(2, 2)),
                invalid(
                        new Dequantize("MIN_COMBINED", false, 1, F32),
                        "'min_range' must have 3 elements, got shape [2]",
                        zeros(QU8, 2, 3),
                        zeros(2),
                        zeros(2)),
                invalid(
                        new QuantizeAndDequantizeV4Grad(1),
                        "'input_min' must have 3 elements, got shape [1]",
                        zeros(2, 3),
                        zeros(2, 3),
                        zeros(1),
                        zeros(1)),
                invalid(
                        new ResizeBilinearGrad(false, false),
                        "dimension 0 of 'grads' must equal dimension 0 of 'original_image', got shapes [2,2,2,1] and [1,4,4,1]",
                        zeros(2, 2, 2, 1),
                        zeros(1, 4, 4, 1)),
                invalid(
                        new CropAndResizeGradBoxes("bilinear"),
                        "dimension 3 of 'grads' must equal dimension 3 of 'image', got shapes [1,2,2,3] and [1,4,4,1]",
                        zeros(1, 2, 2, 3),
                        zeros(1, 4, 4, 1),
                        zeros(1, 4),
                        zeros(I32, 1)),
                invalid(
                        new EditDistance(true),
                        "dimension 0 of 'hypothesis_values' must equal dimension 0 of 'hypothesis_indices', got shapes [1] and [3,2]",
                        zeros(I64, 3, 2),
                        zeros(I64, 1),
                        longs(1, 1),
                        zeros(I64, 1, 2),
                        zeros(I64, 1),
                        longs(1, 1)),
                invalid(new ExpandDims(), "'dim' must have one element, got shape [0]", zeros(2), zeros(I32, 0)),
                invalid(new InplaceAdd(), "x has no rows to change, got [0,3]", zeros(0, 3), ints(1, 2), zeros(2, 3)),
                invalid(
                        new Slice(),
                        "Expected begin and size arguments to be 1-D tensors of size 2, but got shape [1]",
                        zeros(2, 2),
                        ints(0, 0),
                        ints(1)),
                invalid(new TileGrad(), "'multiples' must have 2 elements, got shape [1]", zeros(4, 4), ints(2)),
                invalid(
                        new ScaleAndTranslateGrad("triangle", true),
                        "output dimensions must be positive, got [1,0,2,1]",
                        zeros(1, 2, 2, 1),
                        zeros(1, 0, 2, 1),
                        zeros(2),
                        zeros(2)),
                invalid(
                        new FakeQuantWithMinMaxVarsGradient(8, false),
                        "'min' must be a scalar, got shape [0]",
                        zeros(2),
                        zeros(2),
                        zeros(0),
                        zeros(0)),
                invalid(
                        new SparseBincount(false),
                        "dimension 0 of 'dense_shape' must equal dimension 1 of 'indices', got shapes [0] and [1,2]",
                        zeros(I64, 1, 2),
                        ints(1),
                        longs(),
                        Tensor.scalar(3),
                        zeros(0)),
                invalid(
                        new Conv2DBackpropInputV2(ONES, "SAME", List.of(), "NHWC", ONES),
                        "input 1 must be 4-dimensional: [1]",
                        zeros(1, 2, 2, 1),
                        zeros(1),
                        zeros(1, 2, 2, 1)),
                invalid(
                        new MaxPoolGrad(ONES, ONES, "SAME", List.of(), "NHWC"),
                        "'orig_input' must have rank 4, got shape [2,2]",
                        zeros(2, 2),
                        zeros(2, 2),
                        zeros(2, 2)));
    }

    static Stream<Case> attributes() {
        return Stream.of(
                invalid(
                        new FractionalMaxPool(List.of(2f, 2f, 2f, 1f), false, false, true, 1, 2),
                        "pooling_ratio must be 1 for batch and channels, got [2.0, 2.0, 2.0, 1.0]",
                        zeros(2, 4, 4, 1)),
                invalid(
                        new DepthwiseConv2dNative(ONES, "SAME", List.of(), "NHWC", List.of(1L, MOST, 1L, 1L)),
                        "strides, dilations and paddings must fit 31 bits, got [1, 9223372036854775807, 1, 1]",
                        zeros(1, 2, 2, 1),
                        zeros(2, 2, 1, 1)),
                invalid(
                        new AvgPool(List.of(1L, MOST, MOST, 1L), ONES, "SAME"),
                        "window sizes must fit 31 bits, got 9223372036854775807",
                        zeros(1, 2, 2, 1)),
                new Case(
                        new MaxPool(List.of(1L, 1L, 1L, 2L), List.of(1L, 7L, 1L, 2L), "VALID"),
                        ErrorCode.UNIMPLEMENTED,
                        "supports exactly one of pooling across depth or pooling across width/height, got ksize [1, 1, 1, 2] and strides [1, 7, 1, 2]",
                        zeros(U8, 1, 8, 2, 2)),
                invalid(
                        new MaxPoolWithArgmax(List.of(1L, 1L, 1L, 2L), List.of(1L, 1L, 1L, 0L), I64, "SAME", false),
                        "Stride must be > 0, but got 0",
                        zeros(1, 2, 2, 2)),
                invalid(
                        new LRN(Integer.MIN_VALUE, 1, 1, 0.5f),
                        "depth_radius must be in [0, 2^31), got -2147483648",
                        zeros(1, 1, 1, 3)),
                invalid(
                        new FakeQuantWithMinMaxVars(32, false),
                        "num_bits must be between 2 and 16, got 32",
                        zeros(2),
                        Tensor.scalar(0f),
                        Tensor.scalar(1f)));
    }

    /** Sums and products that overflow to something small. */
    static Stream<Case> sizes() {
        return Stream.of(
                invalid(
                        new Tile(),
                        "4 * 4611686018427387905 is more than fits 63 bits",
                        zeros(4),
                        longs((1L << 62) + 1)),
                invalid(
                        new Pad(),
                        "9223372036854775807 + 9223372036854775807 is more than fits 63 bits",
                        zeros(5),
                        Tensor.of(Shape.of(1, 2), MOST, MOST)),
                invalid(
                        new Reshape(),
                        "4611686018427387905 * 4 is more than fits 63 bits",
                        zeros(4),
                        longs((1L << 62) + 1, 4)),
                invalid(
                        new Slice(),
                        "Expected size[0] in [0, 3], but got 9223372036854775807",
                        zeros(U8, 4),
                        longs(1),
                        longs(MOST)),
                invalid(new Slice(), "Expected size[0] in [0, 4], but got -2", zeros(4), longs(0), longs(-2)),
                invalid(
                        new SplitV(3),
                        "9223372036854775807 + 9223372036854775807 is more than fits 63 bits",
                        zeros(5),
                        longs(MOST, MOST, 7),
                        Tensor.scalar(0)),
                invalid(
                        new Range(),
                        "Requires ((limit - start) / delta) < 2^63, got start -9223372036854775807, limit 9223372036854775807, delta 1",
                        Tensor.scalar(-MOST),
                        Tensor.scalar(MOST),
                        Tensor.scalar(1L)),
                invalid(
                        new SpaceToBatchND(),
                        "8589934592 * 2147483648 is more than fits 63 bits",
                        zeros(4, 2, 2),
                        longs(1L << 31, 1L << 31),
                        Tensor.of(Shape.of(2, 2), 0L, (1L << 31) - 2, 0L, (1L << 31) - 2)),
                invalid(
                        new BatchToSpaceND(),
                        "9223372036854775807 + 9223372036854775807 is more than fits 63 bits",
                        zeros(4, 0),
                        longs(4),
                        Tensor.of(Shape.of(1, 2), MOST, MOST)),
                invalid(new RFFT(DType.C64), "fft_length[0] must be >= 0, got -1", zeros(4), ints(-1)),
                invalid(
                        new SegmentSumV2(),
                        "num_segments must be >= 0, got -1",
                        zeros(2, 2),
                        ints(0, 1),
                        Tensor.scalar(-1)),
                new Case(
                        new GatherNd(),
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "an array of 2,147,483,647 elements is more than the Java heap has room for",
                        zeros(0),
                        zeros(I32, Integer.MAX_VALUE, 0)));
    }

    @ParameterizedTest
    @MethodSource({"companions", "attributes", "sizes"})
    void theyAreRefusedWithACodeAndTheRule(Case c) {
        var e = assertThrows(OxbowException.class, () -> run(c.op, c.inputs));
        assertEquals(c.code, e.code(), e.getMessage());
        assertEquals(c.toString(), e.getMessage().split(" \\(node y")[0]);
    }

    /** Results with no element, or of windows much larger than what they slide over. */
    static Stream<Case> large() {
        List<Long> huge = List.of(1L, (1L << 31) - 1, (1L << 31) - 1, 1L);
        return Stream.of(
                valid(new AvgPool(huge, ONES, "SAME"), zeros(1, 2, 2, 1)),
                valid(new BlockLSTM(1, 3, false), steps()),
                valid(new Conv2D(ONES, "SAME"), zeros(1, 2, 2, 0), zeros(1, 1, 0, 3)),
                valid(
                        new CropAndResize("bilinear", 0),
                        zeros(1, 2, 2, 0),
                        zeros(1, 4),
                        ints(0),
                        ints(Integer.MAX_VALUE, Integer.MAX_VALUE)),
                valid(new DepthwiseConv2dNative(ONES, "SAME"), zeros(1, 2, 2, 1), zeros(0, 1, 1, 2)),
                valid(new DrawBoundingBoxes(), zeros(1L << 40, 0, 0, 3), zeros(1L << 40, 0, 4)),
                valid(new MatrixDiagPart(), zeros(1L << 40, 0, 3)),
                valid(new MatrixInverse(false), zeros(1L << 40, 0, 0)),
                valid(new MaxPool(huge, ONES, "SAME"), zeros(DType.I8, 1, 2, 2, 1)),
                valid(new ResizeBilinear(false, false), zeros(0, 2, 2, 1), ints(Integer.MAX_VALUE, Integer.MAX_VALUE)));
    }

    private static Case valid(Op op, Tensor... inputs) {
        return new Case(op, null, "", inputs);
    }

    /** 2^31 - 1 steps of no sequence. */
    private static Tensor[] steps() {
        return new Tensor[] {
            Tensor.scalar((1L << 31) - 1),
            zeros((1L << 31) - 1, 0, 2),
            zeros(0, 1),
            zeros(0, 1),
            zeros(3, 4),
            zeros(1),
            zeros(1),
            zeros(1),
            zeros(4)
        };
    }

    @ParameterizedTest
    @MethodSource("large")
    void whatHasNothingToComputeTakesNeitherTimeNorMemory(Case c) {
        run(c.op, c.inputs);
    }

    @Test
    void aRangeMayBeAsLongAsItsNumbersAreFarApart() {
        long least = Long.MIN_VALUE;
        List<Tensor> y = Evaluation.run(
                new Range(), "y", List.of(Tensor.scalar(least), Tensor.scalar(MOST), Tensor.scalar(MOST)));
        assertEquals(3, y.getFirst().size());
        assertEquals(
                List.of(least, -1L, MOST - 1),
                List.of(0, 1, 2).stream().map(y.getFirst()::getLong).toList());
    }

    private static void run(Op op, Tensor... inputs) {
        Graph g = new Graph();
        List<Edge> edges = new ArrayList<>();
        Map<String, Tensor> feeds = new LinkedHashMap<>();
        for (Tensor t : inputs) {
            Edge e = g.add(new Placeholder(t.dtype(), Shape.UNKNOWN), "x", List.of())
                    .edge(0);
            feeds.put(e.name(), t);
            edges.add(e);
        }
        Node n = g.add(op, "y", edges);
        List<String> fetches = new ArrayList<>();
        for (int i = 0; i < n.outputCount(); i++) fetches.add(n.edge(i).name());
        try (Session s = Session.open(g);
                Results results = s.run(feeds, fetches, List.of())) {
            for (Tensor t : results) t.bytes();
        }
    }
}
