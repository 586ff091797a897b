package dev.oxbow.data.pipeline;

import java.util.function.Consumer;
import java.util.function.Predicate;

/** Keeps the elements for which something holds. */
record Filter<T>(Predicate<? super T> keep) implements LookStage.Look<T, T> {

    @Override
    public Object measure(T x) {
        return keep.test(x);
    }

    @Override
    public void see(T x, Object measured, RuntimeException failure, Consumer<Lazy<T>> out) {
        if (failure != null) out.accept(Lazy.failing(failure));
        else if (Boolean.TRUE.equals(measured)) out.accept(Lazy.of(x));
        else Ownership.close(x);
    }

    @Override
    public Filter<T> fresh() {
        return this;
    }
}
