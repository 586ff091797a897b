package dev.oxbow.graph;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One op in a graph with its inputs. Immutable but for the back edge of a loop, which is connected once, and for calls that are widened. */
public final class Node {
    private final Graph graph;
    private final int id;
    private final String name;
    private volatile Op op;
    private final Edge[] inputs;
    private final boolean[] refInputs;
    private final List<Node> controls;
    private final String device;
    private final Map<String, Object> extras;
    private volatile TensorType[] outputs;
    private final StackTraceElement origin;

    Node(Graph graph, int id, NodeSpec spec, boolean[] refInputs, TensorType[] outputs, StackTraceElement origin) {
        this.graph = graph;
        this.id = id;
        this.name = spec.name();
        this.op = spec.op();
        this.inputs = spec.inputs().toArray(Edge[]::new);
        this.refInputs = refInputs;
        this.controls = List.copyOf(spec.controls());
        this.device = spec.device();
        this.extras = spec.extras();
        this.outputs = outputs;
        this.origin = origin;
    }

    public Graph graph() {
        return graph;
    }

    /** The position in the graph; nodes are numbered in the order they were added. */
    public int id() {
        return id;
    }

    public String name() {
        return name;
    }

    /** Under which name a session keeps what the node knows from step to step: its own, unless it is one of several that share it. */
    public String stateName() {
        return extras().get(Graph.STATE) instanceof String shared ? shared : name;
    }

    public Op op() {
        return op;
    }

    public int inputCount() {
        return inputs.length;
    }

    /** Input {@code i}; null for a back edge that is not connected yet. */
    public Edge input(int i) {
        return inputs[i];
    }

    public List<Edge> inputs() {
        return Collections.unmodifiableList(Arrays.asList(inputs));
    }

    /** Whether input {@code i} takes a reference itself rather than the value it refers to. */
    public boolean takesRef(int i) {
        return refInputs[i];
    }

    public List<Node> controls() {
        return controls;
    }

    /** The device wish, possibly partial; empty when there is none. */
    public String device() {
        return device;
    }

    /**
     * Attributes that the op does not know, such as {@code _class}; they stay on the node. Values are those of {@link
     * #attributes}; what has no such form is kept as whoever read it left it.
     */
    public Map<String, Object> extras() {
        return extras;
    }

    public int outputCount() {
        return outputs.length;
    }

    public TensorType output(int port) {
        return outputs[port];
    }

    public List<TensorType> outputs() {
        return List.of(outputs);
    }

    public Edge edge(int port) {
        return new Edge(this, port);
    }

    /** The line of the program that made the node; null when it was imported. */
    public StackTraceElement origin() {
        return origin;
    }

    /** An error that happened at this node. */
    public OxbowException located(OxbowException e) {
        return e.at(op.signature().name(), name, origin == null ? null : origin.toString());
    }

    /** Every attribute by wire name, derived ones included. */
    public Map<String, Object> attributes() {
        List<TensorType> types = new ArrayList<>();
        for (Edge e : inputs)
            types.add(e == null ? outputs[0] : e.type()); // a back edge has the type of its loop variable
        return op.signature().bind(op.attributes(), types).attributes();
    }

    /** The groups that this node wants to share a device with, from {@code _class: loc:@name}. */
    public List<String> colocations() {
        if (!(extras.get("_class") instanceof List<?> groups)) return List.of();
        return groups.stream()
                .map(Object::toString)
                .filter(s -> s.startsWith("loc:@"))
                .map(s -> s.substring(5))
                .toList();
    }

    /** One line: name, op, inputs, types, attributes and device. */
    public String describe() {
        StringBuilder s = new StringBuilder(name)
                .append(" = ")
                .append(op.signature().name())
                .append('(');
        String separator = "";
        for (Edge e : inputs) {
            s.append(separator)
                    .append(e == null ? "?" : e.port() == 0 ? e.node().name() : e.name());
            separator = ", ";
        }
        for (Node c : controls) {
            s.append(separator).append('^').append(c.name());
            separator = ", ";
        }
        s.append(") -> ").append(outputs());
        Map<String, Object> own = new TreeMap<>(op.attributes());
        own.replaceAll((_, v) -> v instanceof Tensor t ? t.describe() : v);
        if (!own.isEmpty()) s.append(' ').append(own);
        if (!device.isEmpty()) s.append(" @").append(device);
        return s.toString();
    }

    void widen(Op by, TensorType[] types) {
        op = by;
        outputs = types;
    }

    void connect(int input, Edge edge) {
        inputs[input] = edge;
    }

    @Override
    public String toString() {
        return name;
    }
}
