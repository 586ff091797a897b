package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.random.Samples;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** A random one of the next so many elements each time, with TensorFlow's numbers. */
final class Shuffling implements Elements {

    private final Elements from;
    private final long size;
    private final Samples numbers;
    private final List<List<Tensor>> buffer = new ArrayList<>();
    private boolean ended;

    /** Where the elements that are left begin in the buffer, which is a ring once it is full. */
    private long start;

    private long end;

    private Shuffling(Elements from, long size, Samples numbers) {
        this.from = from;
        this.size = size;
        this.numbers = numbers;
    }

    static Dataset of(Dataset from, long size, Seeds seeds) {
        require(size > 0, INVALID_ARGUMENT, "buffer_size must be greater than zero, got %d", size);
        return new Dataset(List.of(), List.of(from), () -> new Shuffling(from.open(), size, seeds.next()))
                .sized(from.size());
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
        long chosen = start + Integer.toUnsignedLong(numbers.next()) % (end - start);
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
