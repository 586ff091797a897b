package dev.oxbow.testing.fuzz;

import com.google.protobuf.ByteString;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.Setting;
import dev.oxbow.testing.samples.Sample;
import dev.oxbow.wire.GraphParser;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.DataType;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.TensorShapeProto;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** One sample of one op with something changed by chance: the values, shapes and dtypes fed, attributes, inputs. */
final class OpCase {
    private static final Duration LONGEST = Duration.ofMillis(500);
    private static final Setting[] SETTINGS = {Setting.PLAIN, Setting.ONE_THREAD, Setting.NO_PASSES, Setting.INTERPRETED
    };

    private final Sample sample;
    private final Random random;
    private final TensorMutation tensors;
    private final Setting setting;
    private final List<String> changes = new ArrayList<>();

    /** The case that follows from {@code seed} alone. */
    OpCase(List<Sample> samples, long seed) {
        random = new Random(seed * 0x9e3779b97f4a7c15L);
        random.nextInt();
        sample = samples.get(random.nextInt(samples.size()));
        tensors = new TensorMutation(random);
        setting = SETTINGS[random.nextInt(SETTINGS.length)];
    }

    Sample sample() {
        return sample;
    }

    /** What was changed, once it has run. */
    List<String> changes() {
        return changes;
    }

    /** Runs it; what was thrown that is no answer to bad input, or null. */
    Throwable run() throws Exception {
        Throwable[] failure = new Throwable[1];
        setting.in(() -> failure[0] = tried());
        return failure[0];
    }

    private Throwable tried() {
        try {
            runs();
            return null;
        } catch (OxbowException e) {
            return e.code() == ErrorCode.INTERNAL || e.code() == ErrorCode.UNKNOWN ? e : outOfMemory(e);
        } catch (Throwable e) {
            return e;
        }
    }

    /** Memory that ran out on the heap is no bound that anybody set. */
    private static Throwable outOfMemory(OxbowException e) {
        for (Throwable t = e; t != null; t = t.getCause())
            if (t instanceof OutOfMemoryError && String.valueOf(t.getMessage()).contains("heap")) return t;
        return null;
    }

    private void runs() {
        GraphDef.Builder def = GraphExporter.write(sample.graph()).toBuilder();
        List<Sample.Run> runs = new ArrayList<>(sample.runs());
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            if (random.nextInt(3) > 0) changeFeed(def, runs);
            else changeNode(def);
        }
        Graph graph = GraphImporter.read(GraphParser.serialise(def.build()));
        try (Engine engine = setting.engine();
                Session session = Session.open(graph, engine, setting.options())) {
            OxbowException first = null;
            for (int again = 0; again < 2; again++) {
                for (Sample.Run r : runs) {
                    try (Results results =
                            session.run(r.feeds(), r.fetches(), r.targets(), RunOptions.timeout(LONGEST))) {
                        for (Tensor t : results) if (!t.dtype().isObject() && t.byteSize() < 1 << 24) t.bytes();
                    } catch (OxbowException e) {
                        if (e.code() == ErrorCode.INTERNAL) throw e;
                        first = e;
                    }
                }
            }
            if (first != null) throw first;
        }
    }

    // a feed: the tensor, and what its placeholder says of it

    private void changeFeed(GraphDef.Builder def, List<Sample.Run> runs) {
        int r = random.nextInt(Math.max(1, runs.size()));
        if (runs.isEmpty() || runs.get(r).feeds().isEmpty()) {
            changeNode(def);
            return;
        }
        Map<String, Tensor> feeds = new LinkedHashMap<>(runs.get(r).feeds());
        List<String> names = List.copyOf(feeds.keySet());
        String name = names.get(random.nextInt(names.size()));
        Tensor before = feeds.get(name), after = tensors.of(before);
        feeds.put(name, after);
        runs.set(r, new Sample.Run(feeds, runs.get(r).fetches(), runs.get(r).targets()));
        changes.add("run " + r + ": feed " + name + " " + before.describe() + " -> " + show(after));
        String node = name.substring(0, name.lastIndexOf(':'));
        boolean known = random.nextInt(3) == 0;
        for (NodeDef.Builder n : def.getNodeBuilderList()) {
            if (!n.getName().equals(node)) continue;
            TensorShapeProto shape = known
                    ? TensorCodec.encodeShape(after.shape())
                    : TensorShapeProto.newBuilder().setUnknownRank(true).build();
            n.putAttr("shape", AttrValue.newBuilder().setShape(shape).build());
        }
        if (before.dtype() != after.dtype()) retype(def, node, before.dtype(), after.dtype());
    }

    private static String show(Tensor t) {
        if (t.dtype() == DType.STRING || t.dtype().isObject() || t.dtype().isComplex() || t.size() > 16)
            return t.describe();
        StringBuilder s = new StringBuilder(t.describe() + " {");
        for (long i = 0; i < t.size(); i++) s.append(i == 0 ? "" : ", ").append(t.getDouble(i));
        return s.append("}").toString();
    }

    /** Says the new dtype in the node and wherever its readers name the old one, so that more than the reader's check is met. */
    private static void retype(GraphDef.Builder def, String node, DType before, DType after) {
        DataType from = TensorCodec.encodeType(before), to = TensorCodec.encodeType(after);
        for (NodeDef.Builder n : def.getNodeBuilderList()) {
            boolean reads = n.getInputList().stream().anyMatch(i -> i.equals(node) || i.startsWith(node + ":"));
            if (!reads && !n.getName().equals(node)) continue;
            Map.copyOf(n.getAttrMap()).forEach((k, v) -> {
                if (v.getType() == from)
                    n.putAttr(k, AttrValue.newBuilder().setType(to).build());
            });
        }
    }

    // a node: an attribute, the order of its inputs, a constant

    private void changeNode(GraphDef.Builder def) {
        NodeDef.Builder n = def.getNodeBuilder(random.nextInt(def.getNodeCount()));
        if (n.getInputCount() > 1 && random.nextInt(4) == 0) {
            int a = random.nextInt(n.getInputCount()), b = random.nextInt(n.getInputCount());
            String kept = n.getInput(a);
            n.setInput(a, n.getInput(b)).setInput(b, kept);
            changes.add(n.getName() + ": inputs " + a + " and " + b + " swapped");
            return;
        }
        List<String> names = n.getAttrMap().keySet().stream().sorted().toList();
        if (names.isEmpty() || n.getOp().equals("Placeholder")) return;
        String name = names.get(random.nextInt(names.size()));
        AttrValue before = n.getAttrOrThrow(name), after = changed(before);
        n.putAttr(name, after);
        String text = after.toString().replace('\n', ' ');
        changes.add(n.getName() + ": " + name + " = " + (text.length() > 200 ? text.substring(0, 200) + "..." : text));
    }

    private AttrValue changed(AttrValue v) {
        AttrValue.Builder b = v.toBuilder();
        switch (v.getValueCase()) {
            case I -> b.setI(tensors.whole());
            case F -> b.setF((float) tensors.real());
            case B -> b.setB(!v.getB());
            case S -> b.setS(ByteString.copyFromUtf8(tensors.text()));
            case TYPE -> b.setType(TensorCodec.encodeType(tensors.type()));
            case SHAPE -> {
                var shape = TensorCodec.decodeShape(v.getShape());
                if (shape.isFullyKnown() && random.nextBoolean())
                    b.setShape(TensorCodec.encodeShape(tensors.shape(shape)));
                else b.getShapeBuilder().setUnknownRank(true).clearDim();
            }
            case TENSOR -> {
                Tensor t = TensorCodec.decode(v.getTensor(), 1 << 26);
                if (t.dtype() != DType.RESOURCE && t.dtype() != DType.VARIANT)
                    b.setTensor(TensorCodec.encode(tensors.of(t)));
            }
            case LIST -> b.setList(changed(v.getList()));
            default -> {
                // functions and placeholders stay
            }
        }
        return b.build();
    }

    private AttrValue.ListValue changed(AttrValue.ListValue list) {
        AttrValue.ListValue.Builder b = list.toBuilder();
        boolean shorter = random.nextInt(3) == 0, longer = random.nextInt(3) == 0;
        if (list.getICount() > 0) {
            b.setI(random.nextInt(list.getICount()), tensors.whole());
            if (longer) b.addI(tensors.whole());
            else if (shorter) b.clearI().addAllI(list.getIList().subList(0, list.getICount() - 1));
        } else if (list.getFCount() > 0) {
            b.setF(random.nextInt(list.getFCount()), (float) tensors.real());
            if (shorter) b.clearF().addAllF(list.getFList().subList(0, list.getFCount() - 1));
        } else if (list.getTypeCount() > 0) {
            b.setType(random.nextInt(list.getTypeCount()), TensorCodec.encodeType(tensors.type()));
            if (longer) b.addType(TensorCodec.encodeType(tensors.type()));
            else if (shorter) b.clearType().addAllType(list.getTypeList().subList(0, list.getTypeCount() - 1));
        } else if (list.getSCount() > 0) {
            b.setS(random.nextInt(list.getSCount()), ByteString.copyFromUtf8(tensors.text()));
            if (shorter) b.clearS().addAllS(list.getSList().subList(0, list.getSCount() - 1));
        } else if (list.getShapeCount() > 0) {
            if (shorter) b.removeShape(0);
            else b.getShapeBuilder(0).setUnknownRank(true).clearDim();
        } else b.addI(tensors.whole());
        return b.build();
    }
}
