package dev.oxbow.train.layer;

import dev.oxbow.ops.Value;

/**
 * A piece of a model: what it computes of a value, and what it learns. It only describes; a {@link Build} makes nodes of
 * it, once for training and once for evaluation, over the same parameters. A lambda is a layer:
 * {@code (b, x) -> x.plus(b.layer("inner", dense(64), x))}.
 */
@FunctionalInterface
public interface Layer {

    /** The value that it makes of {@code x}; parameters, states and inner layers come from {@code b}, by names of its own. */
    Value apply(Build b, Value x);

    /** What it is called, with a number behind, where nobody names it: {@code dense} becomes {@code dense1}. */
    default String kind() {
        return "layer";
    }

    /** This layer under a name of its own in a sequence. */
    default Layer named(String name) {
        return new Named(name, this);
    }
}
