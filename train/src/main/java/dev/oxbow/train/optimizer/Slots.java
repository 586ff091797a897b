package dev.oxbow.train.optimizer;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The variables of an optimizer, named behind the parameters they belong to: {@code conv1/kernel/adam/m}. */
public final class Slots {
    private final String rule;
    private final Value step;
    private final List<Parameter> all = new ArrayList<>();

    Slots(String rule, Value step) {
        this.rule = rule;
        this.step = step;
    }

    /** A slot of the shape and dtype of {@code p} that starts with {@code value} everywhere. */
    public Parameter of(Parameter p, String name, double value) {
        Tensor start = Tensor.zeros(p.value().dtype(), p.value().shape());
        if (value != 0) for (long i = 0; i < start.size(); i++) start.set(i, value);
        return made(
                p.value().graph(),
                p.name() + "/" + rule + "/" + name,
                () -> p.value().ops().constant(start));
    }

    /** A slot of all parameters together, which starts with zeros. */
    public Parameter joint(String name, DType dtype, Shape shape) {
        return made(step.graph(), rule + "/" + name, () -> step.ops().constant(Tensor.zeros(dtype, shape)));
    }

    /** Whether this is the first step. */
    public Value isFirst() {
        return step.equalTo(step.constantLike(0));
    }

    /** A slot, not of the rule, that starts with what {@code p} starts with. */
    Parameter likeStart(Parameter p, String name) {
        return made(
                p.value().graph(),
                p.name() + "/" + name,
                () -> Value.apply(new Identity(), Value.of(p.initialiser().input(1))));
    }

    /** Slots are set before the first step, so they wait for nothing that a rule waits for. */
    private Parameter made(Graph graph, String name, Supplier<Value> start) {
        try (Graph.Scope _ = graph.after()) {
            Parameter slot = Parameter.named(name, start.get());
            all.add(slot);
            return slot;
        }
    }

    /** {@code base} to the power of the number of this step, counted from 1, as a scalar of a dtype. */
    public Value power(double base, DType dtype) {
        Value t = step.plus(1).cast(DType.F64);
        return t.constantLike(base).pow(t).cast(dtype);
    }

    List<Parameter> all() {
        return List.copyOf(all);
    }
}
