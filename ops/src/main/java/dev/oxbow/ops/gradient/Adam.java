package dev.oxbow.ops.gradient;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ResourceApplyAdam;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Adam. The slots of a parameter {@code w} are {@code w/adam/m} and {@code w/adam/v}, of its dtype. */
record Adam(double rate) implements Minimiser {
    private static final double BETA1 = 0.9;
    private static final double BETA2 = 0.999;
    private static final double EPSILON = 1e-8;

    /** The powers of both decay rates, which all parameters of a dtype share. */
    private record Powers(Parameter first, Parameter second) {
        static Powers like(Value value) {
            return new Powers(
                    Parameter.of("adam/beta1_power", value.constantLike(BETA1)),
                    Parameter.of("adam/beta2_power", value.constantLike(BETA2)));
        }
    }

    @Override
    public Updates apply(List<Parameter> parameters, List<Value> gradients) {
        List<Parameter> slots = new ArrayList<>();
        List<Node> nodes = new ArrayList<>();
        Map<DType, Powers> powers = new EnumMap<>(DType.class);
        for (int i = 0; i < gradients.size(); i++) {
            Parameter p = parameters.get(i);
            Value w = p.value();
            Powers power = powers.computeIfAbsent(w.dtype(), _ -> Powers.like(w));
            Value zeros = w.ops().constant(Tensor.zeros(w.dtype(), w.shape()));
            Parameter m = Parameter.named(w.graph().unique(p.name() + "/adam/m"), zeros);
            Parameter v = Parameter.named(w.graph().unique(p.name() + "/adam/v"), zeros);
            slots.addAll(List.of(m, v));
            nodes.add(Minimiser.update(
                    new ResourceApplyAdam(false),
                    p.handle(),
                    m.handle(),
                    v.handle(),
                    power.first.value(),
                    power.second.value(),
                    w.constantLike(rate),
                    w.constantLike(BETA1),
                    w.constantLike(BETA2),
                    w.constantLike(EPSILON),
                    gradients.get(i)));
        }
        if (nodes.isEmpty()) return new Updates(slots, nodes);
        Graph g = nodes.getFirst().graph();
        try (Graph.Scope _ = g.after(nodes.toArray(Node[]::new))) {
            for (Powers power : powers.values()) {
                slots.addAll(List.of(power.first, power.second));
                nodes.add(decayed(power.first, BETA1));
                nodes.add(decayed(power.second, BETA2));
            }
        }
        return new Updates(slots, nodes);
    }

    private static Node decayed(Parameter power, double beta) {
        return Minimiser.update(
                new AssignVariableOp(false), power.handle(), power.value().times(beta));
    }
}
