package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.ops.array.StridedSliceGrad;
import dev.oxbow.ops.math.Mean;
import dev.oxbow.ops.math.RealDiv;
import dev.oxbow.ops.math.Sum;
import dev.oxbow.ops.random.RandomPiece;
import dev.oxbow.parallel.ops.Piece;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Adds what a node becomes where it computes one piece: its operands speak of the piece, not of the whole.
 *
 * @param travels whether the graph goes to other processes, so that every op must have a form on the wire
 */
record Localising(Graph out, Node whole, Rule rule, Rows rows, boolean travels) {

    Node add(NodeSpec spec) {
        return switch (rule.form()) {
            case PLAIN -> out.derive(whole, spec);
            case PASSED -> out.derive(whole, with(spec, new Identity(), spec.inputs()));
            case SHAPED -> out.derive(whole, with(spec, spec.op(), replaced(spec, shape())));
            case ITEMS -> out.derive(whole, with(spec, spec.op(), replaced(spec, items())));
            case BOX -> out.derive(whole, with(spec, spec.op(), replaced(spec, box())));
            case MEAN -> mean(spec);
            case DRAWN -> travels ? taken(spec) : out.derive(whole, with(spec, drawn(), replaced(spec, shape())));
            case STRIDED -> strided(spec);
        };
    }

    private static NodeSpec with(NodeSpec s, Op op, List<Edge> inputs) {
        return new NodeSpec(s.name(), op, inputs, s.controls(), s.device(), s.extras());
    }

    /** The inputs with another operand; as they were where that says the same of a piece as of the whole. */
    private List<Edge> replaced(NodeSpec spec, long[] values) {
        if (values == null) return spec.inputs();
        List<Edge> inputs = new ArrayList<>(spec.inputs());
        Edge old = inputs.get(rule.operand());
        Tensor t = Tensor.allocate(old.type().dtype(), Shape.of(values.length));
        for (int i = 0; i < values.length; i++) t.setLong(i, values[i]);
        inputs.set(rule.operand(), constant(spec, "/shape", t, old));
        return inputs;
    }

    /** A constant that lives where another value does: in its loop, and dead where that is. */
    private Edge constant(NodeSpec spec, String suffix, Tensor value, Edge beside) {
        boolean isFree =
                beside.node().op() instanceof Const && beside.node().controls().isEmpty();
        List<Node> after = isFree ? List.of() : List.of(beside.node());
        String name = out.unique(spec.name() + suffix);
        return out.derive(whole, new NodeSpec(name, new Const(value), List.of(), after, spec.device(), Map.of()))
                .edge(0);
    }

    private long[] shape() {
        long[] dims = whole.output(0).shape().dims().clone();
        int axis = rule.gives()[0].axis();
        dims[axis] = rows.of(dims[axis]);
        return dims;
    }

    /** The shape of an item, where the operand says one; the axis is that of the list. */
    private long[] items() {
        Tensor said = Known.constant(whole.input(rule.operand()));
        Layout list = whole.inputCount() > 0 && whole.input(0).type().dtype() == DType.VARIANT
                ? rule.wants()[0]
                : rule.gives()[0];
        if (said == null || said.shape().rank() != 1 || !list.isSplit()) return null;
        long[] dims = new long[(int) said.size()];
        for (int i = 0; i < dims.length; i++) dims[i] = said.getLong(i);
        int axis = list.axis();
        if (axis >= dims.length || dims[axis] < 0) return null;
        dims[axis] = Lists.makes(whole) ? -1 : rows.of(dims[axis]);
        return dims;
    }

    private long[] box() {
        Tensor said = Known.constant(whole.input(rule.operand()));
        long[] size = new long[(int) said.size()];
        for (int i = 0; i < size.length; i++) size[i] = said.getLong(i);
        int axis = rule.gives()[0].axis();
        size[axis] = rows.of(whole.output(0).shape().dim(axis));
        return size;
    }

    /** All numbers of the whole, and those of the piece of them: an op of which others know how to make it. */
    private Node taken(NodeSpec spec) {
        String name = out.unique(spec.name() + "/whole");
        Node all = out.derive(
                whole, new NodeSpec(name, spec.op(), spec.inputs(), spec.controls(), spec.device(), spec.extras()));
        int axis = rule.gives()[0].axis();
        long dim = whole.output(0).shape().dim(axis);
        Piece piece = new Piece(axis, rows.from(dim), rows.of(dim));
        return out.derive(whole, with(spec.withControls(List.of()), piece, List.of(all.edge(0))));
    }

    private Op drawn() {
        Shape y = whole.output(0).shape();
        long row = y.dim(0) == 0 ? 0 : y.size() / y.dim(0);
        return new RandomPiece(whole.op(), rows.from(y.dim(0)) * row, y.size());
    }

    private Node mean(NodeSpec spec) {
        Mean mean = (Mean) spec.op();
        String name = out.unique(spec.name() + "/sum");
        Node sum = out.derive(
                whole,
                new NodeSpec(
                        name, new Sum(mean.keepDims()), spec.inputs(), spec.controls(), spec.device(), spec.extras()));
        Shape x = whole.input(0).type().shape(), y = whole.output(0).shape();
        Tensor count = Tensor.allocate(whole.output(0).dtype(), Shape.SCALAR);
        count.set(0, y.size() == 0 ? 1 : (double) x.size() / y.size());
        Edge by = constant(spec, "/count", count, spec.inputs().get(1));
        return out.derive(whole, with(spec.withControls(List.of()), new RealDiv(), List.of(sum.edge(0), by)));
    }

    /** All of the split axis, whatever its length. */
    private Node strided(NodeSpec spec) {
        if (spec.op() instanceof StridedSlice s)
            return out.derive(
                    whole,
                    with(spec, masked(s, 1, whole.input(0).type().shape(), rule.wants()[0].axis()), spec.inputs()));
        StridedSliceGrad g = (StridedSliceGrad) spec.op();
        StridedSlice s =
                new StridedSlice(g.beginMask(), g.endMask(), g.ellipsisMask(), g.newAxisMask(), g.shrinkAxisMask());
        StridedSlice m = masked(s, 1, whole.output(0).shape(), rule.gives()[0].axis());
        Op op = new StridedSliceGrad(m.beginMask(), m.endMask(), m.ellipsisMask(), m.newAxisMask(), m.shrinkAxisMask());
        return out.derive(whole, with(spec, op, replaced(spec, shape())));
    }

    private StridedSlice masked(StridedSlice s, int first, Shape x, int axis) {
        int entries = (int) whole.input(first).type().shape().size();
        int e = Axes.entry(s, entries, x.rank(), axis);
        int bit = e < 0 ? 0 : 1 << e;
        return new StridedSlice(
                s.beginMask() | bit, s.endMask() | bit, s.ellipsisMask(), s.newAxisMask(), s.shrinkAxisMask());
    }
}
