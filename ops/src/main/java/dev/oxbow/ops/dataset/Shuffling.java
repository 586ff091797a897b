package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.random.Philox;
import dev.oxbow.tensor.Tensor;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;

/** A random one of the next so many elements each time, with TensorFlow's numbers. */
final class Shuffling implements Elements {

    /** Whole numbers of 32 bits out of blocks of four. */
    private static final class Numbers {
        private final Philox philox;
        private final int[] block = new int[4];
        private int used = block.length;

        Numbers(long seed, long seed2) {
            philox = Philox.ofSeeds(seed, seed2);
        }

        long next() {
            if (used == block.length) {
                philox.next(block);
                used = 0;
            }
            return block[used++] & 0xffffffffL;
        }
    }

    private final Elements from;
    private final long size;
    private final Numbers numbers;
    private final List<List<Tensor>> buffer = new ArrayList<>();
    private boolean ended;

    /** Where the elements that are left begin in the buffer, which is a ring once it is full. */
    private long start;

    private long end;

    private Shuffling(Elements from, long size, Numbers numbers) {
        this.from = from;
        this.size = size;
        this.numbers = numbers;
    }

    /** Seeds of zeros are drawn; with {@code again} each walk has an order of its own. */
    static Dataset of(Dataset from, long size, long seed, long seed2, boolean again) {
        require(size > 0, INVALID_ARGUMENT, "buffer_size must be greater than zero, got %d", size);
        boolean drawn = seed == 0 && seed2 == 0;
        SecureRandom random = drawn ? new SecureRandom() : null;
        long first = drawn ? random.nextLong() : seed, second = drawn ? random.nextLong() : seed2;
        Numbers seeds = new Numbers(first, second);
        return new Dataset(List.of(), List.of(from), () -> {
            synchronized (seeds) {
                Numbers own = again ? new Numbers(seeds.next(), seeds.next()) : new Numbers(first, second);
                return new Shuffling(from.open(), size, own);
            }
        });
    }

    @Override
    public void next(Turn turn, Taker taker) {
        Repeating.start(turn, taker, again -> {
            if (ended || end - start == size) {
                give(taker);
                return;
            }
            from.next(turn, (element, error) -> {
                if (error != null) {
                    taker.take(null, error);
                    return;
                }
                if (element == null) ended = true;
                else put(element);
                again.run();
            });
        });
    }

    private void put(List<Tensor> element) {
        int i = (int) (end++ % size);
        if (i == buffer.size()) buffer.add(element);
        else buffer.set(i, element);
    }

    private void give(Taker taker) {
        if (start == end) {
            taker.take(null, null);
            return;
        }
        long chosen = start + numbers.next() % (end - start);
        int i = (int) (chosen % size), first = (int) (start++ % size);
        List<Tensor> element = buffer.get(i);
        buffer.set(i, buffer.get(first));
        buffer.set(first, null);
        taker.take(element, null);
    }

    @Override
    public void close() {
        for (List<Tensor> e : buffer) if (e != null) e.forEach(Tensor::release);
        buffer.clear();
        from.close();
    }
}
