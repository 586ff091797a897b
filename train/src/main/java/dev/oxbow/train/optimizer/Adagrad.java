package dev.oxbow.train.optimizer;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.ResourceApplyAdagradV2;
import dev.oxbow.ops.state.ResourceSparseApplyAdagradV2;

/** {@code s += g^2; w -= rate g / (sqrt(s) + epsilon)} (Duchi et al., 2011). */
record Adagrad(double start, double epsilon) implements Rule {

    @Override
    public String name() {
        return "adagrad";
    }

    @Override
    public Node dense(Slots slots, Parameter p, Value gradient, Value rate) {
        Value s = slots.of(p, "accumulator", start).handle(), e = rate.constantLike(epsilon);
        return Rule.node(p, new ResourceApplyAdagradV2(true), p.handle(), s, rate, e, gradient);
    }

    @Override
    public Node sparse(Slots slots, Parameter p, Slices gradient, Value rate) {
        Slices rows = gradient.summed();
        Value s = slots.of(p, "accumulator", start).handle(), e = rate.constantLike(epsilon);
        return Rule.node(
                p, new ResourceSparseApplyAdagradV2(true), p.handle(), s, rate, e, rows.values(), rows.indices());
    }
}
