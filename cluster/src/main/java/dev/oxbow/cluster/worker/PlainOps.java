package dev.oxbow.cluster.worker;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes apart what the optimizer of a TensorFlow master has put together for TensorFlow's own kernels: {@code
 * _FusedMatMul}, {@code _FusedConv2D}, {@code _FusedDepthwiseConv2dNative} and {@code _FusedBatchNormEx}. Our compiler
 * fuses by itself.
 */
final class PlainOps {
    private static final Map<String, String> FUSED = Map.of(
            "_FusedMatMul", "MatMul",
            "_FusedConv2D", "Conv2D",
            "_FusedDepthwiseConv2dNative", "DepthwiseConv2dNative",
            "_FusedBatchNormEx", "FusedBatchNormV3");

    private static final List<String> ACTIVATIONS = List.of("Relu", "Relu6", "Elu", "Tanh", "Sigmoid", "LeakyRelu");

    private final GraphDef.Builder out = GraphDef.newBuilder();

    /** Where outputs but the first of taken-apart nodes are now. */
    private final Map<String, String> moved = new HashMap<>();

    private PlainOps() {}

    /** The same graph without such ops. */
    static GraphDef of(GraphDef def) {
        if (def.getNodeList().stream().noneMatch(n -> FUSED.containsKey(n.getOp()))) return def;
        PlainOps p = new PlainOps();
        for (NodeDef n : def.getNodeList()) {
            if (FUSED.containsKey(n.getOp())) p.takeApart(n);
            else p.out.addNode(n);
        }
        for (NodeDef.Builder n : p.out.getNodeBuilderList())
            for (int i = 0; i < n.getInputCount(); i++)
                n.setInput(i, p.moved.getOrDefault(n.getInput(i), n.getInput(i)));
        return p.out.setLibrary(def.getLibrary()).setVersions(def.getVersions()).build();
    }

    private void takeApart(NodeDef n) {
        if (n.getOp().equals("_FusedBatchNormEx")) {
            normalise(n);
            return;
        }
        List<String> ops = new ArrayList<>();
        n.getAttrOrDefault("fused_ops", AttrValue.getDefaultInstance())
                .getList()
                .getSList()
                .forEach(s -> ops.add(s.toStringUtf8()));
        NodeDef.Builder first = next(n, FUSED.get(n.getOp()), ops.isEmpty());
        for (String a : List.of(
                "transpose_a", "transpose_b", "strides", "padding", "explicit_paddings", "data_format", "dilations"))
            if (n.containsAttr(a)) first.putAttr(a, n.getAttrOrThrow(a));
        first.addInput(n.getInput(0)).addInput(n.getInput(1));
        n.getInputList().stream().filter(i -> i.startsWith("^")).forEach(first::addInput);
        out.addNode(first);
        String before = first.getName();
        int argument = 2;
        for (int i = 0; i < ops.size(); i++) {
            String op = ops.get(i);
            NodeDef.Builder b;
            switch (op) {
                case "BiasAdd" -> {
                    b = next(n, op, i + 1 == ops.size()).addInput(before).addInput(n.getInput(argument++));
                    if (n.containsAttr("data_format") && !n.getOp().equals("_FusedMatMul"))
                        b.putAttr("data_format", n.getAttrOrThrow("data_format"));
                }
                case "FusedBatchNorm" -> {
                    b = next(n, "FusedBatchNormV3", i + 1 == ops.size()).addInput(before);
                    for (int k = 0; k < 4; k++) b.addInput(n.getInput(argument++));
                    b.putAttr("U", n.getAttrOrThrow("T"))
                            .putAttr(
                                    "is_training",
                                    AttrValue.newBuilder().setB(false).build());
                    if (n.containsAttr("epsilon")) b.putAttr("epsilon", n.getAttrOrThrow("epsilon"));
                    if (n.containsAttr("data_format")) b.putAttr("data_format", n.getAttrOrThrow("data_format"));
                }
                case "Add" ->
                    b = next(n, "AddV2", i + 1 == ops.size()).addInput(before).addInput(n.getInput(argument++));
                default -> {
                    require(
                            ACTIVATIONS.contains(op),
                            UNIMPLEMENTED,
                            "%s: fuses %s, of which %s is not known here (node %s)",
                            n.getOp(),
                            ops,
                            op,
                            n.getName());
                    b = next(n, op, i + 1 == ops.size()).addInput(before);
                    if (op.equals("LeakyRelu") && n.containsAttr("leakyrelu_alpha"))
                        b.putAttr("alpha", n.getAttrOrThrow("leakyrelu_alpha"));
                }
            }
            out.addNode(b);
            before = b.getName();
        }
    }

    /** A node of the chain: the last one has the name of the whole. */
    private static NodeDef.Builder next(NodeDef whole, String op, boolean last) {
        return NodeDef.newBuilder()
                .setName(last ? whole.getName() : whole.getName() + "/_plain/" + op)
                .setOp(op)
                .setDevice(whole.getDevice())
                .putAttr("T", whole.getAttrOrThrow("T"));
    }

    private void normalise(NodeDef n) {
        String activation = n.containsAttr("activation_mode")
                ? n.getAttrOrThrow("activation_mode").getS().toStringUtf8()
                : "Identity";
        long sides = n.containsAttr("num_side_inputs")
                ? n.getAttrOrThrow("num_side_inputs").getI()
                : 0;
        if (sides > 1 || !List.of("Identity", "Relu").contains(activation))
            throw new OxbowException(
                    UNIMPLEMENTED,
                    "_FusedBatchNormEx: %d side inputs and activation %s are not known here (node %s)"
                            .formatted(sides, activation, n.getName()));
        boolean plain = sides == 0 && activation.equals("Identity");
        NodeDef.Builder first = next(n, "FusedBatchNormV3", plain);
        for (String a : List.of("U", "epsilon", "exponential_avg_factor", "data_format", "is_training"))
            if (n.containsAttr(a)) first.putAttr(a, n.getAttrOrThrow(a));
        for (int i = 0; i < 5; i++) first.addInput(n.getInput(i));
        n.getInputList().stream().filter(i -> i.startsWith("^")).forEach(first::addInput);
        out.addNode(first);
        if (plain) return;
        for (int i = 1; i < 6; i++) moved.put(n.getName() + ":" + i, first.getName() + ":" + i);
        String before = first.getName();
        if (sides == 1) {
            boolean last = activation.equals("Identity");
            out.addNode(next(n, "AddV2", last).addInput(before).addInput(n.getInput(5)));
            before = last ? n.getName() : n.getName() + "/_plain/AddV2";
        }
        if (activation.equals("Relu")) out.addNode(next(n, "Relu", true).addInput(before));
    }
}
