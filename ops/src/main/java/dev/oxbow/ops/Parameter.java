package dev.oxbow.ops;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.ResourceApplyAdam;
import dev.oxbow.ops.state.ResourceApplyGradientDescent;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** A variable with its initial value: what training changes. Run {@link #initialiser} once, read {@link #value}. */
public final class Parameter {
    private static final double BETA1 = 0.9;
    private static final double BETA2 = 0.999;
    private static final double EPSILON = 1e-8;

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

    private static Parameter named(String name, Value initial) {
        Graph g = initial.ops().graph();
        VarHandleOp op = new VarHandleOp("", name, "", initial.dtype(), initial.shape(), List.of());
        Node handle = g.addNamed(op, g.unique(name + "/handle"), List.of());
        Node assign = g.addNamed(
                new AssignVariableOp(false), g.unique(name + "/assign"), List.of(handle.edge(0), initial.edge()));
        Node read = g.addNamed(new ReadVariableOp(initial.dtype()), name, List.of(handle.edge(0)));
        return new Parameter(name, Value.of(handle.edge(0)), Value.of(read.edge(0)), assign);
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

    /** One step of gradient descent on {@code loss} for every parameter: {@code w -= rate * dloss/dw}. */
    public static List<Node> descend(Value loss, double rate, List<Parameter> parameters) {
        List<Node> updates = new ArrayList<>();
        List<Value> gradients = gradients(loss, parameters);
        for (int i = 0; i < gradients.size(); i++) {
            Parameter p = parameters.get(i);
            Value lr = p.value.constantLike(rate);
            updates.add(update(loss, new ResourceApplyGradientDescent(), p.handle, lr, gradients.get(i)));
        }
        return updates;
    }

    /** The variables of an optimizer beside the parameters, and its update nodes. */
    public record Adam(List<Parameter> slots, List<Node> updates) {}

    /**
     * Steps of Adam on {@code loss} for every parameter, with the usual moments (0.9, 0.999). The slots of a parameter
     * {@code w} are {@code w/adam/m} and {@code w/adam/v}, of its dtype.
     */
    public static Adam adam(Value loss, double rate, List<Parameter> parameters) {
        Graph g = loss.graph();
        List<Parameter> slots = new ArrayList<>();
        List<Node> updates = new ArrayList<>();
        List<Value> gradients = gradients(loss, parameters);
        Map<DType, Powers> powers = new EnumMap<>(DType.class);
        for (int i = 0; i < gradients.size(); i++) {
            Parameter p = parameters.get(i);
            Powers power = powers.computeIfAbsent(p.value.dtype(), _ -> Powers.like(p.value));
            Value zeros = loss.ops().constant(Tensor.zeros(p.value.dtype(), p.value.shape()));
            Parameter m = named(g.unique(p.name + "/adam/m"), zeros), v = named(g.unique(p.name + "/adam/v"), zeros);
            slots.addAll(List.of(m, v));
            updates.add(update(
                    loss,
                    new ResourceApplyAdam(false),
                    p.handle,
                    m.handle,
                    v.handle,
                    power.first.value,
                    power.second.value,
                    p.value.constantLike(rate),
                    p.value.constantLike(BETA1),
                    p.value.constantLike(BETA2),
                    p.value.constantLike(EPSILON),
                    gradients.get(i)));
        }
        try (var _ = g.after(updates.toArray(Node[]::new))) {
            for (Powers power : powers.values()) {
                slots.addAll(List.of(power.first, power.second));
                updates.add(
                        update(loss, new AssignVariableOp(false), power.first.handle, power.first.value.times(BETA1)));
                updates.add(update(
                        loss, new AssignVariableOp(false), power.second.handle, power.second.value.times(BETA2)));
            }
        }
        return new Adam(slots, updates);
    }

    /** The powers of both decay rates, which all parameters of a dtype share. */
    private record Powers(Parameter first, Parameter second) {
        static Powers like(Value value) {
            return new Powers(
                    of("adam/beta1_power", value.constantLike(BETA1)),
                    of("adam/beta2_power", value.constantLike(BETA2)));
        }
    }

    private static List<Value> gradients(Value loss, List<Parameter> parameters) {
        require(
                loss.dtype().isFloating() || loss.dtype().isComplex(),
                INVALID_ARGUMENT,
                "Parameter: the loss %s is %s, but only floating values have gradients; compute it in floating numbers",
                loss.edge().name(),
                loss.edge().type());
        List<Value> gradients = Gradients.of(
                List.of(loss), parameters.stream().map(Parameter::value).toList());
        for (int i = 0; i < gradients.size(); i++)
            require(
                    gradients.get(i) != null,
                    INVALID_ARGUMENT,
                    "Parameter: the loss %s does not depend on parameter '%s' %s by ops that have gradients; use it in"
                            + " the loss, or leave it out of the parameters to train",
                    loss.edge().name(),
                    parameters.get(i).name,
                    parameters.get(i).value.edge().type());
        return gradients;
    }

    private static Node update(Value loss, Op op, Value... inputs) {
        return loss.graph().add(op, Arrays.stream(inputs).map(Value::edge).toList());
    }
}
