package dev.oxbow.data.pipeline;

import java.util.function.Consumer;

/** Leaves out elements that can not be computed, and tells somebody of each. */
record WithoutBad<T>(Consumer<RuntimeException> told) implements LookStage.Look<T, T> {

    @Override
    public void see(T x, Object measured, RuntimeException failure, Consumer<Lazy<T>> out) {
        if (failure == null) out.accept(Lazy.of(x));
        else told.accept(failure);
    }

    @Override
    public WithoutBad<T> fresh() {
        return this;
    }
}
