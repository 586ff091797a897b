package dev.oxbow.train.optimizer;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.AssignSubVariableOp;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/**
 * The quasi-Newton method of limited memory (Liu and Nocedal, 1989): {@code w -= rate H g}, where {@code H} approximates
 * the inverse of the second derivative by the last {@code memory} changes of parameters and gradients.
 */
record Lbfgs(int memory) implements JointRule {

    /*
     * The two loops of the paper are unrolled over the rows of two matrices, of which the last one is the newest. A row that
     * is not filled yet is zero and has a factor of zero, so it changes nothing. A change along which the gradient does not
     * grow would make H indefinite and is not taken. There is no search along the line: without any row the step is at most
     * of length one in the sum of absolute values, later its length is that of Newton's step times the rate.
     */

    private static final double LEAST = 1e-10;

    @Override
    public String name() {
        return "lbfgs";
    }

    @Override
    public List<Node> all(Slots slots, List<Parameter> parameters, List<Value> gradients, Value rate) {
        Value w = flat(parameters.stream().map(Parameter::value).toList()), g = flat(gradients);
        long n = w.shape().dim(0);
        Parameter moves = slots.joint("s", w.dtype(), Shape.of(memory, n)),
                changes = slots.joint("y", w.dtype(), Shape.of(memory, n));
        Parameter lastW = slots.joint("parameters", w.dtype(), Shape.of(n)),
                lastG = slots.joint("gradient", w.dtype(), Shape.of(n));
        Value s = w.minus(lastW.value()), y = g.minus(lastG.value());
        Value grows = s.times(y).sum(), zero = grows.constantLike(0);
        Value taken = Value.where(slots.isFirst(), zero, grows).greater(grows.constantLike(LEAST));
        Value all = pushed(moves.value(), s, taken), allY = pushed(changes.value(), y, taken);
        Value move = direction(g, all, allY).times(rate);

        List<Node> nodes = new ArrayList<>();
        int at = 0;
        for (Parameter p : parameters) {
            int size = Math.toIntExact(p.value().shape().size());
            Value part = move.slice(0, at, size).reshape(p.value().shape().dims());
            nodes.add(Rule.node(p, new AssignSubVariableOp(), p.handle(), part));
            at += size;
        }
        nodes.add(set(moves, all));
        nodes.add(set(changes, allY));
        nodes.add(set(lastW, w));
        nodes.add(set(lastG, g));
        return nodes;
    }

    /** {@code H g}. */
    private Value direction(Value g, Value s, Value y) {
        Value products = s.times(y).sum(1), zero = g.constantLike(0), one = g.constantLike(1);
        Value filled = products.greater(zero);
        Value factors = Value.where(filled, Value.where(filled, products, one).reciprocal(), zero);
        Value[] a = new Value[memory];
        Value q = g;
        for (int i = memory - 1; i >= 0; i--) {
            a[i] = row(s, i).times(q).sum().times(element(factors, i));
            q = q.minus(row(y, i).times(a[i]));
        }
        Value newest = element(products, memory - 1), any = newest.greater(zero);
        Value square = Value.where(any, row(y, memory - 1).square().sum(), one);
        Value careful = g.abs().sum().maximum(one).reciprocal();
        Value r = q.times(Value.where(any, newest.dividedBy(square), careful));
        for (int i = 0; i < memory; i++) {
            Value b = row(y, i).times(r).sum().times(element(factors, i));
            r = r.plus(row(s, i).times(a[i].minus(b)));
        }
        return r;
    }

    private Value pushed(Value rows, Value newest, Value taken) {
        Value next = memory == 1
                ? newest.expandDims(0)
                : Value.concat(0, rows.slice(0, 1, memory - 1), newest.expandDims(0));
        return Value.where(taken, next, rows);
    }

    private static Value row(Value rows, int i) {
        return rows.slice(0, i, 1).squeeze(0);
    }

    private static Value element(Value vector, int i) {
        return vector.slice(0, i, 1).squeeze(0);
    }

    private static Value flat(List<Value> all) {
        Value[] parts = all.stream().map(v -> Value.of(v.edge()).reshape(-1)).toArray(Value[]::new);
        return parts.length == 1 ? parts[0] : Value.concat(0, parts);
    }

    private static Node set(Parameter slot, Value value) {
        return Rule.node(slot, new AssignVariableOp(false), slot.handle(), value);
    }
}
