package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.algorithm.Algorithm;
import dev.oxbow.collective.algorithm.Exchange;
import dev.oxbow.collective.combine.Combine;
import dev.oxbow.net.Sink;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;
import java.util.zip.CRC32;

/**
 * Ranks in one thread whose messages move in an order drawn from a seed. Checks that nobody writes what is being sent or
 * reads what is being received, that messages and receives pair up, and that ranks finish once and with nothing pending.
 */
final class LocalRanks implements AutoCloseable {
    private record Channel(int from, int to, int slot) {}

    /** One event that may happen next. */
    private interface Event {
        void happen();
    }

    private final class Message {
        final Channel channel;
        final long address;
        final long bytes;
        final long checksum;
        final Runnable then;
        long copy;

        Message(Channel channel, long address, long bytes, Runnable then) {
            this.channel = channel;
            this.address = address;
            this.bytes = bytes;
            this.then = then;
            checksum = checksum(address, bytes);
        }

        /** The network has taken the bytes, or the receiver has read them in place. */
        void sent() {
            assertEquals(checksum, checksum(address, bytes), () -> "memory changed while it was sent: " + channel);
            if (copy == 0 && !isDelivered) {
                copy = arena.allocate(Math.max(1, bytes), 64).address();
                Memory.copy(address, copy, bytes);
            }
            ranks[channel.from].pending--;
            then.run();
        }

        boolean isDelivered;
    }

    /** With a place to tell the address to instead of a sink, the message is borrowed. */
    private record Receive(long bytes, Sink sink, LongConsumer place, Runnable then) {}

    private static final class Ends {
        final Queue<Message> messages = new ArrayDeque<>();
        final Queue<Receive> receives = new ArrayDeque<>();
    }

    /** Rounds of work without messages in all, after which ranks are stuck. */
    private static final int MOST_ROUNDS = 2_000_000;

    private final Arena arena = Arena.ofConfined();
    private final Random random;
    private final String seed;
    private final long number;
    private final int width;
    private final Combine combine;
    private final DType dtype;
    private final Reduction reduction;
    private final Rank[] ranks;
    private final Map<Channel, Ends> channels = new HashMap<>();
    private final List<Event> events = new ArrayList<>();

    LocalRanks(int size, DType dtype, Reduction reduction, long seed) {
        random = new Random(seed);
        this.seed = "seed " + seed;
        number = seed;
        this.dtype = dtype;
        this.reduction = reduction;
        width = dtype.size();
        combine = reduction.combine(dtype);
        ranks = new Rank[size];
        for (int r = 0; r < size; r++) ranks[r] = new Rank(r);
    }

    /** Zeroed memory that lives as long as the ranks. */
    long allocate(long elements) {
        return arena.allocate(Math.max(1, elements * width), 64).address();
    }

    Exchange exchange(int rank) {
        return ranks[rank];
    }

    /** Starts an algorithm on each rank, in any order and at any time, and runs until nothing moves. */
    void run(IntFunction<Algorithm> algorithms) {
        run(algorithms, r -> ranks[r]);
    }

    void run(IntFunction<Algorithm> algorithms, IntFunction<Exchange> exchanges) {
        for (Rank rank : ranks) {
            rank.finished = false;
            events.add(() -> algorithms.apply(rank.rank).start(exchanges.apply(rank.rank)));
        }
        while (!events.isEmpty()) {
            int i = random.nextInt(events.size());
            Event event = events.get(i), last = events.removeLast();
            if (i < events.size()) events.set(i, last);
            event.happen();
        }
        for (Rank rank : ranks) assertTrue(rank.finished, () -> "rank " + rank.rank + " did not finish, " + seed);
        channels.forEach((channel, ends) -> assertTrue(
                ends.messages.isEmpty() && ends.receives.isEmpty(), () -> "left over on " + channel + ", " + seed));
        channels.clear();
    }

    long messages(int rank) {
        return ranks[rank].messages;
    }

    long values(int rank) {
        return ranks[rank].values;
    }

    private void match(Channel channel, Ends ends) {
        if (ends.messages.isEmpty() || ends.receives.isEmpty()) return;
        Message message = ends.messages.remove();
        Receive receive = ends.receives.remove();
        assertEquals(receive.bytes, message.bytes, () -> "lengths differ on " + channel);
        events.add(() -> deliver(message, receive));
    }

    private void deliver(Message message, Receive receive) {
        long from = message.copy != 0 ? message.copy : message.address;
        if (message.copy == 0) {
            assertEquals(
                    message.checksum,
                    checksum(from, message.bytes),
                    () -> "memory changed while it was sent: " + message.channel);
        }
        message.isDelivered = true;
        if (receive.place != null) {
            ranks[message.channel.to].borrowed.add(message);
            ranks[message.channel.to].pending--;
            receive.place.accept(from);
            return;
        }
        for (long at = 0; at < message.bytes; ) {
            long piece = Math.min(message.bytes - at, 64L * (1 + random.nextInt(1 << random.nextInt(14))));
            receive.sink.accept(from + at, at, piece);
            at += piece;
        }
        ranks[message.channel.to].pending--;
        receive.then.run();
    }

    private static long checksum(long address, long bytes) {
        CRC32 crc = new CRC32();
        if (bytes > 0) crc.update(Memory.ALL.asSlice(address, bytes).asByteBuffer());
        return crc.getValue();
    }

    @Override
    public void close() {
        arena.close();
    }

    private final class Rank implements Exchange {
        private final int rank;
        private final List<Message> borrowed = new ArrayList<>();
        private int pending;
        private int rounds;
        private int asked;
        private boolean finished;
        private long messages;
        private long values;

        Rank(int rank) {
            this.rank = rank;
        }

        @Override
        public int rank() {
            return rank;
        }

        @Override
        public int size() {
            return ranks.length;
        }

        @Override
        public int width() {
            return width;
        }

        @Override
        public void send(int to, int slot, long address, long count, Runnable then) {
            post(to);
            messages++;
            values += count;
            Channel channel = new Channel(rank, to, slot);
            Message message = new Message(channel, address, count * width, then);
            Ends ends = channels.computeIfAbsent(channel, c -> new Ends());
            ends.messages.add(message);
            match(channel, ends);
            events.add(message::sent);
        }

        @Override
        public void receive(int from, int slot, long address, long count, Runnable then) {
            for (long i = 0; i < count * width; i += 61) Memory.putByte(address + i, (byte) random.nextInt());
            receive(from, slot, count, (at, offset, length) -> Memory.copy(at, address + offset, length), then);
        }

        @Override
        public void receive(int from, int slot, long count, Sink sink, Runnable then) {
            post(from);
            Channel channel = new Channel(from, rank, slot);
            Ends ends = channels.computeIfAbsent(channel, c -> new Ends());
            ends.receives.add(new Receive(count * width, sink, null, then));
            match(channel, ends);
        }

        /** By the seed, ranks share all, some share no buffer, or some share nothing. */
        @Override
        public long share(long address, long count) {
            boolean hides = number % 3 > 0 && random.nextInt(3) == 0 && (asked == 0 || number % 3 == 2);
            asked++;
            return hides ? -1 : address;
        }

        @Override
        public long shared(int from, long reference, long count) {
            return reference;
        }

        @Override
        public void lend(int to, int slot, long address, long count, Runnable then) {
            post(to);
            messages++;
            Channel channel = new Channel(rank, to, slot);
            Ends ends = channels.computeIfAbsent(channel, c -> new Ends());
            ends.messages.add(new Message(channel, address, 0, then));
            match(channel, ends);
        }

        @Override
        public void borrow(int from, int slot, long count, LongConsumer then) {
            post(from);
            Channel channel = new Channel(from, rank, slot);
            Ends ends = channels.computeIfAbsent(channel, c -> new Ends());
            ends.receives.add(new Receive(0, null, then, null));
            match(channel, ends);
        }

        @Override
        public boolean giveBack() {
            for (Message m : borrowed) events.add(m::sent);
            borrowed.clear();
            return true;
        }

        @Override
        public void poll(Work work) {
            events.add(() -> {
                if (finished) return;
                assertTrue(++rounds < MOST_ROUNDS, () -> "rank " + rank + " is stuck, " + seed);
                work.step();
                poll(work);
            });
        }

        @Override
        public boolean isCommutative() {
            return reduction.isCommutative();
        }

        private void post(int peer) {
            assertFalse(finished, "a message after the end");
            assertTrue(peer >= 0 && peer < ranks.length && peer != rank, () -> "rank " + rank + " calls " + peer);
            pending++;
        }

        @Override
        public void reduce(long from, long to, long count) {
            combine.combine(to, from, count);
        }

        @Override
        public void complete(long address, long count) {
            reduction.complete(dtype, address, count, ranks.length);
        }

        @Override
        public void copy(long from, long to, long count) {
            Memory.copy(from, to, count * width);
        }

        @Override
        public long scratch(long count) {
            return allocate(count);
        }

        @Override
        public void finish() {
            assertFalse(finished, "finished twice");
            assertEquals(0, pending, () -> "rank " + rank + " finished with messages pending, " + seed);
            finished = true;
        }
    }
}
