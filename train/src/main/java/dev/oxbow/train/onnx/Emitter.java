package dev.oxbow.train.onnx;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.ByteString;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Const;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.onnx.AttributeProto;
import dev.oxbow.wire.onnx.GraphProto;
import dev.oxbow.wire.onnx.NodeProto;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A graph of ONNX that grows, and what the edges of ours are called in it. */
final class Emitter {
    private final Emitter outer;
    private final GraphProto.Builder graph;
    private final Map<Edge, String> names = new HashMap<>();
    private int count;

    /** A graph inside of another; null for none. */
    Emitter(Emitter outer) {
        this(outer, GraphProto.newBuilder());
    }

    private Emitter(Emitter outer, GraphProto.Builder graph) {
        this.outer = outer;
        this.graph = graph;
    }

    /** Adds to the same graph, with names for other edges. */
    Emitter sibling() {
        return new Emitter(this, graph);
    }

    GraphProto.Builder graph() {
        return graph;
    }

    /** A name that nothing in the model has; those of inputs and outputs have no such prefix. */
    String fresh() {
        return outer == null ? "_" + count++ : outer.fresh();
    }

    /** Says what an edge is called. */
    void put(Edge e, String name) {
        names.put(e, name);
    }

    boolean has(Edge e) {
        return names.containsKey(e);
    }

    /** What an edge is called; a constant is added when it is asked for. */
    String name(Edge e) {
        if (e.node().op() instanceof Const c && !has(e)) put(e, constant(c.value()));
        String known = names.get(e);
        require(known != null, UNIMPLEMENTED, "onnx: nothing stands for %s", e);
        return known;
    }

    /** What the inputs of a node are called. */
    String[] inputs(Node n) {
        return n.inputs().stream().map(this::name).toArray(String[]::new);
    }

    /** A node of one output, and what that is called. */
    String add(String type, List<String> inputs, AttributeProto... attributes) {
        return addAll(1, type, inputs, attributes).getFirst();
    }

    List<String> addAll(int outputs, String type, List<String> inputs, AttributeProto... attributes) {
        List<String> made = new ArrayList<>();
        for (int i = 0; i < outputs; i++) made.add(fresh());
        addAs(made, type, inputs, attributes);
        return made;
    }

    /** A node whose outputs have these names. */
    void addAs(List<String> outputs, String type, List<String> inputs, AttributeProto... attributes) {
        graph.addNode(NodeProto.newBuilder()
                .setOpType(type)
                .setName(outputs.getFirst() + "/" + type)
                .addAllInput(inputs)
                .addAllOutput(outputs)
                .addAllAttribute(Arrays.asList(attributes)));
    }

    String constant(Tensor t) {
        String name = fresh();
        graph.addInitializer(OnnxExporter.tensor(name, t));
        return name;
    }

    /** A vector of i64, as sizes and axes are given. */
    String ints(long... values) {
        try (Tensor t = Tensor.of(Shape.of(values.length), values)) {
            return constant(t);
        }
    }

    /** A scalar of a dtype. */
    String scalar(DType dtype, double value) {
        try (Tensor t = Tensor.zeros(dtype, Shape.SCALAR)) {
            t.set(0, value);
            return constant(t);
        }
    }

    String cast(String x, DType to) {
        return add("Cast", List.of(x), attribute("to", OnnxExporter.dtype(to)));
    }

    String transposed(String x, long... permutation) {
        return add("Transpose", List.of(x), attribute("perm", permutation));
    }

    String reshaped(String x, long... dims) {
        return add("Reshape", List.of(x, ints(dims)));
    }

    /** Sizes as i64, whatever integers they were: a constant where they are one. */
    String sizes(Edge e) {
        if (e.node().op() instanceof Const c) return ints(longs(c.value()));
        return e.type().dtype() == DType.I64 ? name(e) : cast(name(e), DType.I64);
    }

    static long[] longs(Tensor t) {
        long[] all = new long[Math.toIntExact(t.size())];
        for (int i = 0; i < all.length; i++) all[i] = t.getLong(i);
        return all;
    }

    /** The value of an input that must be a constant. */
    static Tensor constant(Node n, int input) {
        require(
                n.input(input).node().op() instanceof Const,
                UNIMPLEMENTED,
                "onnx: input %d of %s must be a constant (node %s)",
                input,
                n.op().signature().name(),
                n.name());
        return ((Const) n.input(input).node().op()).value();
    }

    static AttributeProto attribute(String name, long value) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setI(value)
                .setType(AttributeProto.AttributeType.INT)
                .build();
    }

    static AttributeProto attribute(String name, float value) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setF(value)
                .setType(AttributeProto.AttributeType.FLOAT)
                .build();
    }

    static AttributeProto attribute(String name, String value) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setS(ByteString.copyFromUtf8(value))
                .setType(AttributeProto.AttributeType.STRING)
                .build();
    }

    static AttributeProto attribute(String name, long[] values) {
        AttributeProto.Builder b = AttributeProto.newBuilder().setName(name).setType(AttributeProto.AttributeType.INTS);
        for (long v : values) b.addInts(v);
        return b.build();
    }

    static AttributeProto attribute(String name, GraphProto body) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setG(body)
                .setType(AttributeProto.AttributeType.GRAPH)
                .build();
    }
}
