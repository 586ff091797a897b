package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.array.ExpandDims;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.array.Range;
import dev.oxbow.ops.array.Rank;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.array.Size;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.ops.flow.StopGradient;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.math.Abs;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.math.ArgMax;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.ops.math.Complex;
import dev.oxbow.ops.math.ComplexAbs;
import dev.oxbow.ops.math.Conj;
import dev.oxbow.ops.math.Cos;
import dev.oxbow.ops.math.Div;
import dev.oxbow.ops.math.Equal;
import dev.oxbow.ops.math.Exp;
import dev.oxbow.ops.math.Greater;
import dev.oxbow.ops.math.GreaterEqual;
import dev.oxbow.ops.math.Imag;
import dev.oxbow.ops.math.Less;
import dev.oxbow.ops.math.LessEqual;
import dev.oxbow.ops.math.Log;
import dev.oxbow.ops.math.Max;
import dev.oxbow.ops.math.Maximum;
import dev.oxbow.ops.math.Mean;
import dev.oxbow.ops.math.Min;
import dev.oxbow.ops.math.Minimum;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.math.Neg;
import dev.oxbow.ops.math.NotEqual;
import dev.oxbow.ops.math.Pow;
import dev.oxbow.ops.math.Real;
import dev.oxbow.ops.math.RealDiv;
import dev.oxbow.ops.math.Reciprocal;
import dev.oxbow.ops.math.Relu;
import dev.oxbow.ops.math.Rsqrt;
import dev.oxbow.ops.math.SelectV2;
import dev.oxbow.ops.math.Sigmoid;
import dev.oxbow.ops.math.Sign;
import dev.oxbow.ops.math.Sin;
import dev.oxbow.ops.math.Softplus;
import dev.oxbow.ops.math.Sqrt;
import dev.oxbow.ops.math.Square;
import dev.oxbow.ops.math.Sub;
import dev.oxbow.ops.math.Sum;
import dev.oxbow.ops.math.Tanh;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** An output of a node, with methods that add nodes behind it: {@code x.matMul(w).plus(b).relu()}. */
public class Value {
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

    /** A constant of this value's dtype, in its graph. */
    public Value constantLike(double value) {
        return ops().constant(dtype(), value);
    }

    /** {@code a} where {@code condition} holds, else {@code b}, with broadcasting. */
    public static Value where(Value condition, Value a, Value b) {
        return apply(new SelectV2(), condition, a, b);
    }

    public Value plus(Value y) {
        return apply(new AddV2(), this, y);
    }

    public Value plus(double y) {
        return plus(constantLike(y));
    }

    public Value times(Value y) {
        return apply(new Mul(), this, y);
    }

    public Value times(double y) {
        return times(constantLike(y));
    }

    public Value minus(Value y) {
        return apply(new Sub(), this, y);
    }

    public Value minus(double y) {
        return minus(constantLike(y));
    }

    /** The quotient; integers are divided as {@code Div} does, truncated. */
    public Value dividedBy(Value y) {
        return apply(dtype().isInteger() ? new Div() : new RealDiv(), this, y);
    }

    public Value dividedBy(double y) {
        return dividedBy(constantLike(y));
    }

    public Value negated() {
        return apply(new Neg(), this);
    }

    public Value reciprocal() {
        return apply(new Reciprocal(), this);
    }

    public Value abs() {
        return dtype().isComplex() ? apply(new ComplexAbs(dtype().real()), this) : apply(new Abs(), this);
    }

    public Value sign() {
        return apply(new Sign(), this);
    }

    public Value square() {
        return apply(new Square(), this);
    }

    public Value sqrt() {
        return apply(new Sqrt(), this);
    }

    public Value rsqrt() {
        return apply(new Rsqrt(), this);
    }

    public Value pow(Value y) {
        return apply(new Pow(), this, y);
    }

    public Value maximum(Value y) {
        return apply(new Maximum(), this, y);
    }

    public Value minimum(Value y) {
        return apply(new Minimum(), this, y);
    }

    public Value cos() {
        return apply(new Cos(), this);
    }

    public Value exp() {
        return apply(new Exp(), this);
    }

    public Value log() {
        return apply(new Log(), this);
    }

    public Value relu() {
        return apply(new Relu(), this);
    }

    public Value sigmoid() {
        return apply(new Sigmoid(), this);
    }

    public Value sin() {
        return apply(new Sin(), this);
    }

    public Value softplus() {
        return apply(new Softplus(), this);
    }

    public Value tanh() {
        return apply(new Tanh(), this);
    }

    public Value equalTo(Value y) {
        return apply(new Equal(), this, y);
    }

    public Value notEqualTo(Value y) {
        return apply(new NotEqual(), this, y);
    }

    public Value less(Value y) {
        return apply(new Less(), this, y);
    }

    public Value lessEqual(Value y) {
        return apply(new LessEqual(), this, y);
    }

    public Value greater(Value y) {
        return apply(new Greater(), this, y);
    }

    public Value greaterEqual(Value y) {
        return apply(new GreaterEqual(), this, y);
    }

    /** The value in another dtype; itself when it has it. */
    public Value cast(DType to) {
        return dtype() == to ? this : apply(new Cast(to), this);
    }

    /** The complex number with this real part and that imaginary part. */
    public Value complexWith(Value imaginary) {
        return apply(new Complex(dtype() == DType.F64 ? DType.C128 : DType.C64), this, imaginary);
    }

    /** The real part; a real value itself. */
    public Value real() {
        return dtype().isComplex() ? apply(new Real(dtype().real()), this) : this;
    }

    public Value imag() {
        return apply(new Imag(dtype().real()), this);
    }

    /** The complex conjugate; a real value is its own. */
    public Value conj() {
        return dtype().isComplex() ? apply(new Conj(), this) : this;
    }

    public Value matMul(Value y) {
        return matMul(y, false, false);
    }

    /** The matrix product with either side transposed first. */
    public Value matMul(Value y, boolean transposeThis, boolean transposeY) {
        return apply(new MatMul(transposeThis, transposeY), this, y);
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

    /** The value itself, at which gradients end. */
    public Value stopGradient() {
        return apply(new StopGradient(), this);
    }

    @Override
    public String toString() {
        return edge() + " " + edge().type();
    }
}
