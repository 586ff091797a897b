package dev.oxbow.train.optimizer;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.ResourceApplyRMSProp;
import dev.oxbow.ops.state.ResourceSparseApplyRMSProp;

/** {@code s = decay s + (1 - decay) g^2; a = momentum a + rate g / sqrt(s + epsilon); w -= a} (Tieleman and Hinton, 2012). */
record RmsProp(double decay, double momentum, double epsilon) implements Rule {

    @Override
    public String name() {
        return "rmsprop";
    }

    @Override
    public Node dense(Slots slots, Parameter p, Value gradient, Value rate) {
        Value s = slots.of(p, "squares", 0).handle(),
                a = slots.of(p, "momentum", 0).handle();
        return Rule.node(
                p,
                new ResourceApplyRMSProp(),
                p.handle(),
                s,
                a,
                rate,
                rate.constantLike(decay),
                rate.constantLike(momentum),
                rate.constantLike(epsilon),
                gradient);
    }

    @Override
    public Node sparse(Slots slots, Parameter p, Slices gradient, Value rate) {
        Slices rows = gradient.summed();
        Value s = slots.of(p, "squares", 0).handle(),
                a = slots.of(p, "momentum", 0).handle();
        return Rule.node(
                p,
                new ResourceSparseApplyRMSProp(),
                p.handle(),
                s,
                a,
                rate,
                rate.constantLike(decay),
                rate.constantLike(momentum),
                rate.constantLike(epsilon),
                rows.values(),
                rows.indices());
    }
}
