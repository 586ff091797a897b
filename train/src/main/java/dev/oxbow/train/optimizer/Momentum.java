package dev.oxbow.train.optimizer;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.ResourceApplyMomentum;
import dev.oxbow.ops.state.ResourceSparseApplyMomentum;

/** {@code a = momentum a + g; w -= rate a}, or by Nesterov {@code w -= rate (g + momentum a)}. */
record Momentum(double momentum, boolean nesterov) implements Rule {

    @Override
    public String name() {
        return "momentum";
    }

    @Override
    public Node dense(Slots slots, Parameter p, Value gradient, Value rate) {
        Value a = slots.of(p, "accumulator", 0).handle(), share = rate.constantLike(momentum);
        return Rule.node(p, new ResourceApplyMomentum(nesterov), p.handle(), a, rate, gradient, share);
    }

    @Override
    public Node sparse(Slots slots, Parameter p, Slices gradient, Value rate) {
        Slices rows = gradient.summed();
        Value a = slots.of(p, "accumulator", 0).handle(), share = rate.constantLike(momentum);
        return Rule.node(
                p,
                new ResourceSparseApplyMomentum(nesterov),
                p.handle(),
                a,
                rate,
                rows.values(),
                rows.indices(),
                share);
    }
}
