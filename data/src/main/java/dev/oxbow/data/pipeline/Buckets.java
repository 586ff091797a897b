package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/** Elements of like length together: bucket i has those shorter than bound i and no shorter than the bound before it. */
final class Buckets<T> implements LookStage.Look<T, List<T>> {
    private final ToLongFunction<? super T> length;
    private final List<Long> bounds;
    private final List<Integer> sizes;
    private final List<List<T>> filling = new ArrayList<>();

    Buckets(ToLongFunction<? super T> length, List<Long> bounds, List<Integer> sizes) {
        require(
                sizes.size() == bounds.size() + 1,
                INVALID_ARGUMENT,
                "buckets: %d bounds part lengths into %d buckets, got %d batch sizes",
                bounds.size(),
                bounds.size() + 1,
                sizes.size());
        this.length = length;
        this.bounds = List.copyOf(bounds);
        this.sizes = List.copyOf(sizes);
        for (int i = 0; i < sizes.size(); i++) filling.add(new ArrayList<>());
    }

    @Override
    public Object measure(T x) {
        long n = length.applyAsLong(x);
        int bucket = 0;
        while (bucket < bounds.size() && n >= bounds.get(bucket)) bucket++;
        return bucket;
    }

    @Override
    public void see(T x, Object measured, RuntimeException failure, Consumer<Lazy<List<T>>> out) {
        if (failure != null) {
            out.accept(Lazy.failing(failure));
            return;
        }
        int bucket = (Integer) measured;
        List<T> full = filling.get(bucket);
        full.add(x);
        if (full.size() < sizes.get(bucket)) return;
        out.accept(Lazy.of(full));
        filling.set(bucket, new ArrayList<>());
    }

    @Override
    public void end(Consumer<Lazy<List<T>>> out) {
        for (List<T> rest : filling) if (!rest.isEmpty()) out.accept(Lazy.of(rest));
    }

    @Override
    public Buckets<T> fresh() {
        return new Buckets<>(length, bounds, sizes);
    }
}
