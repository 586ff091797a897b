package dev.oxbow.net.shm;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Link;
import dev.oxbow.net.Transport;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Which ranks run on the same host. */
public final class Hosts {
    /** A name travels in as many bytes, filled up with zeros. */
    private static final int NAME_BYTES = 256;

    private Hosts() {}

    /**
     * A name that processes share which can map each other's memory and have the same network: the system's boot, its
     * network namespace and the file system of {@code directory}.
     */
    public static String thisHost(Path directory) {
        try {
            return "%s %s %s"
                    .formatted(
                            Files.readString(Path.of("/proc/sys/kernel/random/boot_id"))
                                    .strip(),
                            Files.readSymbolicLink(Path.of("/proc/self/ns/net")),
                            Files.getAttribute(directory, "unix:dev"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return hostName() + " " + directory;
        }
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return UUID.randomUUID().toString(); // a host of its own
        }
    }

    /** The host names of all ranks by an exchange over links that nothing else has used yet. */
    static List<String> exchange(Transport transport, String host, Duration deadline) {
        byte[] name = host.getBytes(StandardCharsets.UTF_8);
        require(
                name.length > 0 && name.length <= NAME_BYTES,
                INVALID_ARGUMENT,
                "Hosts: a name has 1 to %d bytes, got '%s'",
                NAME_BYTES,
                host);
        int size = transport.size();
        long end = transport.nanoTime() + deadline.toNanos();
        try (Arena arena = Memory.arena()) {
            MemorySegment names = arena.allocate((long) NAME_BYTES * size, 8);
            long own = Memory.address(names) + (long) NAME_BYTES * transport.rank();
            MemorySegment.copy(MemorySegment.ofArray(name), 0, Memory.ALL, own, name.length);
            long[] sent = new long[size];
            long[] received = new long[size];
            sent[transport.rank()] = received[transport.rank()] = NAME_BYTES;
            while (true) {
                transport.poll();
                List<Integer> missing = new ArrayList<>();
                for (int peer = 0; peer < size; peer++) {
                    if (peer == transport.rank()) continue;
                    Link link = transport.link(peer);
                    long at = Memory.address(names) + (long) NAME_BYTES * peer;
                    sent[peer] += link.write(own + sent[peer], NAME_BYTES - sent[peer]);
                    boolean flushed = link.flush();
                    received[peer] += link.read(at + received[peer], NAME_BYTES - received[peer]);
                    if (sent[peer] < NAME_BYTES || !flushed || received[peer] < NAME_BYTES) missing.add(peer);
                }
                if (missing.isEmpty()) return decoded(names, size);
                require(
                        !Thread.currentThread().isInterrupted(),
                        CANCELLED,
                        "Hosts: rank %d was interrupted",
                        transport.rank());
                long left = end - transport.nanoTime();
                if (left <= 0) {
                    throw new OxbowException(
                            DEADLINE_EXCEEDED,
                            "Hosts: rank %d waited %s for the hosts of ranks %s"
                                    .formatted(transport.rank(), deadline, missing));
                }
                transport.await(left);
            }
        }
    }

    private static List<String> decoded(MemorySegment names, int size) {
        List<String> decoded = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            byte[] name = names.asSlice((long) NAME_BYTES * rank, NAME_BYTES).toArray(Memory.BYTE);
            int length = NAME_BYTES;
            while (length > 0 && name[length - 1] == 0) length--;
            decoded.add(new String(name, 0, length, StandardCharsets.UTF_8));
        }
        return decoded;
    }
}
