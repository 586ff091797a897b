package dev.oxbow.ops;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.ResourceApplyAdam;
import dev.oxbow.ops.state.ResourceApplyGradientDescent;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A variable with its initial value: what training changes. Run {@link #initialiser} once, read {@link #value}. */
public final class Parameter {
    private final Value handle;
    private final Value value;
    private final Node initialiser;

    private Parameter(Value handle, Value value, Node initialiser) {
        this.handle = handle;
        this.value = value;
        this.initialiser = initialiser;
    }

    /** A parameter of this name that starts with the value of {@code initial}. */
    public static Parameter of(String name, Value initial) {
        Ops ops = initial.ops();
        String unique = ops.graph().unique(name);
        VarHandleOp op = new VarHandleOp("", unique, "", initial.dtype(), initial.shape(), List.of());
        Value handle =
                Value.of(ops.graph().add(op, unique + "/handle", List.of()).edge(0));
        Node assign = ops.graph()
                .add(new AssignVariableOp(false), unique + "/assign", List.of(handle.edge(), initial.edge()));
        Value read = Value.of(ops.graph()
                .add(new ReadVariableOp(initial.dtype()), unique, List.of(handle.edge()))
                .edge(0));
        return new Parameter(handle, read, assign);
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

    /** Steps of Adam on {@code loss} for every parameter, with the usual moments (0.9, 0.999). */
    public static Adam adam(Value loss, double rate, List<Parameter> parameters) {
        Ops ops = loss.ops();
        List<Parameter> slots = new ArrayList<>();
        List<Node> updates = new ArrayList<>();
        List<Value> gradients = gradients(loss, parameters);
        Parameter power1 = of("adam/beta1_power", ops.constant(0.9f)),
                power2 = of("adam/beta2_power", ops.constant(0.999f));
        for (int i = 0; i < gradients.size(); i++) {
            Parameter p = parameters.get(i);
            Shape shape = p.value.shape();
            Parameter m = of("adam/m", ops.constant(Tensor.zeros(DType.F32, shape)));
            Parameter v = of("adam/v", ops.constant(Tensor.zeros(DType.F32, shape)));
            slots.addAll(List.of(m, v));
            updates.add(update(
                    loss,
                    new ResourceApplyAdam(false),
                    p.handle,
                    m.handle,
                    v.handle,
                    power1.value,
                    power2.value,
                    ops.constant((float) rate),
                    ops.constant(0.9f),
                    ops.constant(0.999f),
                    ops.constant(1e-8f),
                    gradients.get(i)));
        }
        slots.addAll(List.of(power1, power2));
        try (var _ = ops.graph().after(updates.toArray(Node[]::new))) {
            for (Parameter p : List.of(power1, power2)) {
                Value next = p.value.times(p == power1 ? 0.9 : 0.999);
                updates.add(update(loss, new AssignVariableOp(false), p.handle, next));
            }
        }
        return new Adam(slots, updates);
    }

    private static List<Value> gradients(Value loss, List<Parameter> parameters) {
        return Gradients.of(
                List.of(loss), parameters.stream().map(Parameter::value).toList());
    }

    private static Node update(Value loss, dev.oxbow.graph.Op op, Value... inputs) {
        return loss.graph().add(op, Arrays.stream(inputs).map(Value::edge).toList());
    }
}
