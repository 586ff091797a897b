package dev.oxbow.collective;

import dev.oxbow.collective.algorithm.Exchange;
import dev.oxbow.collective.combine.Combine;
import dev.oxbow.net.Answer;
import dev.oxbow.net.Mesh;
import dev.oxbow.net.Operation;
import dev.oxbow.net.Sink;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.LongConsumer;

/** The messages of one call over the mesh. Receives are posted at once, sends only when all ranks have agreed on the call. */
class MeshExchange implements Exchange {

    /** A message that has begun and not ended; a link of the list of these. */
    private final class Message implements Answer, SendQueue.Entry {
        private final int peer;
        private final boolean sends;
        private final boolean lends;
        private final long bytes;
        private final Runnable then;
        private final Runnable release;
        private final long since;
        private long tag;
        private long address;
        private Operation operation;
        private Message previous;
        private Message next;

        Message(int peer, boolean sends, boolean lends, long bytes, Runnable then, Runnable release) {
            this.peer = peer;
            this.sends = sends;
            this.lends = lends;
            this.bytes = bytes;
            this.then = then;
            this.release = release;
            since = communicator.nanoTime();
        }

        @Override
        public int peer() {
            return call.participant(peer);
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public int priority() {
            return call.options().priority();
        }

        @Override
        public void begin() {
            long deadline = call.messageDeadline(), group = call.group().id();
            operation = lends
                    ? mesh.lend(peer(), group, tag, address, bytes, deadline, this)
                    : mesh.send(peer(), group, tag, address, bytes, deadline, this);
        }

        @Override
        public void ended(OxbowException error) {
            unlink(this);
            if (error == null) call.group().calls().moved();
            if (sends && operation != null) communicator.sends().ended(this);
            if (release != null) release.run();
            if (!sends && lends && error == null) borrowed.add(operation);
            if (!sends && error == null) communicator.trace().waited(call, call.participant(peer), since, bytes);
            if (stopped) {
                if (!sends && lends) giveBack();
                if (messages == null) call.settled();
            } else if (error != null) {
                call.messageFailed(call.participant(peer), error);
            } else {
                call.run(then);
            }
        }
    }

    private record Held(int to, int slot, boolean lends, long address, long bytes, Runnable then, Runnable release) {}

    private record Scratch(long address, long bytes) {}

    final Call call;
    final Communicator communicator;
    private final Mesh mesh;
    private final DType dtype;
    private final Reduction reduction;
    private final Combine combine;
    private final List<Scratch> scratch = new ArrayList<>(2);
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private final List<Operation> borrowed = new ArrayList<>(0);
    private final ArrayDeque<Runnable> whenAgreed = new ArrayDeque<>(0);
    private Work work;
    private boolean holds;
    private boolean stopped;
    private Message messages;

    MeshExchange(Call call, boolean holds) {
        this.call = call;
        this.holds = holds;
        communicator = call.communicator();
        mesh = communicator.mesh();
        dtype = call.dtype();
        reduction = call.reduction();
        combine = reduction == null ? null : reduction.combine(dtype);
    }

    @Override
    public final int rank() {
        return call.me();
    }

    @Override
    public final int size() {
        return call.size();
    }

    @Override
    public final int width() {
        return dtype.size();
    }

    @Override
    public void send(int to, int slot, long address, long count, Runnable then) {
        sendBytes(to, slot, false, address, count * width(), then, null);
    }

    @Override
    public void lend(int to, int slot, long address, long count, Runnable then) {
        sendBytes(to, slot, true, address, count * width(), then, null);
    }

    @Override
    public void borrow(int from, int slot, long count, LongConsumer then) {
        if (stopped) return;
        Operation[] loan = {null};
        Runnable told = () -> {
            if (!isOneLost()) then.accept(loan[0].address());
        };
        Message m = link(new Message(from, false, true, count * width(), told, null));
        loan[0] = m.operation =
                mesh.borrow(call.participant(from), call.tag(slot), count * width(), call.messageDeadline(), m);
    }

    /** Whether the memory of a rank can not be read any more; the news of its loss, which end the call, come next. */
    private boolean isOneLost() {
        for (int r = 0; r < size(); r++) if (r != rank() && mesh.loss(call.participant(r)) != null) return true;
        return false;
    }

    @Override
    public final boolean giveBack() {
        boolean kept = true;
        for (Operation loan : borrowed) kept &= mesh.giveBack(loan);
        borrowed.clear();
        return kept;
    }

    @Override
    public final long share(long address, long count) {
        long reference = -1;
        for (int r = 0; r < size(); r++) {
            if (r == rank()) continue;
            if (mesh.loss(call.participant(r)) != null) return -1;
            reference = mesh.transport().link(call.participant(r)).share(address, count * width());
            if (reference < 0) return -1;
        }
        return reference;
    }

    @Override
    public final long shared(int from, long reference, long count) {
        return mesh.transport().link(call.participant(from)).shared(reference, count * width());
    }

    @Override
    public final void poll(Work work) {
        if (stopped) return;
        this.work = work;
        communicator.poll(this);
    }

    /** One round of what the algorithm does without messages; whether anything was done. */
    final boolean round() {
        try {
            Work asked = work;
            boolean any = asked != null && asked.step();
            if (any) call.group().calls().moved();
            else if (asked != null && asked.againNanos() < Long.MAX_VALUE)
                communicator.dueBy(communicator.nanoTime() + asked.againNanos());
            return any;
        } catch (RuntimeException | AssertionError e) {
            call.fault(e);
            return true;
        }
    }

    @Override
    public final void wake(int rank) {
        mesh.nudge(call.participant(rank));
    }

    @Override
    public final void pause() {
        communicator.pause();
    }

    private void rest() {
        if (work != null) communicator.rest(this);
        work = null;
    }

    @Override
    public void receive(int from, int slot, long address, long count, Runnable then) {
        if (stopped) return;
        Message m = link(new Message(from, false, false, count * width(), then, null));
        m.operation = mesh.receive(
                call.participant(from), call.tag(slot), address, count * width(), call.messageDeadline(), m);
    }

    @Override
    public void receive(int from, int slot, long count, Sink sink, Runnable then) {
        receiveBytes(from, slot, count * width(), sink, then);
    }

    final void receiveBytes(int from, int slot, long bytes, Sink sink, Runnable then) {
        if (stopped) return;
        Message m = link(new Message(from, false, false, bytes, then, null));
        m.operation = mesh.receive(call.participant(from), call.tag(slot), bytes, sink, call.messageDeadline(), m);
    }

    /** Sends bytes; {@code release} runs when their memory is free again, however that comes about. */
    final void sendBytes(int to, int slot, boolean lends, long address, long bytes, Runnable then, Runnable release) {
        if (stopped) {
            if (release != null) release.run();
            return;
        }
        if (holds) {
            held.add(new Held(to, slot, lends, address, bytes, then, release));
            return;
        }
        Message m = link(new Message(to, true, lends, bytes, then, release));
        m.tag = call.tag(slot);
        m.address = address;
        call.count(bytes);
        communicator.sends().add(m);
    }

    /** All ranks have agreed: what was held back goes. */
    void release() {
        holds = false;
        for (Held h = held.poll(); h != null; h = held.poll())
            sendBytes(h.to, h.slot, h.lends, h.address, h.bytes, h.then, h.release);
        for (Runnable then = whenAgreed.poll(); then != null && !stopped; then = whenAgreed.poll()) call.run(then);
    }

    @Override
    public final void whenAgreed(Runnable then) {
        whenAgreed.add(then); // agreement follows the start, which asks for this
    }

    @Override
    public final void reduce(long from, long to, long count) {
        combine.combine(to, from, count);
    }

    @Override
    public final boolean isCommutative() {
        return reduction != null && reduction.isCommutative();
    }

    @Override
    public final void complete(long address, long count) {
        if (reduction != null) reduction.complete(dtype, address, count, size());
    }

    @Override
    public final void copy(long from, long to, long count) {
        if (from != to) Memory.copy(from, to, count * width());
    }

    @Override
    public final void publish(long from, long to, long count) {
        communicator.copier().copy(from, to, count * width());
    }

    @Override
    public final long scratch(long count) {
        long bytes = count * width();
        long address = communicator.blocks().take(bytes);
        scratch.add(new Scratch(address, bytes));
        return address;
    }

    @Override
    public final void finish() {
        if (stopped) return;
        rest();
        if (messages != null) call.fault(new IllegalStateException("finished with messages pending"));
        else call.finished();
    }

    /** Ends every message; whether the memory of all of them is free already. */
    boolean stop(OxbowException why) {
        stopped = true;
        rest();
        giveBack();
        for (Held h = held.poll(); h != null; h = held.poll()) if (h.release != null) h.release.run();
        for (Message m = messages; m != null; ) {
            Message next = m.next;
            if (m.operation != null) {
                mesh.cancel(m.operation, why);
            } else {
                communicator.sends().remove(m);
                m.ended(why);
            }
            m = next;
        }
        return messages == null;
    }

    /** Gives back the scratch memory, once no message uses it. */
    void free() {
        for (Scratch s : scratch) communicator.blocks().give(s.address, s.bytes);
        scratch.clear();
    }

    /** Bytes of the messages under way that have moved. */
    final long moved() {
        long sum = 0;
        for (Message m = messages; m != null; m = m.next) if (m.operation != null) sum += m.operation.moved();
        return sum;
    }

    /** Gives the messages under way more time. */
    final void prolong(long deadline) {
        for (Message m = messages; m != null; m = m.next) if (m.operation != null) m.operation.prolong(deadline);
    }

    boolean isIdle() {
        return messages == null;
    }

    /** The ranks of the job from which messages are awaited or, where there are none, to which they go. */
    int[] waitsFor() {
        int[] named = work == null ? new int[0] : work.waitsFor();
        if (named.length > 0)
            return Arrays.stream(named).map(call::participant).sorted().toArray();
        TreeSet<Integer> from = new TreeSet<>(), to = new TreeSet<>();
        for (Message m = messages; m != null; m = m.next) (m.sends ? to : from).add(call.participant(m.peer));
        return (from.isEmpty() ? to : from).stream().mapToInt(r -> r).toArray();
    }

    private Message link(Message m) {
        m.next = messages;
        if (messages != null) messages.previous = m;
        messages = m;
        return m;
    }

    private void unlink(Message m) {
        if (m.previous == null) messages = m.next;
        else m.previous.next = m.next;
        if (m.next != null) m.next.previous = m.previous;
        m.previous = m.next = null;
    }
}
