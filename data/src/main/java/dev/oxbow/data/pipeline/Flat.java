package dev.oxbow.data.pipeline;

import java.util.Iterator;
import java.util.function.Consumer;
import java.util.function.Function;

/** Any number of elements for each. */
record Flat<T, U>(Function<? super T, ? extends Iterable<U>> f) implements LookStage.Look<T, U> {

    @Override
    public Object measure(T x) {
        return f.apply(x);
    }

    @Override
    @SuppressWarnings("unchecked")
    public void see(T x, Object measured, RuntimeException failure, Consumer<Lazy<U>> out) {
        if (failure != null) {
            out.accept(Lazy.failing(failure));
            return;
        }
        Iterator<U> each = ((Iterable<U>) measured).iterator();
        while (each.hasNext()) out.accept(Lazy.of(each.next()));
    }

    @Override
    public Flat<T, U> fresh() {
        return this;
    }
}
