package dev.oxbow.train.optimizer;

import dev.oxbow.graph.core.Identity;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

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
        Parameter slot = Parameter.named(
                p.name() + "/" + rule + "/" + name, p.value().ops().constant(start));
        all.add(slot);
        return slot;
    }

    /** A slot, not of the rule, that starts with what {@code p} starts with. */
    Parameter likeStart(Parameter p, String name) {
        Value start = Value.of(p.initialiser().input(1));
        Parameter slot = Parameter.named(p.name() + "/" + name, Value.apply(new Identity(), start));
        all.add(slot);
        return slot;
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
