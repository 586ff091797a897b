package dev.oxbow.data.pipeline;

import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

/** Pipelines of random stages over whole numbers, and what they give as lists. */
final class RandomPipelines {
    private RandomPipelines() {}

    /** Some numbers after up to six random stages; the same for the same seed. */
    static Pipeline<Long> of(long seed) {
        Random random = new Random(seed);
        Pipeline<Long> p = source(random);
        for (int i = random.nextInt(7); i > 0; i--) p = stage(p, random);
        return p;
    }

    private static Pipeline<Long> source(Random random) {
        long n = random.nextInt(60);
        return random.nextBoolean()
                ? Pipeline.range(n)
                : Pipeline.iterating(epoch ->
                        LongStream.range(0, n).map(i -> i + 1000 * epoch).iterator());
    }

    private static Pipeline<Long> stage(Pipeline<Long> p, Random random) {
        int n = 1 + random.nextInt(9), m = 1 + random.nextInt(4);
        long seed = random.nextLong();
        return switch (random.nextInt(13)) {
            case 0 -> p.map("twice", seed, (x, draw) -> 2 * x + draw.below(2));
            case 1 -> p.filter(x -> x % m != 0);
            case 2 -> p.shuffle(n, seed);
            case 3 -> p.shuffle(seed);
            case 4 -> p.take(5L * n);
            case 5 -> p.skip(n);
            case 6 -> p.repeat(m);
            case 7 -> p.shard(0, m);
            case 8 ->
                p.window(n, m, random.nextBoolean())
                        .map(l -> l.stream().mapToLong(x -> x).sum());
            case 9 -> p.cache(random.nextBoolean() ? 1 << 20 : 500);
            case 10 -> p.interleave(m, n, x -> Pipeline.range(x % 3).map(y -> 10 * x + y));
            case 11 -> Pipeline.mix(List.of(p, source(random).then(p)), List.of(1.0, 2.0), seed);
            default -> p.zip(source(random).repeat(m), Long::sum);
        };
    }

    static Sample sample(long x) {
        return Sample.of(Tensor.scalar(x), Tensor.of(Shape.of(2), (float) x, -x));
    }

    /** The first components of all batches that are left, closed. */
    static List<List<Long>> rows(Feed<Batch> feed) {
        List<List<Long>> all = new ArrayList<>();
        try (feed) {
            while (feed.hasNext()) all.add(rows(feed.next()));
        }
        return all;
    }

    /** The first component of a batch, which is closed. */
    static List<Long> rows(Batch batch) {
        try (batch) {
            return LongStream.of(batch.tensors().getFirst().longs()).boxed().toList();
        }
    }

    static <T> List<T> all(Feed<T> feed) {
        List<T> all = new ArrayList<>();
        try (feed) {
            feed.forEachRemaining(all::add);
        }
        return all;
    }
}
