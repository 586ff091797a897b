package dev.oxbow.graph.wire;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.OpDefinition;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.FunctionCall;
import dev.oxbow.graph.core.Invalid;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.NodeDef;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;

/** Adds NodeDefs in any order to a graph, after their inputs; what graphs and function bodies share. */
final class NodeReader {
    /** The attribute with the shapes of outputs that the op does not tell. */
    static final String SHAPES = "_output_shapes";

    /** Finds the edge that an input string names among nodes read so far. */
    interface Inputs {
        Edge edge(String input);

        /** The node that an input string names, or null for a function's argument. */
        String node(String input);
    }

    private final Graph graph;
    private final Inputs inputs;
    private final AttributeCodec codec;

    NodeReader(Graph graph, Inputs inputs, Map<String, Object> bound) {
        this.graph = graph;
        this.inputs = inputs;
        this.codec = new AttributeCodec(graph.functions(), bound);
    }

    void read(List<NodeDef> nodes) {
        Map<String, Integer> index = new HashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            String name = nodes.get(i).getName();
            require(
                    !name.isEmpty(),
                    INVALID_ARGUMENT,
                    "GraphDef: node %d (%s) has no name",
                    i,
                    nodes.get(i).getOp());
            require(
                    index.put(name, i) == null && !graph.has(name),
                    INVALID_ARGUMENT,
                    "GraphDef: two nodes are named '%s'",
                    name);
        }
        List<int[]> back = new ArrayList<>();
        for (int i : order(nodes, index)) {
            try {
                add(nodes.get(i), index, nodes, back, i);
            } catch (RuntimeException | StackOverflowError e) {
                throw e instanceof OxbowException o
                        ? o
                        : Graph.contained(e)
                                .at(nodes.get(i).getOp(), nodes.get(i).getName(), null);
            }
        }
        for (int[] b : back)
            graph.connectBack(
                    graph.node(nodes.get(b[0]).getName()),
                    b[1],
                    inputs.edge(nodes.get(b[0]).getInput(b[1])));
    }

    /** Positions so that every node comes after its inputs, back edges aside; keeps the given order where it can. */
    private int[] order(List<NodeDef> nodes, Map<String, Integer> index) {
        int n = nodes.size();
        int[] waiting = new int[n];
        List<List<Integer>> consumers = new ArrayList<>();
        for (int i = 0; i < n; i++) consumers.add(null);
        for (int i = 0; i < n; i++) {
            NodeDef d = nodes.get(i);
            for (String in : d.getInputList()) {
                String from = in.startsWith("^") ? in.substring(1) : inputs.node(in);
                if (from == null || graph.has(from)) continue;
                Integer producer = index.get(from);
                require(
                        producer != null,
                        INVALID_ARGUMENT,
                        "GraphDef: node '%s' has input '%s', but there is no node '%s'",
                        d.getName(),
                        in,
                        from);
                if (isBackEdge(d, nodes.get(producer))) continue;
                waiting[i]++;
                if (consumers.get(producer) == null) consumers.set(producer, new ArrayList<>(2));
                consumers.get(producer).add(i);
            }
        }
        checkAcyclic(nodes, waiting.clone(), consumers);
        int[] order = new int[n];
        int done = 0;
        // ready nodes in the given order: a list that is in order already keeps its order
        var ready = new PriorityQueue<Integer>();
        for (int i = 0; i < n; i++) {
            if (waiting[i] == 0) ready.add(i);
        }
        while (!ready.isEmpty()) {
            int i = ready.poll();
            order[done++] = i;
            if (consumers.get(i) != null) for (int c : consumers.get(i)) if (--waiting[c] == 0) ready.add(c);
        }
        return order;
    }

    private static void checkAcyclic(List<NodeDef> nodes, int[] waiting, List<List<Integer>> consumers) {
        int done = 0;
        ArrayDeque<Integer> ready = new ArrayDeque<>();
        for (int i = 0; i < waiting.length; i++) if (waiting[i] == 0) ready.add(i);
        for (; !ready.isEmpty(); done++) {
            int i = ready.poll();
            if (consumers.get(i) != null) for (int c : consumers.get(i)) if (--waiting[c] == 0) ready.add(c);
        }
        if (done == waiting.length) return;
        List<String> stuck = new ArrayList<>();
        for (int i = 0; i < waiting.length && stuck.size() < 5; i++)
            if (waiting[i] > 0) stuck.add(nodes.get(i).getName());
        throw new OxbowException(
                INVALID_ARGUMENT,
                "GraphDef: a cycle without NextIteration holds %d nodes, among them %s"
                        .formatted(waiting.length - done, stuck));
    }

    private static boolean isBackEdge(NodeDef consumer, NodeDef producer) {
        return (consumer.getOp().equals("Merge") || consumer.getOp().equals("RefMerge"))
                && (producer.getOp().equals("NextIteration") || producer.getOp().equals("RefNextIteration"));
    }

    private void add(NodeDef d, Map<String, Integer> index, List<NodeDef> all, List<int[]> back, int position) {
        int most = graph.functions().limits().inputs();
        require(
                d.getInputCount() <= most,
                RESOURCE_EXHAUSTED,
                "GraphDef: a node has at most %,d inputs, node '%s' has %,d",
                most,
                d.getName(),
                d.getInputCount());
        List<Edge> data = new ArrayList<>();
        List<Node> controls = new ArrayList<>();
        for (int i = 0; i < d.getInputCount(); i++) {
            String in = d.getInput(i);
            if (in.startsWith("^")) {
                controls.add(graph.node(in.substring(1)));
                continue;
            }
            require(
                    controls.isEmpty(),
                    INVALID_ARGUMENT,
                    "GraphDef: node '%s' has data input '%s' after a control input",
                    d.getName(),
                    in);
            Integer producer = index.get(inputs.node(in));
            if (producer != null && isBackEdge(d, all.get(producer))) {
                back.add(new int[] {position, i});
                data.add(null);
            } else {
                data.add(inputs.edge(in));
            }
        }
        try {
            add(d, data, controls);
        } catch (OxbowException e) {
            OxbowException mismatch = e.code() == INVALID_ARGUMENT ? mismatch(d, data) : null;
            throw (mismatch != null ? mismatch : e).at(null, d.getName(), null);
        }
    }

    /** TensorFlow's words for an input whose type is not the one that the attributes of its node say; null for none. */
    private OxbowException mismatch(NodeDef d, List<Edge> data) {
        List<DType> wanted;
        try {
            OpSignature signature = signature(d.getOp());
            wanted = signature.inputTypes(attributes(d, signature, new HashMap<>()));
        } catch (OxbowException e) { // what is wrong are the attributes
            return null;
        }
        for (int i = 0; i < Math.min(data.size(), wanted.size()); i++) {
            if (data.get(i) == null || wanted.get(i) == null) continue;
            DType got = data.get(i).type().dtype();
            if (got == wanted.get(i)) continue;
            return new OxbowException(
                    INVALID_ARGUMENT,
                    "Input %d of node %s was passed %s from %s:%d incompatible with expected %s."
                            .formatted(
                                    i,
                                    d.getName(),
                                    got.inWords(),
                                    data.get(i).node().name(),
                                    data.get(i).port(),
                                    wanted.get(i).inWords()));
        }
        return null;
    }

    /**
     * Adds one node. One that breaks its signature is refused; one at which inference fails stays in the graph as
     * {@link Invalid}, and its error belongs to the runs that need it.
     */
    private void add(NodeDef d, List<Edge> data, List<Node> controls) {
        OpSignature signature = signature(d.getOp());
        Map<String, AttrValue> unknown = new HashMap<>();
        Map<String, Object> attributes = attributes(d, signature, unknown);
        NodeSpec spec = new NodeSpec(d.getName(), null, data, controls, d.getDevice(), AttributeCodec.extras(unknown));
        try {
            OpDefinition definition = OpRegistry.get().definition(d.getOp());
            spec = spec.withOp(
                    definition != null
                            ? definition.create(attributes)
                            : new FunctionCall(new FunctionRef(d.getOp(), Map.copyOf(attributes)), signature));
            if (GraphExporter.source(spec.op()) == null || !data.isEmpty() || !unknown.containsKey(SHAPES)) {
                graph.derive(null, spec);
                return;
            }
        } catch (RuntimeException | StackOverflowError e) {
            OxbowException error = Graph.contained(e).at(d.getOp(), d.getName(), null);
            if (error.code() == RESOURCE_EXHAUSTED) throw error;
            graph.derive(null, spec.withOp(new Invalid(signature, Map.copyOf(attributes), d, error)));
            return;
        }
        graph.source(null, spec, new TensorType(GraphExporter.source(spec.op()), declaredShape(unknown.get(SHAPES))));
    }

    /** Who sent a graph knows what its receives and arguments will get. */
    private Shape declaredShape(AttrValue shapes) {
        List<?> list = (List<?>) codec.decode(SHAPES, shapes, "list(shape)");
        require(list.size() == 1, INVALID_ARGUMENT, "attribute '%s' must have one shape, got %s", SHAPES, list);
        return (Shape) list.getFirst();
    }

    private OpSignature signature(String op) {
        OpDefinition definition = OpRegistry.get().definition(op);
        return definition != null ? definition.signature() : graph.functions().signature(op);
    }

    private Map<String, Object> attributes(NodeDef d, OpSignature signature, Map<String, AttrValue> extras) {
        Map<String, Object> attributes = new HashMap<>();
        d.getAttrMap().forEach((name, value) -> {
            OpSignature.Attribute a = signature.attribute(name);
            if (a != null) attributes.put(name, codec.decode(name, value, a.kind()));
            else extras.put(name, value);
        });
        return attributes;
    }

    /** The functions that nodes name in their attributes or by their ops, each once; nodes that cannot be read name none. */
    List<FunctionRef> calls(List<NodeDef> nodes) {
        Set<FunctionRef> calls = new LinkedHashSet<>();
        for (NodeDef d : nodes) {
            try {
                OpDefinition definition = OpRegistry.get().definition(d.getOp());
                if (definition != null) addCalls(d, definition.signature(), calls);
                else
                    calls.add(new FunctionRef(
                            d.getOp(), Map.copyOf(attributes(d, signature(d.getOp()), new HashMap<>()))));
            } catch (OxbowException e) {
                if (e.code() == RESOURCE_EXHAUSTED) throw e;
            }
        }
        return List.copyOf(calls);
    }

    private void addCalls(NodeDef d, OpSignature signature, Set<FunctionRef> calls) {
        for (OpSignature.Attribute a : signature.attributes()) {
            AttrValue value = a.kind().contains("func") ? d.getAttrMap().get(a.name()) : null;
            if (value == null) continue;
            Object v = codec.decode(a.name(), value, a.kind());
            for (Object f : v instanceof List<?> l ? l : List.of(v)) calls.add((FunctionRef) f);
        }
    }
}
