package dev.oxbow.collective;

import dev.oxbow.net.Transport;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.MemoryPool;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/** What a communicator lends, kept for lending again. Sizes are powers of two, so that similar ones share. Thread-safe. */
final class Loans implements AutoCloseable {
    private static final long SMALLEST = 64;

    private final Transport transport;
    private final LongUnaryOperator share;
    private final Map<Long, Deque<Loan>> free = new HashMap<>();
    private boolean closed;

    /** {@code share} asks the transport for shared memory on the right thread; 0 when it has none. */
    Loans(Transport transport, LongUnaryOperator share) {
        this.transport = transport;
        this.share = share;
    }

    Loan lend(long bytes) {
        long size = Math.max(SMALLEST, Long.highestOneBit(Math.max(1, bytes - 1)) << 1);
        synchronized (this) {
            Deque<Loan> same = free.get(size);
            if (same != null && !same.isEmpty()) return same.pop().again();
        }
        long shared = share.applyAsLong(size);
        if (shared != 0) return new Loan(this, shared, size, transport.holdShared());
        Buffer buffer = MemoryPool.shared().allocate(size, "communicator");
        return new Loan(this, buffer.address(), size, buffer::release);
    }

    synchronized void giveBack(Loan loan) {
        if (closed) loan.end();
        else free.computeIfAbsent(loan.bytes(), _ -> new ArrayDeque<>()).push(loan);
    }

    /** Frees what is not lent now; the rest is freed when it is given back. */
    @Override
    public synchronized void close() {
        closed = true;
        free.values().forEach(same -> same.forEach(Loan::end));
        free.clear();
    }
}
