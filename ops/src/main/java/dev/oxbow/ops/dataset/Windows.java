package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Windows over elements: for each component a data set of its values. */
final class Windows extends Walks.Through {
    private final Elements from;
    private final long size;
    private final long shift;
    private final long stride;
    private final boolean dropRest;
    private final List<List<Tensor>> buffer = new ArrayList<>();
    private boolean ended;

    private Windows(Elements from, long size, long shift, long stride, boolean dropRest) {
        super(from);
        this.from = from;
        this.size = size;
        this.shift = shift;
        this.stride = stride;
        this.dropRest = dropRest;
    }

    static Dataset of(Dataset from, long size, long shift, long stride, boolean dropRest) {
        require(size > 0, INVALID_ARGUMENT, "Window size must be greater than zero, got %d", size);
        require(shift > 0, INVALID_ARGUMENT, "Window shift must be greater than zero, got %d", shift);
        require(stride > 0, INVALID_ARGUMENT, "Window stride must be greater than zero, got %d", stride);
        require(
                size == 1 || stride < Long.MAX_VALUE / (size - 1),
                INVALID_ARGUMENT,
                "Window size and stride must have a product below 2^63, got %d and %d",
                size,
                stride);
        return new Dataset(List.of(), List.of(from), () -> new Windows(from.open(), size, shift, stride, dropRest))
                .sized(Dataset.sized(from.size(), n -> {
                    if (!dropRest) return Math.ceilDiv(n, shift);
                    long rest = n - span(size, stride);
                    return rest < 0 ? 0 : rest / shift + 1;
                }));
    }

    /** How many elements there are from the first of a window to its last. */
    private static long span(long size, long stride) {
        return (size - 1) * stride + 1;
    }

    @Override
    public void next(Turn turn, Taker taker) {
        long wanted = span(size, stride);
        Repeating.start(turn, taker, again -> {
            if (ended || buffer.size() >= wanted) {
                give(turn, wanted, taker);
                return;
            }
            from.next(turn, (element, error) -> {
                if (error != null) {
                    taker.take(null, error);
                    return;
                }
                if (element == null) ended = true;
                else buffer.add(element);
                again.run();
            });
        });
    }

    private void give(Turn turn, long wanted, Taker taker) {
        if (buffer.isEmpty() || dropRest && buffer.size() < wanted) {
            taker.take(null, null);
            return;
        }
        List<List<Tensor>> some = new ArrayList<>();
        for (long i = 0; i < buffer.size(); i += stride) some.add(buffer.get((int) i));
        List<Tensor> window = components(some);
        long[] skipped = {shift};
        while (skipped[0] > 0 && !buffer.isEmpty()) {
            buffer.removeFirst().forEach(Tensor::release);
            skipped[0]--;
        }
        Runnable forget = () -> {
            window.forEach(Tensor::release);
            window.clear();
        };
        Repeating.start(
                turn,
                taker,
                again -> {
                    if (skipped[0] == 0 || ended) {
                        List<Tensor> whole = List.copyOf(window);
                        window.clear(); // they are the taker's
                        taker.take(whole, null);
                        return;
                    }
                    from.next(turn, (element, error) -> {
                        if (error != null) {
                            forget.run();
                            taker.take(null, error);
                            return;
                        }
                        if (element == null) ended = true;
                        else element.forEach(Tensor::release);
                        skipped[0]--;
                        again.run();
                    });
                },
                forget);
    }

    /** A data set for each component of some elements, which stay the caller's. */
    static List<Tensor> components(List<List<Tensor>> elements) {
        List<Tensor> all = new ArrayList<>();
        for (int k = 0; k < elements.getFirst().size(); k++) {
            List<List<Tensor>> column = new ArrayList<>();
            for (List<Tensor> e : elements) column.add(List.of(e.get(k)));
            all.add(Dataset.tensor(of(column)));
        }
        return all;
    }

    /** A data set of elements, of each tensor of which it counts a reference. */
    static Dataset of(List<List<Tensor>> elements) {
        List<Tensor> held = new ArrayList<>();
        for (List<Tensor> e : elements) for (Tensor t : e) held.add(t.retain());
        List<List<Tensor>> all = List.copyOf(elements);
        return Counting.of(
                held,
                all.size(),
                i -> all.get((int) i).stream().map(Tensor::retain).toList());
    }

    @Override
    public void close() {
        Pieces.release(buffer);
        super.close();
    }
}
