package dev.oxbow.train.onnx;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;
import static dev.oxbow.train.onnx.Emitter.attribute;
import static dev.oxbow.train.onnx.ShapeConversions.unsqueezed;

import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.wire.onnx.TensorShapeProto;
import dev.oxbow.wire.onnx.TypeProto;
import dev.oxbow.wire.onnx.ValueInfoProto;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Loops, the lists that they read and write, and recurrence as one op. A list becomes a tensor with one axis more. */
final class LoopConversions {
    static final Map<String, Conversion> ALL = new HashMap<>();

    static {
        ALL.put("BlockLSTMV2", LoopConversions::lstm);
        ALL.put("StatelessWhile", LoopConversions::loop);
        ALL.put("TensorListFromTensor", (n, to) -> to.put(n.edge(0), to.name(n.input(0))));
        ALL.put(
                "TensorListGetItem",
                (n, to) -> to.put(
                        n.edge(0),
                        to.add("Gather", List.of(to.name(n.input(0)), to.name(n.input(1))), attribute("axis", 0))));
        ALL.put("TensorListReserve", LoopConversions::reserve);
        ALL.put("TensorListSetItem", LoopConversions::set);
        ALL.put("TensorListStack", (n, to) -> to.put(n.edge(0), to.name(n.input(0))));
        ALL.put("While", LoopConversions::loop);
    }

    private LoopConversions() {}

    /** The test is asked before the loop and at the end of each turn. */
    private static void loop(Node n, Emitter to) {
        Map<String, Object> a = n.attributes();
        Function test = n.graph().functions().get((FunctionRef) a.get("cond"));
        Function body = n.graph().functions().get((FunctionRef) a.get("body"));
        List<String> start = List.of(to.inputs(n));
        List<String> in = new ArrayList<>(List.of("", called(test, start, to).getFirst()));
        in.addAll(start);

        Emitter inner = new Emitter(to);
        inner.graph().setName(body.name());
        inner.graph().addInput(scalar(inner.fresh(), DType.I64)).addInput(scalar(inner.fresh(), DType.BOOL));
        List<String> arguments = new ArrayList<>();
        for (int i = 0; i < start.size(); i++) {
            arguments.add(inner.fresh());
            inner.graph().addInput(value(arguments.get(i), element(n.input(i).type())));
        }
        List<String> next = called(body, arguments, inner), results = new ArrayList<>();
        results.add(inner.add("Identity", List.of(called(test, next, inner).getFirst())));
        for (String x : next) results.add(inner.add("Identity", List.of(x)));
        inner.graph().addOutput(scalar(results.getFirst(), DType.BOOL));
        for (int i = 0; i < start.size(); i++)
            inner.graph().addOutput(value(results.get(i + 1), element(n.input(i).type())));
        List<String> out = to.addAll(
                start.size(), "Loop", in, attribute("body", inner.graph().build()));
        for (int i = 0; i < out.size(); i++) to.put(n.edge(i), out.get(i));
    }

    /** The results of a function whose nodes are added here. */
    private static List<String> called(Function f, List<String> arguments, Emitter to) {
        Emitter own = to.sibling();
        for (Node n : f.body().nodes())
            if (n.op() instanceof Arg arg) own.put(n.edge(0), arguments.get(arg.index()));
            else OnnxExporter.convert(n, own);
        return f.results().stream().map(own::name).toList();
    }

    private static ValueInfoProto value(String name, DType dtype) {
        return ValueInfoProto.newBuilder()
                .setName(name)
                .setType(TypeProto.newBuilder()
                        .setTensorType(TypeProto.Tensor.newBuilder().setElemType(OnnxExporter.dtype(dtype))))
                .build();
    }

    private static ValueInfoProto scalar(String name, DType dtype) {
        ValueInfoProto.Builder v = value(name, dtype).toBuilder();
        v.getTypeBuilder().getTensorTypeBuilder().setShape(TensorShapeProto.getDefaultInstance());
        return v.build();
    }

    /** The dtype of a value, or of the elements of a list. */
    private static DType element(TensorType t) {
        return t.dtype() == DType.VARIANT && !t.behind().isEmpty()
                ? t.behind().getFirst().dtype()
                : t.dtype();
    }

    private static void reserve(Node n, Emitter to) {
        String count = unsqueezed(to, to.cast(to.name(n.input(1)), DType.I64), 0);
        String sizes = to.add("Concat", List.of(count, to.sizes(n.input(0))), attribute("axis", 0));
        DType dtype = (DType) n.attributes().get("element_dtype");
        to.put(n.edge(0), to.add("Expand", List.of(to.scalar(dtype, 0), sizes)));
    }

    private static void set(Node n, Emitter to) {
        String at = to.reshaped(to.cast(to.name(n.input(1)), DType.I64), 1, 1);
        String item = unsqueezed(to, to.name(n.input(2)), 0);
        to.put(n.edge(0), to.add("ScatterND", List.of(to.name(n.input(0)), at, item)));
    }

    /** Gates are in the order input, forget, cell, output; ONNX wants input, output, forget, cell, and rows for each of them. */
    private static void lstm(Node n, Emitter to) {
        Shape x = n.input(1).type().shape(), w = n.input(4).type().shape();
        Map<String, Object> a = n.attributes();
        boolean whole =
                !(n.input(0).node().op() instanceof Const c) || c.value().getLong(0) == x.dim(0) || x.dim(0) < 0;
        require(
                whole && !(Boolean) a.get("use_peephole") && (Float) a.get("cell_clip") <= 0,
                UNIMPLEMENTED,
                "onnx: BlockLSTMV2 with peepholes, with clipping or for a part of the time (node %s)",
                n.name());
        long units = w.dim(1) / 4, in = w.dim(0) - units;
        List<String> parts =
                to.addAll(2, "Split", List.of(to.name(n.input(4)), to.ints(in, units)), attribute("axis", 0));
        String bias = gates(to, to.name(n.input(8)), 0);
        String none = to.add("Mul", List.of(bias, to.scalar(n.output(6).dtype(), 0)));
        List<String> inputs = List.of(
                to.name(n.input(1)),
                unsqueezed(to, to.transposed(gates(to, parts.get(0), 1), 1, 0), 0),
                unsqueezed(to, to.transposed(gates(to, parts.get(1), 1), 1, 0), 0),
                unsqueezed(to, to.add("Concat", List.of(bias, none), attribute("axis", 0)), 0),
                "",
                unsqueezed(to, to.name(n.input(3)), 0),
                unsqueezed(to, to.name(n.input(2)), 0));
        String y = to.add("LSTM", inputs, attribute("hidden_size", units));
        to.put(n.edge(6), to.add("Squeeze", List.of(y, to.ints(1))));
    }

    private static String gates(Emitter to, String x, int axis) {
        List<String> g = to.addAll(4, "Split", List.of(x), attribute("axis", axis), attribute("num_outputs", 4));
        return to.add("Concat", List.of(g.get(0), g.get(3), g.get(1), g.get(2)), attribute("axis", axis));
    }
}
