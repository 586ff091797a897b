package dev.oxbow.graph;

import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Invalid;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.GradientDef;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.OpDef;
import dev.oxbow.wire.proto.VersionDef;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** Writes graphs with their functions as GraphDefs that TensorFlow reads. */
public final class GraphExporter {

    private GraphExporter() {}

    public static GraphDef write(Graph g) {
        GraphDef.Builder def =
                GraphDef.newBuilder().setVersions(VersionDef.newBuilder().setProducer(Versions.CURRENT));
        for (Node n : g.nodes())
            def.addNode(node(n, e -> e.port() == 0 ? e.node().name() : e.name()));
        g.functions().definitions().values().forEach(def.getLibraryBuilder()::addFunction);
        g.functions().made().values().forEach(f -> def.getLibraryBuilder().addFunction(function(f)));
        g.functions()
                .gradients()
                .forEach((f, d) -> def.getLibraryBuilder()
                        .addGradient(GradientDef.newBuilder().setFunctionName(f).setGradientFunc(d)));
        return def.build();
    }

    /** As {@link #write}, with those functions only that nodes of the graph lead to. */
    public static GraphDef writeReachable(Graph g) {
        GraphDef all = write(g);
        Map<String, FunctionDef> library = new LinkedHashMap<>();
        for (FunctionDef f : all.getLibrary().getFunctionList())
            library.put(f.getSignature().getName(), f);
        Map<String, String> gradients = g.functions().gradients();
        Set<String> named = new LinkedHashSet<>();
        ArrayDeque<NodeDef> work = new ArrayDeque<>(all.getNodeList());
        while (!work.isEmpty()) {
            Set<String> found = new LinkedHashSet<>();
            NodeDef n = work.poll();
            found.add(n.getOp());
            for (AttrValue v : n.getAttrMap().values()) {
                if (v.hasFunc()) found.add(v.getFunc().getName());
                if (v.hasList()) v.getList().getFuncList().forEach(f -> found.add(f.getName()));
            }
            for (String f : List.copyOf(found)) if (gradients.containsKey(f)) found.add(gradients.get(f));
            for (String f : found)
                if (library.containsKey(f) && named.add(f))
                    work.addAll(library.get(f).getNodeDefList());
        }
        GraphDef.Builder def = all.toBuilder().clearLibrary();
        named.forEach(f -> def.getLibraryBuilder().addFunction(library.get(f)));
        for (GradientDef d : all.getLibrary().getGradientList())
            if (named.contains(d.getFunctionName())) def.getLibraryBuilder().addGradient(d);
        return def.build();
    }

    private static NodeDef node(Node n, Function<Edge, String> input) {
        if (n.op() instanceof Invalid i) return i.definition();
        NodeDef.Builder b = NodeDef.newBuilder()
                .setName(n.name())
                .setOp(n.op().signature().name())
                .setDevice(n.device());
        n.inputs().forEach(e -> b.addInput(input.apply(e)));
        n.controls().forEach(c -> b.addInput("^" + c.name()));
        n.attributes().forEach((k, v) -> b.putAttr(k, AttributeCodec.encode(v)));
        b.putAllAttr(n.extras());
        if (isSource(n))
            b.putAttr(
                    NodeReader.SHAPES, AttributeCodec.encode(List.of(n.output(0).shape())));
        return b.build();
    }

    /** Whether others than its op know the shape of a node's value. */
    static boolean isSource(Node n) {
        return n.op() instanceof Recv || n.op() instanceof Arg;
    }

    private static FunctionDef function(dev.oxbow.graph.Function f) {
        FunctionDef.Builder b = FunctionDef.newBuilder().putAllAttr(f.extras());
        OpDef.Builder s = b.getSignatureBuilder().setName(f.name()).setIsStateful(f.isStateful());
        for (int i = 0; i < f.arguments().size(); i++) {
            s.addInputArg(OpDef.ArgDef.newBuilder()
                    .setName(f.argumentNames().get(i))
                    .setTypeValue(f.arguments().get(i).output(0).dtype().number()));
        }
        Function<Edge, String> input = e -> e.node().op() instanceof Arg a
                ? f.argumentNames().get(a.index())
                : e.node().name() + ":"
                        + e.node()
                                .op()
                                .signature()
                                .outputName(e.port(), e.node().attributes());
        Set<String> names = new HashSet<>();
        for (int i = 0; i < f.results().size(); i++) {
            String name = f.resultNames().get(i);
            if (!names.add(name)) name += "_" + i;
            s.addOutputArg(OpDef.ArgDef.newBuilder()
                    .setName(name)
                    .setTypeValue(f.results().get(i).type().dtype().number()));
            b.putRet(name, input.apply(f.results().get(i)));
        }
        for (Node n : f.body().nodes()) if (!(n.op() instanceof Arg)) b.addNodeDef(node(n, input));
        for (Node c : f.controlResults()) {
            b.putControlRet(c.name(), c.name());
            s.addControlOutput(c.name());
        }
        return b.build();
    }

    /** A readable listing: one line per node with op, inputs, types and device. */
    public static String text(Graph g) {
        StringBuilder s = new StringBuilder();
        for (Node n : g.nodes()) {
            s.append(n.name()).append(" = ").append(n.op().signature().name()).append('(');
            String separator = "";
            for (Edge e : n.inputs()) {
                s.append(separator)
                        .append(e == null ? "?" : e.port() == 0 ? e.node().name() : e.name());
                separator = ", ";
            }
            for (Node c : n.controls()) {
                s.append(separator).append('^').append(c.name());
                separator = ", ";
            }
            s.append(") -> ").append(n.outputs());
            Map<String, Object> own = new TreeMap<>(n.op().attributes());
            own.replaceAll((_, v) -> v instanceof Tensor t ? t.describe() : v);
            if (!own.isEmpty()) s.append(' ').append(own);
            if (!n.device().isEmpty()) s.append(" @").append(n.device());
            s.append('\n');
        }
        return s.toString();
    }
}
