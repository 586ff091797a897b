package dev.oxbow.train.optimizer;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.OxbowException;
import java.util.List;

/** A rule that looks at all parameters as one vector. */
public interface JointRule extends Rule {

    /** The nodes that change the parameters by their gradients, in their order, and then those that change slots. */
    List<Node> all(Slots slots, List<Parameter> parameters, List<Value> gradients, Value rate);

    @Override
    default Node dense(Slots slots, Parameter p, Value gradient, Value rate) {
        throw new OxbowException(
                UNIMPLEMENTED,
                "Optimizer: %s moves all parameters together, not '%s' alone".formatted(name(), p.name()));
    }
}
