package dev.oxbow.testing.fuzz;

import com.google.protobuf.ByteString;
import dev.oxbow.wire.GraphParser;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.TensorProto;
import dev.oxbow.wire.proto.TensorShapeProto;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Changes a graph in a few places, as its seed says: most of it stays what an op expects, so that mutants get far. */
final class GraphFuzzMutation {
    private static final long[] NUMBERS = {
        0,
        1,
        -1,
        2,
        3,
        7,
        64,
        255,
        1 << 16,
        1 << 20,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 31,
        1L << 40,
        (1L << 60) - 1,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private final Random random;
    private final GraphDef other;
    private final GraphDef.Builder graph;

    private GraphFuzzMutation(GraphDef from, GraphDef other, Random random) {
        this.random = random;
        this.other = other;
        this.graph = from.toBuilder();
    }

    /** The bytes of a mutant of {@code from}, with pieces of {@code other}. */
    static byte[] of(GraphDef from, GraphDef other, Random random) {
        var mutation = new GraphFuzzMutation(from, other, random);
        for (int k = 1 + random.nextInt(3); k > 0; k--) mutation.change();
        byte[] bytes = GraphParser.serialise(mutation.graph.build());
        return random.nextInt(20) == 0 ? flipped(bytes, random) : bytes;
    }

    private static byte[] flipped(byte[] bytes, Random random) {
        for (int k = 1 + random.nextInt(3); k > 0 && bytes.length > 0; k--) {
            int at = random.nextInt(bytes.length);
            if (random.nextInt(8) == 0) bytes = Arrays.copyOf(bytes, at);
            else bytes[at] = (byte) (random.nextBoolean() ? random.nextInt() : bytes[at] ^ 1 << random.nextInt(8));
        }
        return bytes;
    }

    private void change() {
        switch (random.nextInt(24)) {
            case 0 -> versions();
            case 1 -> function();
            case 2 -> duplicate();
            case 3 -> remove();
            case 4 -> splice();
            case 5, 6, 7, 8, 9, 10 -> node(this::inputs);
            default -> node(this::attribute);
        }
    }

    private interface Change {
        void apply(NodeDef.Builder node);
    }

    private void node(Change change) {
        List<NodeDef.Builder> nodes = new ArrayList<>(graph.getNodeBuilderList());
        for (FunctionDef.Builder f : graph.getLibraryBuilder().getFunctionBuilderList())
            nodes.addAll(f.getNodeDefBuilderList());
        if (!nodes.isEmpty()) change.apply(nodes.get(random.nextInt(nodes.size())));
    }

    private void versions() {
        graph.getVersionsBuilder().setProducer((int) number()).setMinConsumer(random.nextInt(3000));
    }

    private void function() {
        List<FunctionDef.Builder> all = graph.getLibraryBuilder().getFunctionBuilderList();
        if (all.isEmpty()) return;
        FunctionDef.Builder f = all.get(random.nextInt(all.size()));
        switch (random.nextInt(5)) {
            case 0 -> f.getRetMap().keySet().forEach(k -> f.putRet(k, f.getNodeDefCount() == 0 ? "x" : reference(f)));
            case 1 -> {
                if (f.getSignature().getInputArgCount() > 0)
                    f.getSignatureBuilder().getInputArgBuilder(0).setTypeValue(random.nextInt(30));
            }
            case 2 -> {
                if (f.getSignature().getOutputArgCount() > 0)
                    f.getSignatureBuilder()
                            .getOutputArgBuilder(0)
                            .setNumberAttr("N")
                            .setTypeAttr("T");
            }
            case 3 -> graph.getLibraryBuilder().addFunction(f.build());
            default -> {
                if (f.getNodeDefCount() > 0)
                    f.addNodeDef(f.getNodeDef(random.nextInt(f.getNodeDefCount())).toBuilder()
                            .setName("more" + random.nextInt(9)));
            }
        }
    }

    private String reference(FunctionDef.Builder f) {
        String name = f.getNodeDef(random.nextInt(f.getNodeDefCount())).getName();
        return switch (random.nextInt(4)) {
            case 0 -> name;
            case 1 -> name + ":output:" + random.nextInt(3);
            case 2 -> name + ":z:" + number();
            default -> name + ":" + number();
        };
    }

    private void duplicate() {
        if (graph.getNodeCount() == 0) return;
        NodeDef n = graph.getNode(random.nextInt(graph.getNodeCount()));
        graph.addNode(n.toBuilder().setName(random.nextInt(4) == 0 ? n.getName() : n.getName() + "_more"));
    }

    private void remove() {
        if (graph.getNodeCount() > 0) graph.removeNode(random.nextInt(graph.getNodeCount()));
    }

    /** Adds a node of another graph that reads nodes of this one. */
    private void splice() {
        if (other.getNodeCount() == 0 || graph.getNodeCount() == 0) return;
        NodeDef.Builder n =
                other.getNode(random.nextInt(other.getNodeCount())).toBuilder().setName("spliced" + random.nextInt(9));
        for (int i = 0; i < n.getInputCount(); i++)
            n.setInput(i, graph.getNode(random.nextInt(graph.getNodeCount())).getName());
        graph.addNode(n);
    }

    private void inputs(NodeDef.Builder n) {
        String some = graph.getNodeCount() == 0
                ? "x"
                : graph.getNode(random.nextInt(graph.getNodeCount())).getName();
        int at = n.getInputCount() == 0 ? -1 : random.nextInt(n.getInputCount());
        switch (random.nextInt(7)) {
            case 0 -> n.addInput(some);
            case 1 -> n.addInput("^" + some);
            case 2 -> n.setName(random.nextInt(3) == 0 ? "" : some + ":" + random.nextInt(3));
            case 3 -> {
                if (at >= 0) n.setInput(at, some + ":" + (random.nextBoolean() ? random.nextInt(3) : number()));
            }
            case 4 -> {
                if (at < 0) return;
                List<String> left = new ArrayList<>(n.getInputList());
                left.remove(at);
                n.clearInput().addAllInput(left);
            }
            case 5 -> {
                if (at >= 0) n.addInput(n.getInput(at));
            }
            default -> {
                if (at < 0) return;
                String first = n.getInput(0);
                n.setInput(0, n.getInput(at)).setInput(at, first);
            }
        }
    }

    private void attribute(NodeDef.Builder n) {
        List<String> names = n.getAttrMap().keySet().stream().sorted().toList();
        if (names.isEmpty()) return;
        String name = names.get(random.nextInt(names.size()));
        AttrValue value = n.getAttrMap().get(name);
        switch (random.nextInt(12)) {
            case 0 -> n.removeAttr(name);
            case 1 -> n.putAttr(name, n.getAttrMap().get(names.get(random.nextInt(names.size()))));
            case 2 -> n.putAttr(name, any());
            default -> n.putAttr(name, changed(value));
        }
    }

    private AttrValue any() {
        AttrValue.Builder b = AttrValue.newBuilder();
        switch (random.nextInt(10)) {
            case 0 -> b.setI(number());
            case 1 -> b.setF(random.nextFloat());
            case 2 -> b.setB(random.nextBoolean());
            case 3 -> b.setS(text());
            case 4 -> b.setTypeValue(random.nextInt(30));
            case 5 -> b.setShape(shape());
            case 6 ->
                b.setTensor(TensorProto.newBuilder()
                        .setDtypeValue(random.nextInt(24))
                        .setTensorShape(shape()));
            case 7 -> b.setPlaceholder("T");
            case 8 -> b.getListBuilder().addI(number()).addI(number());
            default -> {}
        }
        return b.build();
    }

    private AttrValue changed(AttrValue v) {
        AttrValue.Builder b = v.toBuilder();
        switch (v.getValueCase()) {
            case I -> b.setI(random.nextInt(3) == 0 ? v.getI() + random.nextInt(5) - 2 : number());
            case F -> b.setF(new float[] {0, -1, 1e30f, Float.NaN, random.nextFloat()}[random.nextInt(5)]);
            case B -> b.setB(!v.getB());
            case S -> b.setS(text());
            case TYPE -> b.setTypeValue(random.nextInt(26));
            case SHAPE -> b.setShape(random.nextInt(3) == 0 ? shape() : changed(v.getShape()));
            case TENSOR -> b.setTensor(changed(v.getTensor()));
            case LIST -> list(b.getListBuilder());
            case FUNC -> {
                int n = graph.getLibrary().getFunctionCount();
                b.getFuncBuilder()
                        .setName(
                                n == 0
                                        ? "none"
                                        : graph.getLibrary()
                                                .getFunction(random.nextInt(n))
                                                .getSignature()
                                                .getName());
            }
            case PLACEHOLDER -> b.setPlaceholder("N");
            case VALUE_NOT_SET -> {}
        }
        return b.build();
    }

    private void list(AttrValue.ListValue.Builder l) {
        switch (random.nextInt(4)) {
            case 0 -> l.clear();
            case 1 -> {
                if (l.getICount() > 0) l.setI(random.nextInt(l.getICount()), number());
                if (l.getTypeCount() > 0) l.setTypeValue(random.nextInt(l.getTypeCount()), random.nextInt(26));
                if (l.getShapeCount() > 0) l.setShape(random.nextInt(l.getShapeCount()), shape());
                if (l.getSCount() > 0) l.setS(random.nextInt(l.getSCount()), text());
            }
            case 2 -> {
                if (l.getICount() > 0) l.addI(l.getI(0));
                if (l.getTypeCount() > 0) l.addTypeValue(l.getTypeValue(0));
                if (l.getShapeCount() > 0) l.addShape(l.getShape(0));
            }
            default -> {
                if (random.nextBoolean()) l.addI(number());
                else l.addTypeValue(random.nextInt(26));
            }
        }
    }

    private TensorProto changed(TensorProto t) {
        TensorProto.Builder b = t.toBuilder();
        switch (random.nextInt(6)) {
            case 0 -> b.setDtypeValue(random.nextInt(26));
            case 1 -> b.setTensorShape(changed(t.getTensorShape()));
            case 2 -> b.setTensorShape(shape());
            case 3 ->
                b.clearTensorContent()
                        .addIntVal((int) number())
                        .addInt64Val(number())
                        .addStringVal(text());
            default -> {
                byte[] content = t.getTensorContent().toByteArray();
                if (content.length > 0) {
                    content[random.nextInt(content.length)] = (byte) random.nextInt();
                    b.setTensorContent(ByteString.copyFrom(content));
                } else if (t.getIntValCount() > 0) b.setIntVal(random.nextInt(t.getIntValCount()), (int) number());
                else if (t.getInt64ValCount() > 0) b.setInt64Val(random.nextInt(t.getInt64ValCount()), number());
                else if (t.getStringValCount() > 0) b.setStringVal(random.nextInt(t.getStringValCount()), text());
            }
        }
        return b.build();
    }

    private TensorShapeProto changed(TensorShapeProto s) {
        TensorShapeProto.Builder b = s.toBuilder();
        if (s.getDimCount() == 0 || random.nextInt(4) == 0) b.addDimBuilder().setSize(random.nextInt(4));
        else if (random.nextInt(4) == 0) b.removeDim(random.nextInt(s.getDimCount()));
        else
            b.getDimBuilder(random.nextInt(s.getDimCount()))
                    .setSize(random.nextInt(3) == 0 ? number() : random.nextInt(4));
        return b.build();
    }

    private TensorShapeProto shape() {
        TensorShapeProto.Builder b = TensorShapeProto.newBuilder().setUnknownRank(random.nextInt(8) == 0);
        for (int rank = random.nextInt(5); rank > 0; rank--)
            b.addDimBuilder().setSize(random.nextInt(4) == 0 ? number() : random.nextInt(4));
        return b.build();
    }

    private long number() {
        return random.nextInt(3) == 0 ? random.nextInt(9) - 4 : NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private ByteString text() {
        return switch (random.nextInt(4)) {
            case 0 -> ByteString.EMPTY;
            case 1 -> ByteString.copyFrom(new byte[] {0, (byte) 0xff, 'a'});
            case 2 -> ByteString.copyFromUtf8("NCHW");
            default -> ByteString.copyFromUtf8("x".repeat(random.nextInt(100)));
        };
    }
}
