package dev.oxbow.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.tensor.Memory;
import java.lang.foreign.Arena;
import java.util.SplittableRandom;

/** Streams of pseudo-random bytes to and from every peer, cut at random, checked byte by byte. */
public final class Traffic implements Rig.Program {
    private static final int CHUNK = 1 << 16;

    private final Transport transport;
    private final long bytes;
    private final long[] sent;
    private final long[] received;
    private final boolean[] flushed;
    private final SplittableRandom random;
    private final Arena arena = Arena.ofAuto();
    private final long memory = arena.allocate(CHUNK, 64).address();

    public Traffic(Transport transport, long seed, long bytes) {
        this.transport = transport;
        this.bytes = bytes;
        sent = new long[transport.size()];
        received = new long[transport.size()];
        flushed = new boolean[transport.size()];
        random = new SplittableRandom(seed * 1000 + transport.rank());
    }

    @Override
    public boolean step() {
        boolean done = true;
        boolean moved;
        do {
            moved = false;
            for (int peer = 0; peer < transport.size(); peer++) {
                if (peer == transport.rank()) continue;
                moved |= send(peer) | receive(peer);
            }
        } while (moved);
        for (int peer = 0; peer < transport.size(); peer++) {
            if (peer == transport.rank()) continue;
            done &= sent[peer] == bytes && flushed[peer] && received[peer] == bytes;
        }
        return done;
    }

    private boolean send(int peer) {
        Link link = transport.link(peer);
        if (sent[peer] == bytes) return !flushed[peer] && (flushed[peer] = link.flush());
        long n = Math.min(bytes - sent[peer], size());
        for (long i = 0; i < n; i++) Memory.putByte(memory + i, at(transport.rank(), peer, sent[peer] + i));
        long taken = link.write(memory, n);
        sent[peer] += taken;
        if (random.nextBoolean() || taken == 0) link.flush();
        return taken > 0;
    }

    private boolean receive(int peer) {
        if (received[peer] == bytes) return false;
        Link link = transport.link(peer);
        long n;
        if (random.nextBoolean()) {
            n = Math.min(link.available(), size());
            check(peer, link.address(), n);
            link.skip(n);
        } else {
            n = link.read(memory, Math.min(size(), bytes - received[peer]));
            check(peer, memory, n);
        }
        received[peer] += n;
        return n > 0;
    }

    private void check(int peer, long address, long n) {
        for (long i = 0; i < n; i++) {
            long at = received[peer] + i;
            if (Memory.getByte(address + i) != at(peer, transport.rank(), at))
                assertEquals(at(peer, transport.rank(), at), Memory.getByte(address + i), "byte " + at + " of " + peer);
        }
    }

    /** Mostly small, sometimes large, never 0. */
    private long size() {
        return 1 + random.nextLong(1L << random.nextInt(4, 17));
    }

    private static byte at(int from, int to, long i) {
        return (byte) ((i * 0x9E3779B97F4A7C15L + from * 31L + to * 17L) >>> 40);
    }
}
