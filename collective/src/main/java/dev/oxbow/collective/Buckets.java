package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.BucketPlan.Bucket;
import dev.oxbow.collective.BucketPlan.Member;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All-reduces of many small tensors, packed into few large ones. Each step, every rank adds the same tensors by name, in any
 * order, then flushes. Thread-safe.
 */
public final class Buckets implements AutoCloseable {

    /*
     * In the first step every tensor travels alone, by its name. At its end rank 0 tells in which order, and when, its
     * tensors became ready; all ranks make the same plan of that. From then on a bucket goes as soon as it is full. Buckets
     * that are ready later have the higher priority: backward passes end with what the next forward pass begins with.
     * Members of buckets that are not full at the end of a step travel alone.
     */

    private static final long[] CANDIDATES = {1 << 20, 4 << 20, 16 << 20, 64 << 20};
    private static final int TRIES = 3;

    /** What of a bucket has come in this step. */
    private static final class Filling {
        final Bucket bucket;
        final long memory;
        final Map<String, Long> offsets = new LinkedHashMap<>();
        final Map<String, Elements> elements = new LinkedHashMap<>();
        final Map<String, Pending> pending = new LinkedHashMap<>();
        boolean gone;

        Filling(Bucket bucket, long memory) {
            this.bucket = bucket;
            this.memory = memory;
            long at = 0;
            for (Member m : bucket.members()) {
                offsets.put(m.name(), at);
                at += m.bytes();
            }
        }

        long bytes() {
            return bucket.count() * bucket.dtype().size();
        }
    }

    private final Group group;
    private final BucketConfig config;
    private final boolean tunes;
    private final Map<String, Member> seen = new LinkedHashMap<>();
    private final double[] fastest = new double[CANDIDATES.length];
    private List<Member> order;
    private List<Filling> fillings = List.of();
    private BucketPlan plan;
    private long planBytes;
    private long step;
    private long began;
    private int open;
    private OxbowException error;
    private Pending flushed;
    private boolean closed;

    public Buckets(Group group, BucketConfig config) {
        this.group = group;
        this.config = config;
        tunes = config.tune() && !group.communicator().config().deterministic();
        planBytes = tunes ? CANDIDATES[0] : config.bytes();
        Arrays.fill(fastest, Double.MAX_VALUE);
    }

    /** Reduces a tensor in place; the handle ends when its result is there. */
    public synchronized Pending add(String name, Elements x) {
        require(
                !closed && flushed == null,
                FAILED_PRECONDITION,
                "Buckets: '%s' was added before the last step had ended",
                name);
        long now = group.communicator().nanoTime();
        if (seen.isEmpty()) began = now;
        Member member = new Member(name, x.dtype(), x.count(), now - began);
        require(
                seen.putIfAbsent(name, member) == null,
                INVALID_ARGUMENT,
                "Buckets: '%s' was added twice in one step",
                name);
        Pending pending = new Pending(group.communicator());
        open++;
        Filling filling = filling(member);
        if (filling == null) {
            try {
                alone(name, x, pending);
            } catch (OxbowException e) { // refused: as if it had not been added
                open--;
                seen.remove(name);
                throw e;
            }
            return pending;
        }
        filling.elements.put(name, x);
        filling.pending.put(name, pending);
        if (filling.memory != 0) Memory.copy(x.address(), filling.memory + filling.offsets.get(name), x.bytes());
        if (filling.elements.size() == filling.bucket.members().size()) launch(filling);
        return pending;
    }

    private Filling filling(Member member) {
        Bucket bucket = plan == null ? null : plan.bucket(member.name());
        if (bucket == null) return null;
        boolean same = bucket.members().stream()
                .anyMatch(m ->
                        m.name().equals(member.name()) && m.dtype() == member.dtype() && m.count() == member.count());
        return same ? fillings.get(bucket.index()) : null;
    }

    private void alone(String name, Elements x, Pending pending) {
        group.allReduce(x, config.reduction(), options("tensor " + name, x.dtype(), 0))
                .whenDone(e -> group.communicator().submit(() -> ended(pending, e)));
    }

    private void launch(Filling f) {
        f.gone = true;
        Bucket b = f.bucket;
        Elements x =
                f.memory == 0 ? f.elements.values().iterator().next() : new Elements(f.memory, b.count(), b.dtype());
        String name = "bucket %d of %d".formatted(b.index(), plan.buckets().size());
        group.allReduce(x, config.reduction(), options(name, b.dtype(), b.index()))
                .whenDone(e -> group.communicator().submit(() -> unpack(f, e)));
    }

    private void unpack(Filling f, OxbowException e) {
        for (var entry : f.pending.entrySet()) {
            Elements to = f.elements.get(entry.getKey());
            if (e == null && f.memory != 0)
                Memory.copy(f.memory + f.offsets.get(entry.getKey()), to.address(), to.bytes());
            ended(entry.getValue(), e);
        }
    }

    private Options options(String name, DType dtype, int priority) {
        WireFormat wire = dtype == DType.F32 ? config.wire() : WireFormat.NONE;
        return Options.named(name).withWire(wire).withPriority(priority);
    }

    /** On the thread that steps. */
    private void ended(Pending pending, OxbowException e) {
        pending.end(e);
        synchronized (this) {
            if (error == null) error = e;
            if (--open == 0 && flushed != null) endStep();
        }
    }

    /** Ends a step: what was added goes. The handle ends when all results are there; then the next step may begin. */
    public synchronized Pending flush() {
        require(!closed && flushed == null, FAILED_PRECONDITION, "Buckets: the last step has not ended");
        flushed = new Pending(group.communicator());
        Pending result = flushed;
        for (Filling f : fillings) {
            if (f.gone) continue;
            f.elements.forEach((name, x) -> alone(name, x, f.pending.get(name)));
        }
        if (open == 0) group.communicator().submit(this::endStepIfOpen);
        return result;
    }

    private synchronized void endStepIfOpen() {
        if (flushed != null && open == 0) endStep();
    }

    /** On the thread that steps. */
    private void endStep() {
        List<Member> members = new ArrayList<>(seen.values());
        long nanos = group.communicator().nanoTime() - began;
        seen.clear();
        if (error != null) {
            endFlush(error);
        } else if (order == null && !members.isEmpty()) {
            agreeOnOrder(members);
        } else {
            tuneOrRenew(nanos);
        }
    }

    private void tuneOrRenew(long nanos) {
        int candidate = (int) (step++ / TRIES);
        boolean tried = tunes && candidate < CANDIDATES.length;
        if (tried) fastest[candidate] = Math.min(fastest[candidate], Math.max(1, nanos) / 1e9);
        if (!tried || step % TRIES != 0) {
            renew();
        } else if (candidate + 1 < CANDIDATES.length) {
            replan(CANDIDATES[candidate + 1]);
        } else {
            agreeOnSize();
            return;
        }
        endFlush(null);
    }

    private void endFlush(OxbowException e) {
        Pending p = flushed;
        flushed = null;
        p.end(e);
    }

    /** Rank 0 tells the order in which its tensors became ready; others may have seen another one. */
    private void agreeOnOrder(List<Member> members) {
        List<Member> sorted = new ArrayList<>(members);
        sorted.sort(Comparator.comparing(Member::name));
        if (group.communicator().config().deterministic()) {
            order = sorted.stream()
                    .map(m -> new Member(m.name(), m.dtype(), m.count(), 0))
                    .toList();
            replan(planBytes);
            endFlush(null);
            return;
        }
        long[] told = new long[2 * members.size()];
        for (int i = 0; i < members.size(); i++) {
            told[2 * i] = sorted.indexOf(members.get(i));
            told[2 * i + 1] = members.get(i).ready();
        }
        Tensor numbers = Tensor.of(Shape.of(told.length), told);
        group.broadcast(numbers, 0, Options.named("order of buckets")).whenDone(e -> {
            long[] agreed = numbers.longs();
            numbers.close();
            agreed(e, () -> {
                order = new ArrayList<>();
                for (int i = 0; i < sorted.size(); i++) {
                    Member m = sorted.get((int) agreed[2 * i]);
                    order.add(new Member(m.name(), m.dtype(), m.count(), agreed[2 * i + 1]));
                }
                replan(planBytes);
            });
        });
    }

    /** The size whose slowest rank was fastest is kept. */
    private void agreeOnSize() {
        Tensor times = Tensor.of(Shape.of(fastest.length), fastest);
        group.allReduce(times, Reduction.MAX, Options.named("size of buckets")).whenDone(e -> {
            double[] slowest = times.doubles();
            times.close();
            agreed(e, () -> {
                int best = 0;
                for (int i = 1; i < slowest.length; i++) if (slowest[i] < slowest[best]) best = i;
                replan(CANDIDATES[best]);
            });
        });
    }

    /** Ends the step with what was agreed, or with why that failed. */
    private synchronized void agreed(OxbowException failure, Runnable then) {
        OxbowException e = failure;
        try {
            if (e == null) then.run();
        } catch (RuntimeException | OutOfMemoryError t) {
            e = t instanceof OxbowException o ? o : new OxbowException(INTERNAL, "Buckets: " + t, t);
        }
        endFlush(e);
    }

    private void replan(long bytes) {
        planBytes = bytes;
        plan = new BucketPlan(order, bytes, config.delay().toNanos());
        giveBack();
        List<Filling> fresh = new ArrayList<>();
        for (Bucket b : plan.buckets()) {
            boolean packed = b.members().size() > 1;
            long size = b.count() * b.dtype().size();
            fresh.add(new Filling(b, packed ? group.communicator().blocks().take(size) : 0));
        }
        fillings = fresh;
    }

    private void renew() {
        List<Filling> fresh = new ArrayList<>();
        for (Filling f : fillings) fresh.add(new Filling(f.bucket, f.memory));
        fillings = fresh;
    }

    private void giveBack() {
        for (Filling f : fillings)
            if (f.memory != 0) group.communicator().blocks().give(f.memory, f.bytes());
        fillings = List.of();
    }

    /** The bytes of a bucket at most, as they were given or found to be fastest. */
    public synchronized long bytes() {
        return planBytes;
    }

    /** How many buckets a step has; none before the first step has ended. */
    public synchronized int count() {
        return fillings.size();
    }

    /** Gives the memory back; the last step must have ended. */
    @Override
    public synchronized void close() {
        if (closed) return;
        closed = true;
        group.communicator().submit(() -> {
            synchronized (this) {
                giveBack();
            }
        });
    }
}
