package dev.oxbow.train.optimizer;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.ResourceApplyFtrlV2;
import dev.oxbow.ops.state.ResourceSparseApplyFtrlV2;

/** Follow the regularised leader, with penalties {@code l1} and {@code l2} (McMahan et al., 2013). */
record Ftrl(double l1, double l2, double start) implements Rule {
    private static final double POWER = -0.5;

    @Override
    public String name() {
        return "ftrl";
    }

    @Override
    public Node dense(Slots slots, Parameter p, Value gradient, Value rate) {
        Value s = slots.of(p, "accumulator", start).handle(),
                linear = slots.of(p, "linear", 0).handle();
        return Rule.node(
                p,
                new ResourceApplyFtrlV2(false),
                p.handle(),
                s,
                linear,
                gradient,
                rate,
                rate.constantLike(l1),
                rate.constantLike(l2),
                rate.constantLike(0),
                rate.constantLike(POWER));
    }

    @Override
    public Node sparse(Slots slots, Parameter p, Slices gradient, Value rate) {
        Slices rows = gradient.summed();
        Value s = slots.of(p, "accumulator", start).handle(),
                linear = slots.of(p, "linear", 0).handle();
        return Rule.node(
                p,
                new ResourceSparseApplyFtrlV2(false),
                p.handle(),
                s,
                linear,
                rows.values(),
                rows.indices(),
                rate,
                rate.constantLike(l1),
                rate.constantLike(l2),
                rate.constantLike(0),
                rate.constantLike(POWER));
    }
}
