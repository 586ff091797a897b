package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.RankEnvironment;
import dev.oxbow.net.Store;
import dev.oxbow.net.Transport;
import dev.oxbow.net.launch.Notices;
import dev.oxbow.net.shm.Hosts;
import dev.oxbow.net.shm.Mixed;
import dev.oxbow.net.tcp.Network;
import dev.oxbow.net.tcp.Rendezvous;
import dev.oxbow.net.tcp.TcpConfig;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The way of a process into its job: finds out who it is, meets the other ranks, and gives the communicator. */
public final class Ranks {
    private static final Logger LOG = LoggerFactory.getLogger(Ranks.class);
    private static final int LONGEST_NAME = 80;

    private Ranks() {}

    /** Joins as this process's environment says; a process that nobody launched is a job of one rank. */
    public static Communicator join() {
        require(
                !Elastic.isHere(),
                FAILED_PRECONDITION,
                "job: its processes come and go, so who is in it changes: join by Elastic.join, not by Ranks.join");
        return join(RankEnvironment.current(), JobConfig.from(System.getenv()));
    }

    /** Joins a job; returns when all ranks have, and fails after the timeout with those that have not. */
    public static Communicator join(RankEnvironment environment, JobConfig config) {
        Notices launcher = Notices.toLauncher(System.getenv());
        int rank = environment.rank();
        launcher.joining(rank);
        Transport transport = transport(environment, config);
        launcher.joined(rank);
        return Communicator.start(transport, config.communicator(), culprit -> launcher.blames(rank, culprit));
    }

    /** The network of a job. */
    static Transport transport(RankEnvironment environment, JobConfig config) {
        return transport(environment, config, (tcp, timeout) -> Rendezvous.open(environment, tcp, timeout));
    }

    /** Opens the table where ranks meet that talk over TCP. */
    interface Table {
        Store open(TcpConfig tcp, Duration timeout);
    }

    static Transport transport(RankEnvironment environment, JobConfig config, Table table) {
        if (environment.size() == 1) return dev.oxbow.net.memory.Network.mesh(1).getFirst();
        boolean oneHost = environment.localSize() == environment.size();
        return switch (config.transport()) {
            case TCP -> tcp(environment, config, table);
            case SHM -> {
                require(
                        oneHost,
                        INVALID_ARGUMENT,
                        "job: shared memory joins ranks of one host only, but %s says that %d of %d are on this one",
                        environment.source(),
                        environment.localSize(),
                        environment.size());
                yield shm(environment, config);
            }
            case AUTO -> oneHost ? shmIfItFits(environment, config, table) : mixed(environment, config, table);
        };
    }

    private static Transport shm(RankEnvironment e, JobConfig config) {
        return dev.oxbow.net.shm.Network.join(fileName(e.job()), e.rank(), e.size(), config.shm(), config.timeout());
    }

    /** Shared memory, or TCP where there is too little of it; all ranks come to the same conclusion. */
    private static Transport shmIfItFits(RankEnvironment e, JobConfig config, Table table) {
        try {
            return shm(e, config);
        } catch (OxbowException tooLittle) {
            if (tooLittle.code() != RESOURCE_EXHAUSTED) throw tooLittle;
            if (e.rank() == 0) LOG.warn("job: ranks talk over TCP: {}", tooLittle.getMessage());
            return tcp(e, config, table);
        }
    }

    private static Transport mixed(RankEnvironment e, JobConfig config, Table table) {
        long start = System.nanoTime();
        Transport world = tcp(e, config, table);
        String host = Hosts.thisHost(config.shm().directory());
        return Mixed.join(world, host, fileName(e.job()), config.shm(), left(config, start));
    }

    private static Transport tcp(RankEnvironment e, JobConfig config, Table table) {
        TcpConfig tcp = TcpConfig.of(e).withTrustedNetwork(config.trustedNetwork());
        if (config.tls().isPresent()) tcp = tcp.withTls(config.tls().get());
        String loopback = tcp.bind();
        tcp = tcp.withBind(
                config.bind().orElseGet(() -> e.address().map(Ranks::towards).orElse(loopback)), 0);
        long start = System.nanoTime();
        try (Store store = table.open(tcp, config.timeout())) {
            return Network.join(store, e.rank(), e.size(), tcp, left(config, start));
        }
    }

    private static Duration left(JobConfig config, long start) {
        long nanos = config.timeout().toNanos() - (System.nanoTime() - start);
        return Duration.ofNanos(Math.max(1_000_000, nanos));
    }

    /** This host's address on the way to another; nothing is sent. */
    private static String towards(HostPort other) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(InetAddress.getByName(other.host()), Math.max(1, other.port())));
            return socket.getLocalAddress().getHostAddress();
        } catch (UnknownHostException e) {
            throw new OxbowException(INVALID_ARGUMENT, "job: there is no host " + other.host() + " to meet at", e);
        } catch (IOException e) {
            throw new OxbowException(
                    INVALID_ARGUMENT,
                    "job: found no address of this host on the way to %s; set OXBOW_BIND: %s".formatted(other, e),
                    e);
        }
    }

    /** A job's name as a file's; those that had to be changed get a hash that tells them apart. */
    static String fileName(String job) {
        String name = job.replaceAll("[^A-Za-z0-9._-]", "_").replaceFirst("^\\.", "_");
        if (name.equals(job) && name.length() <= LONGEST_NAME) return name;
        return name.substring(0, Math.min(name.length(), LONGEST_NAME)) + "-" + Long.toHexString(Hash.of(0, job));
    }
}
