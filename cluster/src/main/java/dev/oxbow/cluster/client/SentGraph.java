package dev.oxbow.cluster.client;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.LaterAttributes;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.GraphDef;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a master knows of a graph that goes on growing here. */
final class SentGraph {
    private final Graph graph;
    private final List<Op> ops = new ArrayList<>();
    private final Set<String> functions = new HashSet<>();
    private GraphDef onTheWay;

    SentGraph(Graph graph) {
        this.graph = graph;
    }

    /** The whole graph, which the master knows from then on. */
    GraphDef all() {
        ops.clear();
        functions.clear();
        onTheWay = LaterAttributes.leftOut(GraphExporter.write(graph));
        GraphDef def = onTheWay;
        arrived();
        return def;
    }

    boolean isBehind() {
        return graph.size() > ops.size();
    }

    /** Whether nodes that the master knows are others now: calls whose functions give more. */
    boolean isWidened() {
        List<Node> nodes = graph.nodes();
        for (int i = 0; i < ops.size(); i++) if (nodes.get(i).op() != ops.get(i)) return true;
        return false;
    }

    /** The nodes and functions that the master does not know. */
    GraphDef news() {
        GraphDef def = LaterAttributes.leftOut(GraphExporter.write(graph));
        GraphDef.Builder news = GraphDef.newBuilder().setVersions(def.getVersions());
        for (int i = ops.size(); i < def.getNodeCount(); i++) news.addNode(def.getNode(i));
        for (FunctionDef f : def.getLibrary().getFunctionList())
            if (!functions.contains(f.getSignature().getName()))
                news.getLibraryBuilder().addFunction(f);
        news.getLibraryBuilder().addAllGradient(def.getLibrary().getGradientList());
        return onTheWay = news.build();
    }

    /** Notes that the master has what it was sent last. */
    void arrived() {
        List<Node> nodes = graph.nodes();
        int known = ops.size() + onTheWay.getNodeCount();
        for (int i = ops.size(); i < known; i++) ops.add(nodes.get(i).op());
        onTheWay.getLibrary()
                .getFunctionList()
                .forEach(f -> functions.add(f.getSignature().getName()));
        onTheWay = null;
    }
}
