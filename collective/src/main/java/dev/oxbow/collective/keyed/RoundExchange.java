package dev.oxbow.collective.keyed;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.collective.algorithm.Exchange;
import dev.oxbow.collective.combine.Combine;
import dev.oxbow.collective.combine.Scale;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.graph.RendezvousKey;
import dev.oxbow.net.Sink;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Messages between the devices of a group as values of a round, each with a name of its own. All on one {@link Serial}. */
final class RoundExchange implements Exchange {

    /** A pair of ranks and a slot, whose messages are told apart by their number. */
    private record Lane(int from, int to, int slot) {}

    private final KernelContext context;
    private final KeyedGroup group;
    private final int rank;
    private final DType dtype;
    private final Combine combine;
    private final boolean mean;
    private final Rendezvous rendezvous;
    private final Executor serial;
    private final Consumer<OxbowException> end;
    private final Map<Lane, Integer> numbers = new HashMap<>();
    private final Map<Integer, Integer> awaited = new HashMap<>();
    private final List<Tensor> held = new ArrayList<>();
    private boolean ended;

    /**
     * @param combine what reductions do, or null
     * @param end gets null when this rank is done, else why it can not go on
     */
    RoundExchange(
            KernelContext context,
            KeyedGroup group,
            int rank,
            DType dtype,
            Combine combine,
            boolean mean,
            Rendezvous rendezvous,
            Executor serial,
            Consumer<OxbowException> end) {
        this.context = context;
        this.group = group;
        this.rank = rank;
        this.dtype = dtype;
        this.combine = combine;
        this.mean = mean;
        this.rendezvous = rendezvous;
        this.serial = serial;
        this.end = end;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return group.size();
    }

    @Override
    public int width() {
        return dtype.size();
    }

    /** The devices that something is still awaited from. */
    List<String> awaited() {
        return awaited.keySet().stream()
                .sorted()
                .map(r -> "rank %d, %s".formatted(r, group.members().get(r).device()))
                .toList();
    }

    private String key(int from, int to, int slot) {
        int number = numbers.merge(new Lane(from, to, slot), 1, Integer::sum);
        Member sender = group.members().get(from), receiver = group.members().get(to);
        return new RendezvousKey(
                        sender.device(),
                        sender.incarnation(),
                        receiver.device(),
                        "collective_%d_%d".formatted(slot, number),
                        0,
                        0)
                .toString();
    }

    @Override
    public void send(int to, int slot, long address, long count, Runnable then) {
        Tensor copy = context.temporary(dtype, Shape.of(count));
        Memory.copy(address, copy.address(), count * width());
        rendezvous.send(key(rank, to, slot), copy);
        serial.execute(() -> {
            if (!ended) attempt(then);
        });
    }

    @Override
    public void receive(int from, int slot, long address, long count, Runnable then) {
        receive(from, slot, count, (at, offset, length) -> Memory.copy(at, address + offset, length), then);
    }

    @Override
    public void receive(int from, int slot, long count, Sink sink, Runnable then) {
        awaited.merge(from, 1, Integer::sum);
        rendezvous.receive(
                key(from, rank, slot), (t, error) -> serial.execute(() -> arrived(from, count, sink, then, t, error)));
    }

    private void arrived(int from, long count, Sink sink, Runnable then, Tensor t, Throwable error) {
        try {
            if (ended) return;
            if (error != null || t == null) {
                fail(from, error);
                return;
            }
            if (t.dtype() != dtype || t.size() != count) {
                end.accept(new OxbowException(
                        INVALID_ARGUMENT,
                        "rank %d, %s, sent %s where %d elements of %s were awaited"
                                .formatted(from, group.members().get(from).device(), t.describe(), count, dtype)));
                return;
            }
            awaited.computeIfPresent(from, (_, n) -> n == 1 ? null : n - 1);
            attempt(() -> {
                sink.accept(t.address(), 0, t.byteSize());
                then.run();
            });
        } finally {
            if (t != null) t.release();
        }
    }

    private void attempt(Runnable what) {
        try {
            what.run();
        } catch (RuntimeException | Error e) {
            end.accept(e instanceof OxbowException o ? o : new OxbowException(INTERNAL, String.valueOf(e), e));
        }
    }

    private void fail(int from, Throwable error) {
        String device = group.members().get(from).device();
        String why = error == null ? "its value is dead" : error.getMessage();
        var code = error instanceof OxbowException e ? e.code() : INVALID_ARGUMENT;
        end.accept(new OxbowException(code, "nothing came from rank %d, %s: %s".formatted(from, device, why), error));
    }

    @Override
    public void reduce(long from, long to, long count) {
        combine.combine(to, from, count);
    }

    @Override
    public boolean isCommutative() {
        return combine != null;
    }

    @Override
    public void complete(long address, long count) {
        if (mean) Scale.divide(dtype, address, count, size());
    }

    @Override
    public void copy(long from, long to, long count) {
        if (from != to) Memory.copy(from, to, count * width());
    }

    @Override
    public long scratch(long count) {
        Tensor t = context.temporary(dtype, Shape.of(count));
        held.add(t);
        return t.address();
    }

    @Override
    public void finish() {
        end.accept(null);
    }

    /** Nothing is done with what comes later. */
    void close() {
        ended = true;
        held.forEach(Tensor::release);
        held.clear();
    }
}
