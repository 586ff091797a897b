package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.ALREADY_EXISTS;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.RefMerge;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A dataflow graph: nodes in the order they were added, each with its types inferred when it was made, so that a
 * wrong graph fails at the line that wrote it. It only grows; a program made from a prefix stays valid. Adding is for
 * one thread at a time, reading a prefix for any.
 *
 * {@snippet :
 * Graph graph = new Graph();
 * Value x = Ops.in(graph).placeholder("x", DType.F32, Shape.of(-1, 2));
 * Value length = x.square().sum(1).sqrt();
 * IO.println(graph.node("x").output(0) + " -> " + length.edge());
 * }
 */
public final class Graph {
    /** The attribute of nodes whose values go between tasks in fewer bits; see {@link #truncated}. */
    public static final String WIRE = "_wire";

    /** The attribute of nodes that share the state of a session with others; see {@link Node#stateName}. */
    public static final String STATE = "_state";

    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Node> byName = new HashMap<>();
    private final Map<String, Integer> suffixes = new HashMap<>();
    private final FunctionLibrary functions;

    private String scope = "";
    private String device = "";
    private List<String> colocation = List.of();
    private List<Node> controlScope = List.of();
    private String wire;

    public Graph() {
        this(new FunctionLibrary());
    }

    /** A graph over a library that others share: the body of a function, or the product of a pass. */
    public Graph(FunctionLibrary functions) {
        this.functions = functions;
    }

    /** Adds a node in the current scopes under a name made from the op's. */
    public Node add(Op op, List<Edge> inputs) {
        return add(op, op.signature().name(), inputs);
    }

    /** Adds a node in the current scopes; the name is made unique. */
    public Node add(Op op, String name, List<Edge> inputs) {
        return addNamed(op, uniqueInScope(name), inputs);
    }

    /** Adds a node in the current scopes under a name that {@link #unique} or {@link #uniqueInScope} gave. */
    public Node addNamed(Op op, String name, List<Edge> inputs) {
        Map<String, Object> extras = new HashMap<>();
        if (!colocation.isEmpty())
            extras.put("_class", colocation.stream().map(c -> "loc:@" + c).toList());
        if (wire != null) extras.put(WIRE, wire);
        return add(new NodeSpec(name, op, inputs, controlScope, device, Map.copyOf(extras)));
    }

    /** Adds a node exactly as specified, inferring its types. */
    public synchronized Node add(NodeSpec spec) {
        return add(spec, origin());
    }

    /** As {@link #add(NodeSpec)}, for a pass: the node serves {@code from}, and has its origin; null for none. */
    public synchronized Node derive(Node from, NodeSpec spec) {
        return add(spec, from == null ? null : from.origin());
    }

    private Node add(NodeSpec spec, StackTraceElement origin) {
        requireOwn(spec);
        try {
            return append(
                    spec, Typing.of(this, spec, spec.op().signature(), spec.op().attributes()), origin);
        } catch (RuntimeException | StackOverflowError e) {
            throw contained(e).at(spec.op().signature().name(), spec.name(), null);
        }
    }

    private void requireOwn(NodeSpec spec) {
        for (Edge e : spec.inputs())
            if (e != null && e.node().graph() != this)
                throw new OxbowException(
                        INVALID_ARGUMENT, "%s: input %s belongs to another graph".formatted(spec.name(), e));
        for (Node c : spec.controls())
            if (c.graph() != this)
                throw new OxbowException(
                        INVALID_ARGUMENT, "%s: control input %s belongs to another graph".formatted(spec.name(), c));
    }

    /** An error of Oxbow for whatever an op threw. */
    public static OxbowException contained(Throwable e) {
        return e instanceof OxbowException o ? o : new OxbowException(INTERNAL, e.toString(), e);
    }

    /** Adds argument {@code index} of the function whose body this graph is, with what is known of its type. */
    public synchronized Node argument(String name, int index, TensorType type) {
        return source(null, new NodeSpec(unique(name), new Arg(type.dtype(), index), List.of()), type);
    }

    /** Adds a node without inputs whose op does not tell all that is known of the type of its value. */
    public synchronized Node source(Node from, NodeSpec spec, TensorType type) {
        StackTraceElement origin = from == null ? null : from.origin();
        return append(spec, new Typing(new boolean[0], new TensorType[] {type.deref()}), origin);
    }

    /**
     * Lets a call of functions run others that give the same results and more behind them, as differentiation needs:
     * edges of the node stay what they were. For the thread that builds the graph, while no program is being made.
     */
    public synchronized void widen(Node call, Op op) {
        require(
                call.graph() == this && call.op() instanceof CoreOp,
                INVALID_ARGUMENT,
                "%s: only a call of this graph can be widened",
                call.name());
        TensorType[] out = Typing.again(this, new NodeSpec(call.name(), op, call.inputs()));
        require(out.length >= call.outputCount(), INVALID_ARGUMENT, "%s: outputs would be lost", call.name());
        for (int i = 0; i < call.outputCount(); i++) {
            require(
                    out[i].dtype() == call.output(i).dtype(),
                    INVALID_ARGUMENT,
                    "%s: output %d would change from %s to %s",
                    call.name(),
                    i,
                    call.output(i),
                    out[i]);
            out[i] = call.output(i);
        }
        call.widen(op, out);
    }

    /** Adds a copy of a node of another graph with the types it has there; for passes. */
    public synchronized Node copy(Node from, NodeSpec spec) {
        boolean[] refs = new boolean[from.inputCount()];
        for (int i = 0; i < refs.length; i++) refs[i] = from.takesRef(i);
        return append(spec, new Typing(refs, from.outputs().toArray(TensorType[]::new)), from.origin());
    }

    /** As {@link #copy}, with other types, which whoever asks knows to be true. */
    public synchronized Node copy(Node from, NodeSpec spec, List<TensorType> outputs) {
        Node n = copy(from, spec);
        n.widen(spec.op(), outputs.toArray(TensorType[]::new));
        return n;
    }

    /** As {@link #copy}, with shapes inferred again: what is known of the inputs now may tell more of the outputs. */
    public synchronized Node refined(Node from, NodeSpec spec) {
        Node n = copy(from, spec);
        List<TensorType> now = spec.inputs().contains(null) ? null : inferred(n);
        if (now == null) return n;
        TensorType[] known = from.outputs().toArray(TensorType[]::new);
        for (int i = 0; i < known.length; i++) {
            Shape shape = now.get(i).shape();
            boolean better = shape.isFullyKnown() && !known[i].shape().isFullyKnown();
            if (better && shape.isCompatibleWith(known[i].shape())) known[i] = known[i].withShape(shape);
        }
        n.widen(spec.op(), known);
        return n;
    }

    /** What the op of a node infers from what is known of its inputs now; null where it refuses, as it will when it runs. */
    public List<TensorType> inferred(Node n) {
        NodeSpec spec = new NodeSpec(n.name(), n.op(), n.inputs(), n.controls(), n.device(), n.extras());
        try {
            return List.of(Typing.again(this, spec));
        } catch (RuntimeException e) {
            return null;
        }
    }

    /** Lets {@code adding} add nodes and definitions of functions; when it throws, those that it added are forgotten. */
    public synchronized void atomically(Runnable adding) {
        int before = nodes.size();
        Set<String> known = functions.definitions().keySet();
        try {
            adding.run();
        } catch (RuntimeException | StackOverflowError e) {
            while (nodes.size() > before) byName.remove(nodes.removeLast().name());
            functions.retainDefinitions(known);
            throw e;
        }
    }

    private Node append(NodeSpec spec, Typing types, StackTraceElement origin) {
        require(!byName.containsKey(spec.name()), ALREADY_EXISTS, "Graph: the name '%s' is taken", spec.name());
        Node n = new Node(this, nodes.size(), spec, types.refs(), types.outputs(), origin);
        nodes.add(n);
        byName.put(n.name(), n);
        return n;
    }

    /** Connects the back edge of a loop: input {@code input} of a Merge that was added with null there. */
    public synchronized void connectBack(Node merge, int input, Edge next) {
        require(
                merge.op() instanceof Merge || merge.op() instanceof RefMerge,
                INVALID_ARGUMENT,
                "%s: only a Merge has a back edge",
                merge.name());
        require(merge.input(input) == null, INVALID_ARGUMENT, "%s: input %d is connected already", merge.name(), input);
        require(
                next.type().dtype() == merge.output(0).dtype(),
                INVALID_ARGUMENT,
                "%s: the back edge %s is %s, the loop variable is %s",
                merge.name(),
                next,
                next.type(),
                merge.output(0));
        merge.connect(input, next);
    }

    private static final StackWalker WALKER = StackWalker.getInstance(Set.of(), 8);

    private static StackTraceElement origin() {
        return WALKER.walk(frames -> frames.filter(f -> !f.getClassName().startsWith("dev.oxbow.graph.")
                        && !f.getClassName().startsWith("dev.oxbow.ops."))
                .findFirst()
                .map(StackWalker.StackFrame::toStackTraceElement)
                .orElse(null));
    }

    /** Ends a scope when closed. */
    public interface Scope extends AutoCloseable {
        @Override
        void close();
    }

    /** Until closed, names of new nodes start with {@code name/}. */
    public Scope scope(String name) {
        String old = scope;
        scope = unique(scope + name) + "/";
        return () -> scope = old;
    }

    /** Until closed, new nodes wish for this device; a partial name such as {@code cpu:1} is completed at placement. */
    public Scope device(String wish) {
        String old = device;
        device = wish;
        return () -> device = old;
    }

    /** Until closed, new nodes go to the device of {@code other}. */
    public Scope colocateWith(Node other) {
        List<String> old = colocation;
        colocation = List.of(other.name());
        return () -> colocation = old;
    }

    /** Until closed, f32 values of new nodes go between tasks as {@code bf16}: the low 16 bits are dropped. */
    public Scope truncated() {
        String old = wire;
        wire = "bf16";
        return () -> wire = old;
    }

    /** Until closed, new nodes run after these; an empty list clears outer scopes. */
    public Scope after(Node... before) {
        List<Node> old = controlScope;
        var all = new LinkedHashSet<Node>(before.length == 0 ? List.of() : old);
        all.addAll(Arrays.asList(before));
        controlScope = List.copyOf(all);
        return () -> controlScope = old;
    }

    /** A name that no node has, made by appending {@code _1}, {@code _2}, ... */
    public synchronized String unique(String name) {
        Integer n = suffixes.get(name);
        if (n == null && !byName.containsKey(name)) {
            suffixes.put(name, 1);
            return name;
        }
        int i = n == null ? 1 : n;
        while (byName.containsKey(name + "_" + i) || suffixes.containsKey(name + "_" + i)) i++;
        suffixes.put(name, i + 1);
        suffixes.put(name + "_" + i, 1);
        return name + "_" + i;
    }

    /** A name inside the current scope that no node has or will be given. */
    public String uniqueInScope(String name) {
        return unique(scope + name);
    }

    public synchronized int size() {
        return nodes.size();
    }

    public synchronized Node node(int id) {
        return nodes.get(id);
    }

    /** The nodes so far, in order. */
    public synchronized List<Node> nodes() {
        return List.copyOf(nodes);
    }

    /** The node with this name, or NOT_FOUND. */
    public synchronized Node node(String name) {
        Node n = byName.get(name);
        if (n == null)
            throw new OxbowException(NOT_FOUND, "Graph: there is no node '%s'%s".formatted(name, similar(name)));
        return n;
    }

    public synchronized boolean has(String name) {
        return byName.containsKey(name);
    }

    /** The edge written {@code name:port} or {@code name}, or an error that says what is missing. */
    public Edge edge(String text) {
        int colon = text.lastIndexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        int port = 0;
        if (colon >= 0) {
            try {
                port = Integer.parseInt(text.substring(colon + 1));
            } catch (NumberFormatException e) {
                throw new OxbowException(INVALID_ARGUMENT, "Graph: '%s' is not name:port".formatted(text), e);
            }
        }
        Node n = node(name);
        require(
                port >= 0 && port < n.outputCount(),
                INVALID_ARGUMENT,
                "Graph: Connecting to invalid output %d of source node %s which has %d outputs",
                port,
                name,
                n.outputCount());
        return n.edge(port);
    }

    /** The node written {@code name}, or {@code name:port} for one of its outputs. */
    public Node target(String text) {
        int colon = text.lastIndexOf(':');
        return has(text) || colon < 0 ? node(text) : node(text.substring(0, colon));
    }

    /** Nodes that nobody reads, as things to fetch (with their outputs) or run (without). */
    public List<Node> sinks() {
        Set<Node> read = new HashSet<>();
        for (Node n : nodes()) {
            for (Edge e : n.inputs()) if (e != null) read.add(e.node());
            read.addAll(n.controls());
        }
        return nodes().stream().filter(n -> !read.contains(n)).toList();
    }

    public FunctionLibrary functions() {
        return functions;
    }

    /** One line for each node: name, op, inputs, types, attributes and device. */
    public String listing() {
        return nodes().stream().map(n -> n.describe() + "\n").collect(Collectors.joining());
    }

    @Override
    public String toString() {
        int count = functions.definitions().size();
        return "Graph of %,d nodes%s".formatted(size(), count == 0 ? "" : " and %,d functions".formatted(count));
    }

    private String similar(String name) {
        List<String> nearest = Spelling.nearest(name, byName.keySet());
        return nearest.isEmpty() ? "" : "; did you mean '" + String.join("' or '", nearest) + "'?";
    }
}
