package dev.oxbow.train;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.IsFinite;
import dev.oxbow.ops.math.LogicalNot;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * Keeps small gradients above the least number of f16 (Micikevicius et al., 2018): they are those of the loss times a
 * factor, and are divided by it in f32. A step whose gradients are not finite changes nothing but the factor, which is
 * halved; after many good steps it doubles.
 */
final class LossScale {
    private static final float START = 1 << 15, LEAST = 1, MOST = 1 << 24;
    private static final long STEPS = 1000;

    private final Graph graph;
    private final Parameter factor;
    private final Parameter good;

    LossScale(Graph graph) {
        this.graph = graph;
        Ops ops = Ops.in(graph);
        this.factor = Parameter.named(graph.unique("loss_scale"), ops.constant(Tensor.scalar(START)));
        this.good = Parameter.named(graph.unique("loss_scale/good_steps"), ops.constant(Tensor.scalar(0L)));
    }

    List<Parameter> state() {
        return List.of(factor, good);
    }

    Value scaled(Value loss) {
        return loss.times(factor.value().cast(loss.dtype()));
    }

    /** Gradients of the loss itself, dense and of the dtypes of their parameters. */
    List<Value> unscaled(List<Value> gradients) {
        return gradients.stream()
                .map(g -> Value.of(g.edge()).dividedBy(factor.value().cast(g.dtype())))
                .toList();
    }

    /** How many elements of the sums of gradients are not finite: an f32 scalar. */
    Value broken(List<Parameter> sums) {
        Value count = null;
        for (Parameter p : sums) {
            if (!p.value().dtype().isFloating()) continue;
            Value finite = Value.apply(new IsFinite(), p.value());
            Value bad = Value.apply(new LogicalNot(), finite).cast(DType.F32).sum();
            count = count == null ? bad : count.plus(bad);
        }
        return count;
    }

    /** After a step that was taken. */
    List<Node> grow() {
        Value next = good.value().plus(1), due = next.greaterEqual(next.constantLike(STEPS));
        Value more = factor.value().times(2);
        return List.of(
                assign(factor, Value.where(due, more.minimum(more.constantLike(MOST)), factor.value())),
                assign(good, Value.where(due, next.constantLike(0), next)));
    }

    /** After a step that was not. */
    List<Node> shrink() {
        Value less = factor.value().times(0.5);
        return List.of(
                assign(factor, less.maximum(less.constantLike(LEAST))),
                assign(good, good.value().constantLike(0)));
    }

    private Node assign(Parameter p, Value value) {
        return graph.add(new AssignVariableOp(false), List.of(p.handle().edge(), value.edge()));
    }
}
