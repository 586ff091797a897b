package dev.oxbow.net.shm;

import dev.oxbow.net.Link;
import dev.oxbow.net.Transport;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A network of two: shared memory to ranks on the same host, another one to all others. */
public final class Mixed implements Transport {

    /*
     * A rank can not sleep in two networks at once. It looks at the shared memory for a short time, then announces that it
     * will sleep in the other network and does so. Who writes to its shared memory sees that and sends it one byte over
     * their link of the other network, which is used for nothing else.
     */

    private static final Logger LOG = LoggerFactory.getLogger(Mixed.class);
    private static final long LOOK_NANOS = 20_000;
    private static final long LONGEST_SLEEP = 200_000_000;
    /** What is sent as a bell: a byte. */
    private static final long BELL = Memory.address(Memory.arena().allocate(1));

    private final Transport world;
    private final Network local;
    private final int[] localRanks;
    private final int[] hosts;
    private final Link[] links;
    private final Link[] bells;

    private Mixed(Transport world, Network local, int[] localRanks, int[] hosts) {
        this.world = world;
        this.local = local;
        this.localRanks = localRanks;
        this.hosts = hosts;
        links = new Link[world.size()];
        bells = new Link[localRanks.length];
        for (int i = 0; i < localRanks.length; i++) {
            if (localRanks[i] == world.rank()) continue;
            links[localRanks[i]] = local.link(i);
            bells[i] = world.link(localRanks[i]);
        }
        if (local != null) local.setBell(this::ring);
    }

    /**
     * Joins the ranks of each host by shared memory. {@code world} has joined all ranks and was not used yet; it closes
     * with the result, or when this fails. Ranks share a host when they give the same {@code host}.
     */
    public static Mixed join(Transport world, String host, String job, ShmConfig config, Duration deadline) {
        long end = world.nanoTime() + deadline.toNanos();
        try {
            List<String> names = Hosts.exchange(world, host, deadline);
            int[] hosts = names.stream().mapToInt(names::indexOf).toArray();
            int[] localRanks = IntStream.range(0, world.size())
                    .filter(rank -> hosts[rank] == hosts[world.rank()])
                    .toArray();
            Duration left = Duration.ofNanos(Math.max(0, end - world.nanoTime()));
            Network local = localRanks.length > 1 ? local(world.rank(), localRanks, job, config, left) : null;
            return new Mixed(world, local, local == null ? new int[0] : localRanks, hosts);
        } catch (RuntimeException e) {
            world.close();
            throw e;
        }
    }

    /** The network of the ranks of a host, or null where it has too little memory for them to share. */
    private static Network local(int rank, int[] localRanks, String job, ShmConfig config, Duration deadline) {
        int index = Arrays.binarySearch(localRanks, rank);
        try {
            String name = job + "." + localRanks[0];
            return Network.join(name, index, localRanks.length, i -> localRanks[i], config, deadline);
        } catch (OxbowException e) {
            if (e.code() != ErrorCode.RESOURCE_EXHAUSTED) throw e;
            if (index == 0) LOG.warn("ranks of this host do not share memory: {}", e.getMessage());
            return null;
        }
    }

    @Override
    public int rank() {
        return world.rank();
    }

    @Override
    public int size() {
        return world.size();
    }

    @Override
    public Link link(int peer) {
        return peer >= 0 && peer < links.length && links[peer] != null ? links[peer] : world.link(peer);
    }

    @Override
    public void poll() {
        world.poll();
        if (local != null) local.poll();
    }

    @Override
    public long nanoTime() {
        return world.nanoTime();
    }

    @Override
    public void await(long nanos) {
        if (local == null) {
            world.await(nanos);
        } else if (localRanks.length == size()) {
            local.await(nanos);
        } else if (!local.waitFor(Math.min(nanos, LOOK_NANOS))) {
            boolean busy = local.beginWait();
            world.await(busy ? 0 : Math.clamp(nanos - LOOK_NANOS, 0, LONGEST_SLEEP));
            local.endWait();
            for (int i = 0; i < bells.length; i++) if (bells[i] != null) silence(i);
        }
    }

    @Override
    public void rest(long nanos) {
        if (localRanks.length == size() && local != null) local.rest(nanos);
        else await(nanos);
    }

    private void ring(int localRank) {
        Link bell = bells[localRank];
        if (bell == null) return;
        try {
            bell.write(BELL, 1);
            bell.flush();
        } catch (OxbowException e) {
            closeBell(localRank);
        }
    }

    private void silence(int localRank) {
        Link bell = bells[localRank];
        try {
            for (long n = bell.available(); n > 0; n = bell.available()) bell.skip(n);
        } catch (OxbowException e) {
            closeBell(localRank);
        }
    }

    /** The link of shared memory notices by itself that the peer is gone. */
    private void closeBell(int localRank) {
        bells[localRank].close();
        bells[localRank] = null;
    }

    @Override
    public void wakeUp() {
        if (local != null) local.wakeUp();
        world.wakeUp();
    }

    @Override
    public int host(int rank) {
        return hosts[rank];
    }

    @Override
    public boolean shares(int peer) {
        return links[peer] != null;
    }

    @Override
    public long allocateShared(long bytes) {
        return local == null ? 0 : local.allocateShared(bytes);
    }

    @Override
    public Runnable holdShared() {
        return local == null ? () -> {} : local.holdShared();
    }

    @Override
    public void close() {
        if (local != null) local.close();
        world.close();
    }
}
