package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Elements in an order, and what is done to them. A pipeline is a value: it holds no position and no thread until {@link #epoch}
 * opens it. The elements of an epoch follow from the pipeline and the number of the epoch alone, so any position in it can be had
 * again on another number of threads and of workers.
 */
public final class Pipeline<T> {
    private final Stage<T> stage;
    private final Limits limits;
    private final int rank;
    private final int ranks;
    private final Work walked = new Work();

    private Pipeline(Stage<T> stage, Limits limits, int rank, int ranks) {
        this.stage = stage;
        this.limits = limits;
        this.rank = rank;
        this.ranks = ranks;
    }

    /** A function of an element and the random numbers that belong to it. */
    @FunctionalInterface
    public interface Mapper<T, U> {
        U apply(T x, Draw draw);
    }

    /** The elements of a source. */
    public static <T> Pipeline<T> of(Stage<T> source) {
        return new Pipeline<>(source, Limits.ofMachine(), 0, 1);
    }

    /** Elements that can be had by their numbers, from 0 on, by several threads at a time. */
    public static <T> Pipeline<T> indexed(long size, LongFunction<? extends T> read) {
        require(size >= 0, INVALID_ARGUMENT, "input: can not have %d elements", size);
        return of(new IndexedStage<>(size + " elements", () -> size, read));
    }

    /** These elements. */
    public static <T> Pipeline<T> of(List<? extends T> elements) {
        return indexed(elements.size(), i -> Ownership.share(elements.get((int) i)));
    }

    /** Whole numbers from 0 on. */
    public static Pipeline<Long> range(long size) {
        return indexed(size, i -> i);
    }

    /** The rows of tensors as samples, which are views; the tensors stay open. */
    public static Pipeline<Sample> rows(Tensor... tensors) {
        require(
                tensors.length > 0 && tensors[0].shape().rank() > 0,
                INVALID_ARGUMENT,
                "input: needs a tensor with rows, got %s",
                tensors.length == 0 ? "none" : tensors[0].describe());
        Batch all = new Batch(List.of(tensors), 0, 0, tensors[0].shape().dim(0));
        return indexed(
                all.rows(),
                i -> new Sample(all.tensors().stream().map(t -> row(t, i)).toList()));
    }

    private static Tensor row(Tensor t, long i) {
        Shape shape = t.shape().slice(1, t.shape().rank());
        if (t.dtype().isObject()) {
            int width = Math.toIntExact(shape.size());
            Object[] part = new Object[width];
            System.arraycopy(t.objects(), Math.toIntExact(i * width), part, 0, width);
            return Tensor.ofObjects(t.dtype(), shape, part);
        }
        try (Tensor one = t.rows(i, 1)) {
            return one.reshaped(shape);
        }
    }

    /** What an iterator gives, a new one for each epoch, which is closed if it can be; it must give the same each time. */
    public static <T> Pipeline<T> iterating(LongFunction<? extends Iterator<? extends T>> epochs) {
        return of(new IteratingStage<>(epochs));
    }

    /** What others put into a queue, up to an empty entry; nobody putting anything for longer is an error. */
    public static <T> Pipeline<T> queue(BlockingQueue<Optional<T>> queue, Duration longest) {
        return of(new QueueStage<>(queue, longest));
    }

    /** Elements of all side by side as lists, up to the end of the shortest. */
    public static Pipeline<List<Object>> zip(List<? extends Pipeline<?>> all) {
        List<Stage<?>> stages = new ArrayList<>();
        for (Pipeline<?> p : all) stages.add(p.stage);
        return of(new ZipStage(stages));
    }

    /** Each time an element of one of these, by weights, until all have ended. */
    public static <T> Pipeline<T> mix(List<Pipeline<? extends T>> all, List<Double> weights, long seed) {
        return of(new MixStage<>(
                all.stream().<Stage<? extends T>>map(p -> p.stage).toList(), weights, seed));
    }

    private <U> Pipeline<U> with(Stage<U> next) {
        return new Pipeline<>(next, limits, rank, ranks);
    }

    /** Each element after a function, which is computed on several threads by the worker that needs it. */
    public <U> Pipeline<U> map(Function<? super T, ? extends U> f) {
        return map("map", 0, (x, _) -> f.apply(x));
    }

    /** Each element after a function with random numbers. What it is given is closed, except tensors that it gives back. */
    public <U> Pipeline<U> map(String name, long seed, Mapper<? super T, ? extends U> f) {
        return with(new MapStage<T, U>(stage, name, seed, f, new Work()));
    }

    /** The elements for which something holds; every worker computes all of them to know. */
    public Pipeline<T> filter(Predicate<? super T> keep) {
        return with(new LookStage<>(stage, "filter", new Filter<>(keep)));
    }

    /** Without elements that can not be computed, each of which is told; every worker computes all of them to know. */
    public Pipeline<T> skipBad(Consumer<RuntimeException> told) {
        return with(new LookStage<>(stage, "skip bad", new WithoutBad<>(told)));
    }

    /** Any number of elements for each; every worker computes all of them to know. */
    public <U> Pipeline<U> flatMap(Function<? super T, ? extends Iterable<U>> f) {
        return with(new LookStage<>(stage, "flat map", new Flat<T, U>(f)));
    }

    /** The elements of a pipeline for each element: of {@code cycle} at a time, {@code block} of each in turn. */
    public <U> Pipeline<U> interleave(int cycle, int block, Function<? super T, Pipeline<U>> f) {
        return with(new InterleaveStage<>(stage, cycle, block, f));
    }

    /** All elements in a random order that is another one in each epoch. Only what was not computed yet is held. */
    public Pipeline<T> shuffle(long seed) {
        return shuffle(Long.MAX_VALUE, seed);
    }

    /** A random one of the next {@code size} elements, each time. */
    public Pipeline<T> shuffle(long size, long seed) {
        return shuffle(size, Long.MAX_VALUE, seed);
    }

    /** A random one of the next elements, as many as there are in {@code size} elements and {@code bytes}. */
    public Pipeline<T> shuffle(long size, long bytes, long seed) {
        return with(new ShuffleStage<>(stage, size, bytes, seed));
    }

    /** So many samples or tensors as rows; the last batch has what is left. */
    public Pipeline<Batch> batch(int size) {
        return batch(size, false);
    }

    /** So many samples or tensors as rows, with or without those that are left at the end. */
    public Pipeline<Batch> batch(int size, boolean dropRest) {
        return with(new BatchStage<>(stage, size, dropRest, Rows.ALIKE));
    }

    /**
     * Rows padded with zeros to a shape for each component, or without shapes to the longest of a batch in every dimension; -1 is
     * the longest, too. For the longest workers compute all rows.
     */
    public Pipeline<Batch> paddedBatch(int size, Shape... shapes) {
        return with(new BatchStage<>(stage, size, false, new Rows(List.of(shapes), null)));
    }

    /**
     * Elements of like length together, as lists of {@code sizes.get(i)} elements shorter than {@code bounds.get(i)}; what does
     * not fill a list comes at the end. Every worker computes all elements to know their lengths.
     */
    public Pipeline<List<T>> buckets(ToLongFunction<? super T> length, List<Long> bounds, List<Integer> sizes) {
        return with(new LookStage<>(stage, "buckets " + bounds, new Buckets<>(length, bounds, sizes)));
    }

    /** Each list of samples as one batch, padded as by {@link #paddedBatch}. */
    public static Pipeline<Batch> padded(Pipeline<List<Sample>> lists, Shape... shapes) {
        return lists.with(new StackStage(lists.stage, new Rows(List.of(shapes), null)));
    }

    /** Keeps up to so many bytes of elements in memory; each epoch has the elements of the first, computed or kept. */
    public Pipeline<T> cache(long bytes) {
        return with(new CacheStage<>(stage, new KeptInMemory<>(bytes)));
    }

    /**
     * Keeps samples or tensors in a folder, for this program and later ones with the same pipeline; each epoch has the elements of
     * the first. Delete the folder when functions or files have changed: only the names of stages are compared.
     */
    public Pipeline<T> cache(Path folder) {
        StringBuilder made = new StringBuilder();
        describe(stage, 0, made, false);
        return with(new CacheStage<>(stage, KeptOnDisk.of(folder, made.toString())));
    }

    /** So many epochs in one. */
    public Pipeline<T> repeat(long times) {
        return with(new RepeatStage<>(stage, times));
    }

    /** Epochs without an end. */
    public Pipeline<T> repeat() {
        return repeat(RepeatStage.FOREVER);
    }

    public Pipeline<T> take(long n) {
        return with(new PartStage<>(stage, "take " + n, 0, 1, n));
    }

    public Pipeline<T> skip(long n) {
        return with(new PartStage<>(stage, "skip " + n, n, 1, Long.MAX_VALUE));
    }

    /**
     * Every {@code of}th element, from number {@code i} on. It makes the order depend on {@code of}: {@link #share} shares out work
     * among workers without that.
     */
    public Pipeline<T> shard(int i, int of) {
        require(i >= 0 && i < of, INVALID_ARGUMENT, "shard: %d must be one of %d, counted from 0", i, of);
        return with(new PartStage<>(stage, "shard %d of %d".formatted(i, of), i, of, Long.MAX_VALUE));
    }

    /** These elements, then the others. */
    public Pipeline<T> then(Pipeline<? extends T> other) {
        return with(new ChainStage<T>(List.of(stage, other.stage)));
    }

    /** Elements of two pipelines side by side, up to the end of the shorter. */
    @SuppressWarnings("unchecked")
    public <U, V> Pipeline<V> zip(Pipeline<U> other, BiFunction<? super T, ? super U, ? extends V> f) {
        return with(new ZipStage(List.of(stage, other.stage)))
                .map("zip", 0, (pair, _) -> f.apply((T) pair.get(0), (U) pair.get(1)));
    }

    /** Lists of {@code size} elements, each {@code shift} elements behind the one before; those at the end may be shorter. */
    public Pipeline<List<T>> window(int size, int shift, boolean dropRest) {
        return with(new WindowStage<>(stage, size, shift, dropRest));
    }

    /** Computes on so many threads; 0 for the thread that takes the elements. They change no result. */
    public Pipeline<T> threads(int n) {
        return new Pipeline<>(stage, new Limits(n, limits.elements(), limits.bytes()), rank, ranks);
    }

    /** Computes up to so many elements ahead, of up to so many bytes together. */
    public Pipeline<T> prefetch(int elements, long bytes) {
        return new Pipeline<>(stage, new Limits(limits.threads(), elements, bytes), rank, ranks);
    }

    /** For one of several workers, who has the same batches but computes only its rows of each ({@link Batch#first}). */
    public Pipeline<T> share(int rank, int ranks) {
        require(
                0 <= rank && rank < ranks,
                INVALID_ARGUMENT,
                "input: worker %d must be one of %d, counted from 0",
                rank,
                ranks);
        return new Pipeline<>(stage, limits, rank, ranks);
    }

    /** The elements of an epoch, counted from 0, from element {@code from} on; whoever takes one closes it. */
    public Feed<T> epoch(long epoch, long from) {
        require(from >= 0, INVALID_ARGUMENT, "input: elements are counted from 0, got %d", from);
        Workers workers = limits.threads() == 0 ? Workers.NONE : new Workers(limits.threads());
        return new Running<>(stage, new Setting(epoch, rank, ranks, workers), limits, from, walked);
    }

    /** The elements of the first epoch. */
    public Feed<T> open() {
        return epoch(0, 0);
    }

    /** The last stage. */
    public Stage<T> stage() {
        return stage;
    }

    /** The stages, each behind what it takes from, with what they did so far. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        describe(stage, 0, text, true);
        return text.toString();
    }

    private static void describe(Stage<?> stage, int depth, StringBuilder text, boolean counts) {
        for (Stage<?> s : stage.inputs()) describe(s, stage.inputs().size() > 1 ? depth + 1 : depth, text, counts);
        text.append("  ".repeat(depth)).append(stage.describe());
        Work work = stage.work();
        if (counts && work != null && work.count() > 0)
            text.append(": %d in %.3f s".formatted(work.count(), work.nanos() / 1e9));
        text.append(System.lineSeparator());
    }
}
