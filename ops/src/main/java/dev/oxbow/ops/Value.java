package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.ExpandDims;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.array.OneHot;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.array.Range;
import dev.oxbow.ops.array.Rank;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.array.ReverseV2;
import dev.oxbow.ops.array.Size;
import dev.oxbow.ops.array.Slice;
import dev.oxbow.ops.array.Split;
import dev.oxbow.ops.array.Squeeze;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.ops.flow.StopGradient;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.math.ArgMax;
import dev.oxbow.ops.math.Max;
import dev.oxbow.ops.math.Mean;
import dev.oxbow.ops.math.Min;
import dev.oxbow.ops.math.SelectV2;
import dev.oxbow.ops.math.Sum;
import dev.oxbow.ops.nn.AvgPool;
import dev.oxbow.ops.nn.Conv2D;
import dev.oxbow.ops.nn.LogSoftmax;
import dev.oxbow.ops.nn.MaxPool;
import dev.oxbow.ops.nn.Softmax;
import dev.oxbow.ops.random.RandomUniform;
import dev.oxbow.ops.random.StatelessRandomUniform;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An output of a node, with methods that add nodes behind it: {@code x.matMul(w).plus(b).relu()}.
 *
 * {@snippet :
 * Ops ops = Ops.in(new Graph());
 * Value x = ops.placeholder("x", DType.F32, Shape.of(-1, 4));
 * Value w = ops.constant(Tensor.zeros(DType.F32, Shape.of(4, 3)));
 * Value p = x.matMul(w).plus(1).relu().softmax();
 * }
 */
public non-sealed class Value extends Elements {
    private final Edge edge;

    Value(Edge edge) {
        this.edge = edge;
    }

    public static Value of(Edge edge) {
        return new Value(edge);
    }

    public Edge edge() {
        return edge;
    }

    public Node node() {
        return edge().node();
    }

    public Graph graph() {
        return edge().node().graph();
    }

    @Override
    public DType dtype() {
        return edge().type().dtype();
    }

    /** The static shape, possibly partial. */
    public Shape shape() {
        return edge().type().shape();
    }

    /** Builds ops in this value's graph. */
    public Ops ops() {
        return Ops.in(graph());
    }

    /** The only output of an op on these inputs. */
    public static Value apply(Op op, Value... inputs) {
        List<Value> out = applyAll(op, inputs);
        require(
                out.size() == 1,
                INVALID_ARGUMENT,
                "%s: has %d outputs, one was wanted",
                op.signature().name(),
                out.size());
        return out.get(0);
    }

    /** All outputs of an op on these inputs, of which there must be one at least. */
    public static List<Value> applyAll(Op op, Value... inputs) {
        List<Edge> edges = new ArrayList<>();
        for (Value v : inputs) edges.add(FunctionBuilder.local(v));
        Node n = edges.get(0).node().graph().add(op, edges);
        List<Value> out = new ArrayList<>();
        for (int i = 0; i < n.outputCount(); i++) out.add(new Value(n.edge(i)));
        return out;
    }

    @Override
    public Value constantLike(double value) {
        return ops().constant(dtype(), value);
    }

    /** {@code a} where {@code condition} holds, else {@code b}, with broadcasting. */
    public static Value where(Value condition, Value a, Value b) {
        return apply(new SelectV2(), condition, a, b);
    }

    public Value matMul(Value y) {
        return matMul(y, false, false);
    }

    /** The matrix product with either side transposed first. */
    public Value matMul(Value y, boolean transposeThis, boolean transposeY) {
        return apply(new MatMul(transposeThis, transposeY), this, y);
    }

    /** Exponentials over their sum along the last axis. */
    public Value softmax() {
        return apply(new Softmax(), this);
    }

    /** The logarithm of {@link #softmax}, without its loss of precision. */
    public Value logSoftmax() {
        return apply(new LogSoftmax(), this);
    }

    /** Convolution of images [batch, rows, columns, channels] with a filter [rows, columns, in, out]; padding is SAME or VALID. */
    public Value conv2d(Value filter, int stride, String padding) {
        return apply(new Conv2D(List.of(1L, (long) stride, (long) stride, 1L), padding), this, filter);
    }

    /** The greatest of each {@code size} x {@code size} pixels, without overlap. */
    public Value maxPool(int size) {
        List<Long> window = List.of(1L, (long) size, (long) size, 1L);
        return apply(new MaxPool(window, window, "VALID"), this);
    }

    /** The mean of each {@code size} x {@code size} pixels, without overlap. */
    public Value avgPool(int size) {
        List<Long> window = List.of(1L, (long) size, (long) size, 1L);
        return apply(new AvgPool(window, window, "VALID"), this);
    }

    /** The sum over these axes, all of them when none is named; negative axes count from the end. */
    public Value sum(int... axes) {
        return sum(false, axes);
    }

    public Value sum(boolean keepDims, int... axes) {
        return apply(new Sum(keepDims), this, axes(axes));
    }

    public Value mean(int... axes) {
        return mean(false, axes);
    }

    public Value mean(boolean keepDims, int... axes) {
        return apply(new Mean(keepDims), this, axes(axes));
    }

    /** The greatest element along these axes, all of them when none is named. */
    public Value max(int... axes) {
        return apply(new Max(false), this, axes(axes));
    }

    /** The smallest element along these axes, all of them when none is named. */
    public Value min(int... axes) {
        return apply(new Min(false), this, axes(axes));
    }

    /** The index of the greatest element along an axis, as i64. */
    public Value argMax(int axis) {
        return apply(new ArgMax(DType.I64), this, ops().constant(DType.I32, axis));
    }

    /** The axes as a constant; none means all, counted at run time when the rank is not known. */
    Value axes(int... axes) {
        if (axes.length > 0) return ops().constant(Tensor.of(Shape.of(axes.length), axes));
        return ops().allAxes(this);
    }

    /** The shape as an i32 value, known at run time. */
    public Value runtimeShape() {
        return apply(new dev.oxbow.ops.array.Shape(DType.I32), this);
    }

    /** The number of dimensions as an i32 value, known at run time. */
    public Value runtimeRank() {
        return apply(new Rank(), this);
    }

    /** The number of elements as an i32 value, known at run time. */
    public Value runtimeSize() {
        return apply(new Size(DType.I32), this);
    }

    public Value expandDims(int axis) {
        return apply(new ExpandDims(), this, ops().constant(DType.I32, axis));
    }

    /** Without an axis of size 1. */
    public Value squeeze(int axis) {
        return apply(new Squeeze(List.of(axis)), this);
    }

    /** The elements {@code from, from + 1, ...} along an axis, {@code count} of them, or all that are left for -1. */
    public Value slice(int axis, int from, int count) {
        int at = axis(axis);
        int[] begin = new int[shape().rank()], size = new int[begin.length];
        Arrays.fill(size, -1);
        begin[at] = from;
        size[at] = count;
        return apply(new Slice(), this, ops().constant(begin), ops().constant(size));
    }

    /** So many parts of one size along an axis. */
    public List<Value> split(int parts, int axis) {
        return applyAll(new Split(parts), ops().constant(DType.I32, axis), this);
    }

    /** The values one behind the other along an axis. */
    public static Value concat(int axis, Value... values) {
        Value[] all = Arrays.copyOf(values, values.length + 1);
        all[values.length] = values[0].ops().constant(DType.I32, axis);
        return apply(new ConcatV2(), all);
    }

    /** The values of one shape along a new axis. */
    public static Value stack(int axis, Value... values) {
        return apply(new Pack(axis), values);
    }

    /** The elements along an axis, the last one first. */
    public Value reverse(int axis) {
        return apply(new ReverseV2(), this, ops().constant(new int[] {axis}));
    }

    /** One where the integer on a new last axis is its index, else zero. */
    public Value oneHot(int classes, DType as) {
        Ops ops = ops();
        return apply(new OneHot(-1), this, ops.constant(DType.I32, classes), ops.constant(as, 1), ops.constant(as, 0));
    }

    private int axis(int axis) {
        int rank = shape().rank();
        require(
                shape().isRankKnown() && axis >= -rank && axis < rank,
                INVALID_ARGUMENT,
                "slice: there is no axis %d in %s",
                axis,
                shape());
        return axis < 0 ? axis + rank : axis;
    }

    /** Each element zero with probability {@code rate}, the others {@code 1 / (1 - rate)} as large; other ones in each run. */
    public Value dropout(double rate) {
        return dropped(rate, apply(new RandomUniform(0, 0, dtype()), runtimeShape()));
    }

    /** As {@link #dropout(double)}; two integers decide which elements. */
    public Value dropout(double rate, Value seeds) {
        return dropped(rate, apply(new StatelessRandomUniform(dtype()), runtimeShape(), seeds));
    }

    private Value dropped(double rate, Value drawn) {
        require(rate >= 0 && rate < 1, INVALID_ARGUMENT, "dropout: the rate must be in [0, 1), got %s", rate);
        Value kept = drawn.greaterEqual(drawn.constantLike(rate)).cast(dtype());
        return times(1 / (1 - rate)).times(kept);
    }

    /** Slices at {@code indices} along an axis. */
    public Value gather(Value indices, int axis) {
        return apply(new GatherV2(0), this, indices, ops().constant(DType.I32, axis));
    }

    /** The dimensions in another order; reversed when none is named. */
    public Value transpose(int... permutation) {
        if (permutation.length > 0) return apply(new Transpose(), this, ops().constant(permutation));
        Value rank = runtimeRank(), one = ops().constant(DType.I32, 1);
        Value up = apply(new Range(), ops().constant(DType.I32, 0), rank, one);
        return apply(new Transpose(), this, rank.minus(one).minus(up));
    }

    public Value reshape(long... dims) {
        int[] ints = new int[dims.length];
        for (int i = 0; i < ints.length; i++) ints[i] = Counts.toInt(dims[i]);
        return reshape(ops().constant(Tensor.of(Shape.of(dims.length), ints)));
    }

    public Value reshape(Value shape) {
        return apply(new Reshape(), this, shape);
    }

    /** This value as the output of a node of this name, by which runs and exported graphs know it. */
    public Value named(String name) {
        return of(graph().add(new Identity(), name, List.of(edge())).edge(0));
    }

    /** The value itself, at which gradients end. */
    public Value stopGradient() {
        return apply(new StopGradient(), this);
    }

    @Override
    public String toString() {
        return edge() + " " + edge().type();
    }
}
