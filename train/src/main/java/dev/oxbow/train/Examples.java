package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Examples that lie in memory, row by row: tensors whose first axis counts them. They stay open; batches are copies. */
public record Examples(List<Tensor> inputs, Tensor targets) implements ExampleSet {

    public Examples {
        inputs = List.copyOf(inputs);
        for (Tensor t : inputs)
            require(
                    t.shape().rank() > 0 && t.shape().dim(0) == targets.shape().dim(0),
                    INVALID_ARGUMENT,
                    "Examples: inputs %s and targets %s must have the same number of rows",
                    t.shape(),
                    targets.shape());
    }

    public static Examples of(Tensor input, Tensor targets) {
        return new Examples(List.of(input), targets);
    }

    @Override
    public long size() {
        return targets.shape().dim(0);
    }

    @Override
    public Batches batches(int size) {
        return batches(size, _ -> IntStream.range(0, Math.toIntExact(size())).toArray());
    }

    @Override
    public Batches shuffled(int size, long seed) {
        return batches(size, epoch -> permutation(Math.toIntExact(size()), seed, epoch));
    }

    /** Closes the tensors. */
    @Override
    public void close() {
        inputs.forEach(Tensor::close);
        targets.close();
    }

    private interface Order {
        int[] of(long epoch);
    }

    private Batches batches(int size, Order order) {
        require(size > 0, INVALID_ARGUMENT, "Examples: a batch must have a row at least, got %d", size);
        return new InMemory(this, size, order, 0, 1);
    }

    /** Batches of which one of several workers picks its rows. */
    private record InMemory(Examples all, int size, Order order, int rank, int ranks) implements Batches {

        @Override
        public Batches share(int rank, int ranks) {
            return new InMemory(all, size, order, rank, ranks);
        }

        @Override
        public Feed<Batch> epoch(long epoch, long from) {
            int[] rows = order.of(epoch);
            return new Feed<>() {
                private long number = from;

                @Override
                public boolean hasNext() {
                    return number * size < rows.length;
                }

                @Override
                public Batch next() {
                    int start = Math.toIntExact(number * size), whole = Math.min(size, rows.length - start);
                    int first = (int) Batch.first(whole, rank, ranks), end = (int) Batch.first(whole, rank + 1, ranks);
                    List<Tensor> picked = new ArrayList<>();
                    for (Tensor t : all.inputs) picked.add(pick(t, rows, start + first, start + end));
                    picked.add(pick(all.targets, rows, start + first, start + end));
                    return new Batch(picked, number++, first, whole);
                }
            };
        }
    }

    /** A permutation by Fisher and Yates. */
    private static int[] permutation(int n, long seed, long epoch) {
        SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + epoch);
        int[] p = IntStream.range(0, n).toArray();
        for (int i = n - 1; i > 0; i--) {
            int j = random.nextInt(i + 1), swap = p[i];
            p[i] = p[j];
            p[j] = swap;
        }
        return p;
    }

    private static Tensor pick(Tensor from, int[] rows, int start, int end) {
        Shape shape = from.shape().withDim(0, end - start);
        Tensor to = Tensor.allocate(from.dtype(), shape);
        long width = from.size() == 0 ? 0 : from.byteSize() / from.shape().dim(0);
        long source = from.address(), target = to.address();
        for (int i = start; i < end; i++) Memory.copy(source + rows[i] * width, target + (i - start) * width, width);
        Reference.reachabilityFence(from);
        return to;
    }
}
