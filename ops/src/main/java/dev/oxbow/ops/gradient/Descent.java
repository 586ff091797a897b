package dev.oxbow.ops.gradient;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.ResourceApplyGradientDescent;
import java.util.ArrayList;
import java.util.List;

/** {@code w -= rate * dw}. */
record Descent(double rate) implements Minimiser {
    @Override
    public Updates apply(List<Parameter> parameters, List<Value> gradients) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < gradients.size(); i++) {
            Parameter p = parameters.get(i);
            Value step = p.value().constantLike(rate);
            nodes.add(Minimiser.update(new ResourceApplyGradientDescent(), p.handle(), step, gradients.get(i)));
        }
        return new Updates(List.of(), nodes);
    }
}
