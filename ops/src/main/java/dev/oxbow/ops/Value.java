package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.math.Conj;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.math.Sum;
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

    // ---- what it is

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

    // ---- applying ops

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
        for (Value v : inputs) edges.add(v.edge());
        Node n = inputs[0].graph().add(op, edges);
        List<Value> out = new ArrayList<>();
        for (int i = 0; i < n.outputCount(); i++) out.add(new Value(n.edge(i)));
        return out;
    }

    /** A constant of this value's dtype, in its graph. */
    public Value constantLike(double value) {
        return ops().constant(dtype(), value);
    }

    // ---- arithmetic

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

    /** The axes as a constant; none means all, counted at run time when the rank is not known. */
    Value axes(int... axes) {
        if (axes.length > 0) return ops().constant(Tensor.of(Shape.of(axes.length), axes));
        return ops().allAxes(this);
    }

    // ---- shape

    public Value reshape(long... dims) {
        int[] ints = new int[dims.length];
        for (int i = 0; i < ints.length; i++) ints[i] = Math.toIntExact(dims[i]);
        return reshape(ops().constant(Tensor.of(Shape.of(dims.length), ints)));
    }

    public Value reshape(Value shape) {
        return apply(new Reshape(), this, shape);
    }

    @Override
    public String toString() {
        return edge() + " " + edge().type();
    }
}
