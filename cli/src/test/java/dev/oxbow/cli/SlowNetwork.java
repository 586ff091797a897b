package dev.oxbow.cli;

import dev.oxbow.net.Link;
import dev.oxbow.net.Transport;
import java.util.HashMap;
import java.util.Map;

/** A network whose links let so many bytes through in a second, in each direction. */
final class SlowNetwork implements Transport {
    private static final long LOOK_NANOS = 200_000;

    private final Transport fast;
    private final double bytesPerSecond;
    private final Map<Integer, Slow> links = new HashMap<>();

    SlowNetwork(Transport fast, double bytesPerSecond) {
        this.fast = fast;
        this.bytesPerSecond = bytesPerSecond;
    }

    @Override
    public int rank() {
        return fast.rank();
    }

    @Override
    public int size() {
        return fast.size();
    }

    @Override
    public Link link(int peer) {
        return links.computeIfAbsent(peer, p -> new Slow(fast.link(p)));
    }

    @Override
    public void poll() {
        fast.poll();
    }

    @Override
    public long nanoTime() {
        return fast.nanoTime();
    }

    @Override
    public void await(long nanos) {
        fast.await(Math.min(nanos, LOOK_NANOS)); // what holds bytes back wakes nobody
    }

    @Override
    public void wakeUp() {
        fast.wakeUp();
    }

    @Override
    public void close() {
        fast.close();
    }

    /** A link with a bucket of bytes that fills with time and holds those of a millisecond. */
    private final class Slow implements Link {
        private final Link link;
        private double room;
        private long last = fast.nanoTime();

        Slow(Link link) {
            this.link = link;
        }

        @Override
        public long write(long address, long length) {
            long now = fast.nanoTime();
            room = Math.min(room + (now - last) / 1e9 * bytesPerSecond, bytesPerSecond / 1000);
            last = now;
            long some = Math.min(length, (long) room);
            long taken = some == 0 ? 0 : link.write(address, some);
            room -= taken;
            return taken;
        }

        @Override
        public boolean flush() {
            return link.flush();
        }

        @Override
        public long available() {
            return link.available();
        }

        @Override
        public long available(int wanted) {
            return link.available(wanted);
        }

        @Override
        public long address() {
            return link.address();
        }

        @Override
        public void skip(long length) {
            link.skip(length);
        }

        @Override
        public long read(long address, long length) {
            return link.read(address, length);
        }

        @Override
        public String peer() {
            return link.peer();
        }

        @Override
        public void close() {
            link.close();
        }
    }
}
