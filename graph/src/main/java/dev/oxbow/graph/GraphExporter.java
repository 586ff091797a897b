package dev.oxbow.graph;

import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Invalid;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.GradientDef;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import dev.oxbow.wire.proto.OpDef;
import dev.oxbow.wire.proto.VersionDef;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
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
        return b.build();
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
            Map<String, Object> own = n.op().attributes();
            if (!own.isEmpty()) s.append(' ').append(new java.util.TreeMap<>(own));
            if (!n.device().isEmpty()) s.append(" @").append(n.device());
            s.append('\n');
        }
        return s.toString();
    }
}
