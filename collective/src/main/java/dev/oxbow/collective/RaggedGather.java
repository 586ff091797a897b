package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;

import dev.oxbow.collective.algorithm.Algorithm;
import dev.oxbow.collective.algorithm.RingAllGather;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Gathers different numbers of elements: one call tells everybody the numbers, a second one the elements. */
final class RaggedGather {
    private final Group group;
    private final Elements mine;
    private final Options options;
    private final PendingTensor result;
    private final Tensor numbers;

    RaggedGather(Group group, Elements mine, Options options) {
        this.group = group;
        this.mine = mine;
        this.options = options;
        result = new PendingTensor(group.communicator());
        numbers = Tensor.allocate(DType.I64, Shape.of(group.size()));
    }

    PendingTensor start() {
        Memory.putLong(numbers.address() + 8L * group.rank(), mine.count());
        long[] ones = new long[group.size()];
        Arrays.fill(ones, 1);
        Signature s = Signature.of(Kind.ALL_GATHER, mine.dtype(), Shape.UNKNOWN).withHow(group.how(options));
        Algorithm counts = new RingAllGather(numbers.address(), ones, 0);
        Pending first = new Pending(group.communicator());
        Call call = new Call(
                group, s, options, group.members(), DType.I64, null, new Choice("ring of counts", counts), first);
        first.whenDone(error -> {
            if (error != null) {
                end(error);
                return;
            }
            try {
                gather(call);
            } catch (RuntimeException | OutOfMemoryError e) { // the others name this rank at their deadline
                end(e instanceof OxbowException o ? o : new OxbowException(RESOURCE_EXHAUSTED, "all-gather: " + e, e));
            }
        });
        result.cancellation = first.cancellation;
        group.communicator().submit(() -> group.calls().begin(call));
        return result;
    }

    private void gather(Call before) {
        long[] counts = numbers.longs();
        Tensor all =
                Tensor.allocate(mine.dtype(), Shape.of(Arrays.stream(counts).sum()));
        Elements x = Elements.of(all);
        long first = Arrays.stream(counts).limit(group.rank()).sum();
        Memory.copy(mine.address(), all.address() + first * mine.dtype().size(), mine.bytes());
        Signature s = before.signature().withCounts(counts);
        Pending second = new Pending(group.communicator());
        Call call = new Call(
                group,
                s,
                options,
                group.members(),
                mine.dtype(),
                null,
                new Chooser(group).allGather(x, counts),
                second);
        call.identify(before.name().name(), before.name().number(), Hash.of(before.key(), "elements"));
        second.whenDone(error -> {
            if (error == null) result.gathered(all, counts);
            else all.close();
            end(error);
        });
        result.cancellation = second.cancellation;
        group.calls().follow(call);
    }

    private void end(OxbowException error) {
        numbers.close();
        result.end(error);
    }
}
