package dev.oxbow.graph.wire;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionDefinition;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Invalid;
import dev.oxbow.graph.core.Recv;
import dev.oxbow.tensor.DType;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.FunctionDefLibrary;
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

/** Writes graphs with their functions as GraphDefs that TensorFlow reads. */
public final class GraphExporter {

    /** How a value is written where it is read. */
    private interface Naming {
        String of(Edge e);
    }

    private GraphExporter() {}

    public static GraphDef write(Graph g) {
        GraphDef.Builder def =
                GraphDef.newBuilder().setVersions(VersionDef.newBuilder().setProducer(Versions.CURRENT));
        for (Node n : g.nodes())
            def.addNode(node(n, e -> e.port() == 0 ? e.node().name() : e.name()));
        FunctionLibrary functions = g.functions();
        FunctionDefLibrary.Builder library = def.getLibraryBuilder(); // there even if it is empty
        functions.definitions().values().forEach(f -> library.addFunction(function(g, f)));
        functions.made().values().forEach(f -> library.addFunction(function(f)));
        functions
                .gradients()
                .forEach((f, d) -> library.addGradient(
                        GradientDef.newBuilder().setFunctionName(f).setGradientFunc(d)));
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

    private static NodeDef node(Node n, Naming input) {
        if (n.op() instanceof Invalid i) return i.definition();
        NodeDef.Builder b = NodeDef.newBuilder()
                .setName(n.name())
                .setOp(n.op().signature().name())
                .setDevice(n.device());
        n.inputs().forEach(e -> b.addInput(input.of(e)));
        n.controls().forEach(c -> b.addInput("^" + c.name()));
        n.attributes().forEach((k, v) -> b.putAttr(k, AttributeCodec.encode(v)));
        n.extras().forEach((k, v) -> b.putAttr(k, AttributeCodec.encode(v)));
        if (source(n.op()) != null)
            b.putAttr(
                    NodeReader.SHAPES, AttributeCodec.encode(List.of(n.output(0).shape())));
        return b.build();
    }

    /** The dtype of a value whose shape others than its op know; null for other ops. */
    static DType source(Op op) {
        return switch (op) {
            case Recv r -> r.tensorType();
            case Arg a -> a.type();
            default -> null;
        };
    }

    private static FunctionDef function(Graph g, FunctionDefinition f) {
        return f instanceof WireFunction w
                ? w.message()
                : function(g.functions().get(new FunctionRef(f.name())));
    }

    private static FunctionDef function(Function f) {
        FunctionDef.Builder b = FunctionDef.newBuilder();
        f.extras().forEach((k, v) -> b.putAttr(k, AttributeCodec.encode(v)));
        OpDef.Builder s = b.getSignatureBuilder().setName(f.name()).setIsStateful(f.isStateful());
        for (int i = 0; i < f.arguments().size(); i++) {
            s.addInputArg(OpDef.ArgDef.newBuilder()
                    .setName(f.argumentNames().get(i))
                    .setTypeValue(f.arguments().get(i).output(0).dtype().number()));
        }
        Naming input = e -> e.node().op() instanceof Arg a
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
            b.putRet(name, input.of(f.results().get(i)));
        }
        for (Node n : f.body().nodes()) if (!(n.op() instanceof Arg)) b.addNodeDef(node(n, input));
        for (Node c : f.controlResults()) {
            b.putControlRet(c.name(), c.name());
            s.addControlOutput(c.name());
        }
        return b.build();
    }
}
