package dev.oxbow.ops;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.tensor.DType;
import java.util.List;

/**
 * A variable with its initial value: what training changes. Run {@link #initialiser} once, read {@link #value}.
 *
 * {@snippet :
 * Parameter w = Parameter.of("w", Ops.in(new Graph()).constant(Tensor.of(Shape.of(2), 1f, 2f)));
 * try (Session session = Session.open(w.value().graph())) {
 *     session.target(w.initialiser()).run();
 *     IO.println(session.fetch(w.value().edge()).run().get(0));
 * }
 * }
 */
public final class Parameter {
    private final String name;
    private final Value handle;
    private final Value value;
    private final Node initialiser;

    private Parameter(String name, Value handle, Value value, Node initialiser) {
        this.name = name;
        this.handle = handle;
        this.value = value;
        this.initialiser = initialiser;
    }

    /** A parameter that starts with the value of {@code initial}; its name is made unique in the current scope. */
    public static Parameter of(String name, Value initial) {
        return named(initial.ops().graph().uniqueInScope(name), initial);
    }

    /** A parameter of exactly this name, which nothing in the graph may have yet. */
    public static Parameter named(String name, Value initial) {
        Graph g = initial.ops().graph();
        VarHandleOp op = new VarHandleOp("", name, "", initial.dtype(), initial.shape(), List.of());
        Node handle = g.addNamed(op, g.unique(name + "/handle"), List.of());
        Node assign = g.addNamed(
                new AssignVariableOp(false), g.unique(name + "/assign"), List.of(handle.edge(0), initial.edge()));
        Node read = g.addNamed(new ReadVariableOp(initial.dtype()), name, List.of(handle.edge(0)));
        return new Parameter(name, Value.of(handle.edge(0)), Value.of(read.edge(0)), assign);
    }

    /** The variable that a handle of the graph stands for, such as one that was loaded; {@code initialiser} gives it its value. */
    public static Parameter existing(String name, Value handle, DType dtype, Node initialiser) {
        Graph g = handle.graph();
        Node read = g.addNamed(new ReadVariableOp(dtype), g.unique(name + "/value"), List.of(handle.edge()));
        return new Parameter(name, handle, Value.of(read.edge(0)), initialiser);
    }

    /** The name of the node that reads it, with its scope, and of the variable. */
    public String name() {
        return name;
    }

    public Value handle() {
        return handle;
    }

    /** The value, read when a run needs it. */
    public Value value() {
        return value;
    }

    /** Sets the initial value when run. */
    public Node initialiser() {
        return initialiser;
    }
}
