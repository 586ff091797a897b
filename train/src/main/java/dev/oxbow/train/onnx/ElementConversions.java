package dev.oxbow.train.onnx;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;
import static dev.oxbow.train.onnx.Emitter.attribute;

import dev.oxbow.graph.Node;
import dev.oxbow.tensor.DType;
import dev.oxbow.wire.onnx.AttributeProto;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Ops that go element by element. */
final class ElementConversions {
    static final Map<String, Conversion> ALL = new HashMap<>();

    /** Ours and ONNX's names of ops of the same meaning. */
    private static final Map<String, String> SAME = Map.ofEntries(
            Map.entry("Abs", "Abs"),
            Map.entry("Acos", "Acos"),
            Map.entry("Add", "Add"),
            Map.entry("AddN", "Sum"),
            Map.entry("AddV2", "Add"),
            Map.entry("Asin", "Asin"),
            Map.entry("Atan", "Atan"),
            Map.entry("Ceil", "Ceil"),
            Map.entry("Cos", "Cos"),
            Map.entry("Cosh", "Cosh"),
            Map.entry("Elu", "Elu"),
            Map.entry("Equal", "Equal"),
            Map.entry("Erf", "Erf"),
            Map.entry("Exp", "Exp"),
            Map.entry("Floor", "Floor"),
            Map.entry("Greater", "Greater"),
            Map.entry("GreaterEqual", "GreaterOrEqual"),
            Map.entry("Less", "Less"),
            Map.entry("LessEqual", "LessOrEqual"),
            Map.entry("Log", "Log"),
            Map.entry("LogicalAnd", "And"),
            Map.entry("LogicalNot", "Not"),
            Map.entry("LogicalOr", "Or"),
            Map.entry("Maximum", "Max"),
            Map.entry("Minimum", "Min"),
            Map.entry("Mul", "Mul"),
            Map.entry("Neg", "Neg"),
            Map.entry("Pow", "Pow"),
            Map.entry("PreventGradient", "Identity"),
            Map.entry("RealDiv", "Div"),
            Map.entry("Reciprocal", "Reciprocal"),
            Map.entry("Relu", "Relu"),
            Map.entry("Rint", "Round"),
            Map.entry("Round", "Round"),
            Map.entry("SelectV2", "Where"),
            Map.entry("Selu", "Selu"),
            Map.entry("Sigmoid", "Sigmoid"),
            Map.entry("Sign", "Sign"),
            Map.entry("Sin", "Sin"),
            Map.entry("Sinh", "Sinh"),
            Map.entry("Softplus", "Softplus"),
            Map.entry("Softsign", "Softsign"),
            Map.entry("Sqrt", "Sqrt"),
            Map.entry("StopGradient", "Identity"),
            Map.entry("Sub", "Sub"),
            Map.entry("Tan", "Tan"),
            Map.entry("Tanh", "Tanh"));

    static {
        SAME.forEach((ours, theirs) -> ALL.put(ours, (n, to) -> single(n, to, theirs)));
        ALL.put("BiasAdd", ElementConversions::bias);
        ALL.put(
                "Cast",
                (n, to) -> to.put(
                        n.edge(0), to.cast(to.name(n.input(0)), n.output(0).dtype())));
        ALL.put("ClipByValue", ElementConversions::clip);
        ALL.put("Div", ElementConversions::quotient);
        ALL.put(
                "Expm1",
                (n, to) -> to.put(n.edge(0), to.add("Sub", List.of(to.add("Exp", List.of(to.inputs(n))), one(n, to)))));
        ALL.put(
                "LeakyRelu",
                (n, to) -> single(n, to, "LeakyRelu", attribute("alpha", (Float)
                        n.attributes().get("alpha"))));
        ALL.put(
                "Log1p",
                (n, to) -> to.put(
                        n.edge(0), to.add("Log", List.of(to.add("Add", List.of(to.name(n.input(0)), one(n, to)))))));
        ALL.put(
                "NotEqual",
                (n, to) -> to.put(n.edge(0), to.add("Not", List.of(to.add("Equal", List.of(to.inputs(n)))))));
        ALL.put("Relu6", ElementConversions::relu6);
        ALL.put(
                "Rsqrt",
                (n, to) -> to.put(n.edge(0), to.add("Reciprocal", List.of(to.add("Sqrt", List.of(to.inputs(n)))))));
        ALL.put("Square", (n, to) -> {
            String x = to.name(n.input(0));
            to.put(n.edge(0), to.add("Mul", List.of(x, x)));
        });
        ALL.put("SquaredDifference", (n, to) -> {
            String d = to.add("Sub", List.of(to.inputs(n)));
            to.put(n.edge(0), to.add("Mul", List.of(d, d)));
        });
    }

    private ElementConversions() {}

    private static void single(Node n, Emitter to, String type, AttributeProto... attributes) {
        to.put(n.edge(0), to.add(type, List.of(to.inputs(n)), attributes));
    }

    private static String one(Node n, Emitter to) {
        return to.scalar(n.output(0).dtype(), 1);
    }

    private static void bias(Node n, Emitter to) {
        String[] in = to.inputs(n);
        boolean first = "NCHW".equals(n.attributes().get("data_format"));
        int rank = n.output(0).shape().rank();
        if (first && rank > 2) {
            long[] dims = new long[rank - 1];
            Arrays.fill(dims, 1);
            dims[0] = -1;
            in[1] = to.reshaped(in[1], dims);
        }
        to.put(n.edge(0), to.add("Add", List.of(in)));
    }

    /** Bounds may have the shape of the values, which {@code Clip} does not take. */
    private static void clip(Node n, Emitter to) {
        String[] in = to.inputs(n);
        String low = to.add("Max", List.of(in[0], in[1]));
        to.put(n.edge(0), to.add("Min", List.of(low, in[2])));
    }

    private static void relu6(Node n, Emitter to) {
        DType t = n.output(0).dtype();
        to.put(n.edge(0), to.add("Clip", List.of(to.name(n.input(0)), to.scalar(t, 0), to.scalar(t, 6))));
    }

    private static void quotient(Node n, Emitter to) {
        require(
                n.output(0).dtype().isFloating(),
                UNIMPLEMENTED,
                "onnx: Div is converted for floating values, got %s (node %s)",
                n.output(0),
                n.name());
        single(n, to, "Div");
    }
}
