package dev.oxbow.ops.gradient;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** How parameters follow their gradients, for graphs that are built by hand; {@code Optimizer} of {@code train} has more. */
public sealed interface Minimiser permits Adam, Descent {
    /** The variables of an optimizer beside the parameters, and the nodes that make one step. */
    record Updates(List<Parameter> slots, List<Node> nodes) {
        /** The nodes, as a session takes its targets. */
        public Node[] targets() {
            return nodes.toArray(Node[]::new);
        }
    }

    /** Gradient descent: {@code w -= rate * dw}. */
    static Minimiser descent(double rate) {
        return new Descent(rate);
    }

    /** Adam with the usual moments, 0.9 and 0.999. */
    static Minimiser adam(double rate) {
        return new Adam(rate);
    }

    /** One step for each parameter along the gradient of the same position, whoever made it. */
    Updates apply(List<Parameter> parameters, List<Value> gradients);

    /** One step for each parameter that makes the loss smaller. */
    default Updates minimise(Value loss, List<Parameter> parameters) {
        return apply(parameters, gradients(loss, parameters));
    }

    /** The gradient of the loss for each parameter; a parameter that the loss does not use is an error. */
    static List<Value> gradients(Value loss, List<Parameter> parameters) {
        require(
                loss.dtype().isFloating() || loss.dtype().isComplex(),
                INVALID_ARGUMENT,
                "Minimiser: the loss %s is %s, but only floating values have gradients; compute it in floating numbers",
                loss.edge().name(),
                loss.edge().type());
        List<Value> gradients = Gradients.of(
                List.of(loss), parameters.stream().map(Parameter::value).toList());
        for (int i = 0; i < gradients.size(); i++)
            require(
                    gradients.get(i) != null,
                    INVALID_ARGUMENT,
                    "Minimiser: the loss %s does not depend on parameter '%s' %s by ops that have gradients; use it in"
                            + " the loss, or leave it out of the parameters to train",
                    loss.edge().name(),
                    parameters.get(i).name(),
                    parameters.get(i).value().edge().type());
        return gradients;
    }

    /** Adds the op that updates the variable behind the first input. */
    static Node update(Op op, Value... inputs) {
        return inputs[0].graph().add(op, Arrays.stream(inputs).map(Value::edge).toList());
    }
}
