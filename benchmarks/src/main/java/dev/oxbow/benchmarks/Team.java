package dev.oxbow.benchmarks;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.launch.LaunchConfig;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The ranks of one system, each a process of its own, which wait without work until they are all asked the same. */
final class Team implements AutoCloseable {
    private static final double JOIN_SECONDS = 120;
    private static final double RUN_SECONDS = 300;
    private static final int COMPILE_SECONDS = 60;

    /** Both peers are faster when freed memory is not given back to the system at once. */
    private static final Map<String, String> MALLOC =
            Map.of("MALLOC_MMAP_MAX_", "0", "MALLOC_TRIM_THRESHOLD_", "8589934592");

    private final String name;
    private final List<ChildProcess> processes = new ArrayList<>();
    private Path meeting;

    private Team(String name) {
        this.name = name;
    }

    /** A build of Oxbow over a transport, ready for buffers of at most so many bytes. */
    static Team oxbow(Build build, Site site, String transport, int ranks, long bytes, Path work)
            throws IOException, ChildProcess.Failure {
        LaunchConfig config = LaunchConfig.local(ranks).with("OXBOW_TRANSPORT", transport);
        config = config.withRendezvous(
                new HostPort(site.firstAddress(), config.rendezvous().port()));
        if (site.isHosts()) config = config.with("OXBOW_TRUSTED_NETWORK", "true");
        Team team = new Team(build.name());
        int perHost = site.perHost(ranks);
        for (int r = 0; r < ranks; r++) {
            List<String> command = new ArrayList<>(site.prefix(r));
            command.addAll(build.java());
            command.addAll(List.of(Main.class.getName(), "rank"));
            team.start(command, config.environment(r, r % perHost, perHost), work);
        }
        return team.greet(bytes);
    }

    /** Open MPI; {@code program} is {@code benchmarks/c/collective.c}, compiled. */
    static Team mpi(Site site, String transport, int ranks, Path program, Path work)
            throws IOException, ChildProcess.Failure {
        List<String> command = new ArrayList<>(site.prefix(0));
        command.addAll(List.of("mpirun", "--oversubscribe", "--bind-to", "none", "-np", Integer.toString(ranks)));
        command.addAll(
                transport.equals("tcp")
                        ? List.of(
                                "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo", "--mca", "pml", "ob1")
                        : List.of("--mca", "btl", "vader,self", "--mca", "pml", "ob1"));
        for (String variable : MALLOC.keySet()) command.addAll(List.of("-x", variable));
        command.add(program.toString());
        Map<String, String> environment = new HashMap<>(MALLOC);
        environment.put("OMPI_ALLOW_RUN_AS_ROOT", "1");
        environment.put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        Team team = new Team("mpi");
        team.start(command, environment, work);
        return team.greet(0);
    }

    /** Gloo through PyTorch; it knows TCP only. */
    static Team gloo(Site site, int ranks, Path work) throws IOException, ChildProcess.Failure {
        Team team = new Team("gloo");
        team.meeting = Files.createTempDirectory("oxbow-gloo");
        Map<String, String> environment = new HashMap<>(MALLOC);
        environment.put("GLOO_SOCKET_IFNAME", site.networkInterface());
        environment.put("CUDA_VISIBLE_DEVICES", "");
        environment.put("PYTHONDONTWRITEBYTECODE", "1");
        for (int r = 0; r < ranks; r++) {
            List<String> command = new ArrayList<>(site.prefix(r));
            command.add(Python.executable(work, DistributedPeer.DDP.framework()).toString());
            command.add(Python.scripts().resolve("collective.py").toString());
            command.addAll(
                    List.of("" + r, "" + ranks, team.meeting.resolve("store").toString()));
            team.start(command, environment, work);
        }
        return team.greet(0);
    }

    /** The program of Open MPI's ranks, or why there is none. */
    static Path compileMpi(Path work) throws IOException, InterruptedException {
        Path program = work.resolve("collective-mpi"), source = Python.root().resolve("benchmarks/c/collective.c");
        Path log = work.resolve("bench-collective-mpi.log");
        try {
            Process p = new ProcessBuilder("mpicc", "-O3", "-o", program.toString(), source.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(new File(log.toString()))
                    .start();
            if (p.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS) && p.exitValue() == 0) return program;
            p.destroyForcibly();
        } catch (IOException e) {
            throw new IOException("there is no mpicc; install it, such as by: apt install openmpi-bin libopenmpi-dev");
        }
        throw new IOException("mpicc can not compile " + source + ", see " + log);
    }

    private void start(List<String> command, Map<String, String> environment, Path work) throws IOException {
        String rank = name + " rank " + processes.size();
        try {
            processes.add(
                    ChildProcess.start(rank, command, environment, work.resolve("bench-collective-" + name + ".log")));
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private Team greet(long bytes) throws ChildProcess.Failure {
        try {
            ChildProcess.askAll(processes, JOIN_SECONDS, "hello " + bytes);
            return this;
        } catch (ChildProcess.Failure e) {
            close();
            throw e;
        } catch (ChildProcess.Absent e) {
            close();
            throw new ChildProcess.Failure(e.getMessage());
        }
    }

    /** Seconds of one collective: the median over iterations of the slowest rank's. */
    double run(Collective c, long bytes, int iterations, String wire, String algorithm)
            throws ChildProcess.Failure, ChildProcess.Absent {
        String question = "run %s %d %d %s %s".formatted(c.key(), bytes, iterations, wire, algorithm);
        return Double.parseDouble(
                ChildProcess.askAll(processes, RUN_SECONDS, question).getFirst()[0]);
    }

    String name() {
        return name;
    }

    @Override
    public synchronized void close() {
        ChildProcess.closeAll(processes);
        processes.clear();
        try {
            if (meeting != null) {
                Files.deleteIfExists(meeting.resolve("store"));
                Files.deleteIfExists(meeting);
            }
        } catch (IOException e) {
            System.err.println("left behind: " + meeting + ": " + e.getMessage());
        }
    }
}
