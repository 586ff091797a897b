package dev.oxbow.benchmarks;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.launch.LaunchConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The workers of one system in {@code bench distributed}: processes of one thread each, which are all asked the same. */
final class DistributedTeam implements AutoCloseable {
    private static final double ANSWER_SECONDS = 180;

    /** The plan of one worker. */
    static final String LOCAL = "local";

    private final String system;
    private final String plan;
    private final int workers;
    private final List<ChildProcess> processes = new ArrayList<>();
    private final List<Double> rates = new ArrayList<>();

    private DistributedTeam(String system, String plan, int workers) {
        this.system = system;
        this.plan = plan;
        this.workers = workers;
    }

    /** Oxbow by a plan of processes, one for each worker, or of devices of one process. */
    static DistributedTeam oxbow(Build build, int workers, String plan, String transport, Path folder, Path work)
            throws IOException {
        boolean devices = DistributedRank.isOfDevices(plan);
        int processes = devices ? 1 : workers;
        LaunchConfig config = LaunchConfig.local(processes)
                .with("OXBOW_THREADS", Integer.toString(devices ? workers : 1))
                .with("OXBOW_TRANSPORT", transport);
        List<String> command = new ArrayList<>(build.java());
        command.addAll(List.of(Main.class.getName(), "worker", folder.toString()));
        if (!List.of(LOCAL, "ring").contains(plan))
            command.addAll(List.of(plan, Integer.toString(devices ? workers : 1)));
        DistributedTeam team = new DistributedTeam(build.name(), plan, workers);
        for (int r = 0; r < processes; r++) team.start(command, config.environment(r), work);
        return team;
    }

    /** A network known by name, with waits for compute, on the hosts of a site. */
    static DistributedTeam network(Site site, int workers, String transport, List<String> what, Path work)
            throws IOException {
        LaunchConfig config =
                LaunchConfig.local(workers).with("OXBOW_THREADS", "1").with("OXBOW_TRANSPORT", transport);
        config = config.withRendezvous(
                new HostPort(site.firstAddress(), config.rendezvous().port()));
        if (site.isHosts()) config = config.with("OXBOW_TRUSTED_NETWORK", "true");
        DistributedTeam team = new DistributedTeam("oxbow", "ring", workers);
        int perHost = site.perHost(workers);
        for (int r = 0; r < workers; r++) {
            List<String> command = new ArrayList<>(site.prefix(r));
            command.addAll(Build.own().java());
            command.addAll(List.of(Main.class.getName(), "worker"));
            command.addAll(what);
            team.start(command, config.environment(r, r % perHost, perHost), work);
        }
        return team;
    }

    /** Bytes that a worker sends in a step, at most, and seconds of an all-reduce of the gradients. */
    double[] costs() throws ChildProcess.Failure {
        double[] most = new double[2];
        for (String[] one : ask("costs"))
            for (int i = 0; i < 2; i++) most[i] = Math.max(most[i], Double.parseDouble(one[i]));
        return most;
    }

    /** Another system. */
    static DistributedTeam peer(DistributedPeer peer, int workers, Path python, Path folder, Path work)
            throws IOException {
        Map<String, String> environment = new HashMap<>();
        environment.put("OMP_NUM_THREADS", "1");
        environment.put("GLOO_SOCKET_IFNAME", "lo");
        environment.put("CUDA_VISIBLE_DEVICES", "");
        environment.put("PYTHONDONTWRITEBYTECODE", "1");
        DistributedTeam team = new DistributedTeam(peer.system(), peer.system(), workers);
        List<String> addresses = addresses(workers);
        for (int r = 0; r < workers; r++)
            team.start(
                    List.of(
                            python.toString(),
                            Python.scripts().resolve("distributed.py").toString(),
                            peer.framework(),
                            Integer.toString(r),
                            String.join(",", addresses),
                            folder.toString()),
                    environment,
                    work);
        return team;
    }

    /** Loopback addresses that nobody listens at now. */
    private static List<String> addresses(int count) throws IOException {
        List<String> all = new ArrayList<>();
        List<ServerSocket> held = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            all.add("127.0.0.1:" + held.getLast().getLocalPort());
        }
        for (ServerSocket s : held) s.close();
        return all;
    }

    private void start(List<String> command, Map<String, String> environment, Path work) throws IOException {
        Path log = work.resolve("bench-distributed-" + system + ".log");
        processes.add(ChildProcess.start(name() + " rank " + processes.size(), command, environment, log));
    }

    String name() {
        return system + (plan.equals(system) ? "" : " " + plan) + ", " + workers
                + (workers == 1 ? " worker" : " workers");
    }

    String plan() {
        return plan;
    }

    String system() {
        return system;
    }

    int workers() {
        return workers;
    }

    /** The mean over workers of the losses of the first steps, which are those of the whole batch. */
    double[] losses() throws ChildProcess.Failure {
        double[] mean = new double[DistributedRank.CHECKED_STEPS];
        List<String[]> all = ask("hello");
        for (String[] one : all)
            for (int i = 0; i < mean.length; i++) mean[i] += Double.parseDouble(one[i]) / all.size();
        return mean;
    }

    /** Steps in a second over so many steps. */
    double run(int steps) throws ChildProcess.Failure {
        return steps / Double.parseDouble(ask("run " + steps).get(0)[0]);
    }

    void add(double rate) {
        rates.add(rate);
    }

    /** Steps in a second, round by round. */
    double[] rates() {
        return rates.stream().mapToDouble(Double::doubleValue).toArray();
    }

    double median() {
        return Pairs.quantile(rates(), 0.5);
    }

    private List<String[]> ask(String question) throws ChildProcess.Failure {
        List<Future<String[]>> answers = new ArrayList<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (ChildProcess p : processes) answers.add(threads.submit(() -> p.ask(ANSWER_SECONDS, question)));
        }
        List<String[]> all = new ArrayList<>();
        try {
            for (Future<String[]> f : answers) all.add(f.get());
            return all;
        } catch (ExecutionException e) {
            throw new ChildProcess.Failure(e.getCause().getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ChildProcess.Failure("was interrupted");
        }
    }

    @Override
    public void close() {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (ChildProcess p : processes) threads.submit(p::close);
        }
    }
}
