package dev.oxbow.benchmarks;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.net.HostPort;
import dev.oxbow.net.launch.LaunchConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The workers of one system in {@code bench distributed}: processes of one thread each, which are all asked the same. */
final class DistributedTeam implements AutoCloseable {
    private static final double ANSWER_SECONDS = 180;

    /** The plan of one worker. */
    static final String LOCAL = "local";

    private final String system;
    private final String plan;
    private final int workers;
    private final List<ChildProcess> processes = new ArrayList<>();
    /** Those that hold parameters; they are asked nothing. */
    private final List<ChildProcess> servers = new ArrayList<>();

    private final List<Double> rates = new ArrayList<>();

    private DistributedTeam(String system, String plan, int workers) {
        this.system = system;
        this.plan = plan;
        this.workers = workers;
    }

    /** Oxbow by a plan of processes, one for each worker, or of devices of one process. */
    static DistributedTeam oxbow(Build build, int workers, String plan, String transport, Path folder, Path work)
            throws IOException {
        boolean devices = DistributedRank.isOfDevices(plan), served = DistributedRank.isServed(plan);
        int processes = devices ? 1 : workers;
        LaunchConfig config = LaunchConfig.local(processes)
                .with("OXBOW_THREADS", Integer.toString(devices ? workers : 1))
                .with("OXBOW_TRANSPORT", transport);
        List<String> command = new ArrayList<>(build.java());
        command.addAll(List.of(Main.class.getName(), "worker", folder.toString()));
        DistributedTeam team = new DistributedTeam(build.name(), plan, workers);
        if (served) {
            String cluster =
                    LocalCluster.onFreePorts(Map.of("ps", 1, "worker", workers)).json();
            command.addAll(List.of(plan, cluster));
            List<String> server = new ArrayList<>(build.java());
            server.addAll(List.of(Main.class.getName(), "worker", DistributedRank.SERVER, cluster));
            team.servers.add(team.started("server", server, config.environment(0), work));
        } else if (!List.of(LOCAL, "ring").contains(plan))
            command.addAll(List.of(plan, Integer.toString(devices ? workers : 1)));
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
        for (int r = 0; r < workers; r++)
            team.start(worker(site, r, what), config.environment(r, r % perHost, perHost), work);
        return team;
    }

    private static List<String> worker(Site site, int rank, List<String> what) {
        List<String> command = new ArrayList<>(site.prefix(rank));
        command.addAll(Build.own().java());
        command.addAll(List.of(Main.class.getName(), "worker"));
        command.addAll(what);
        return command;
    }

    /** The same by parameter servers, each on a host behind those of the workers. */
    static DistributedTeam served(Site site, int workers, int servers, List<String> what, Path work)
            throws IOException {
        List<String> all = site.addresses(workers + servers);
        String cluster = ClusterSpec.of(
                        Map.of("worker", all.subList(0, workers), "ps", all.subList(workers, all.size())))
                .json();
        Map<String, String> environment = Map.of("OXBOW_THREADS", "1");
        DistributedTeam team = new DistributedTeam("oxbow", "ps", workers);
        for (int k = 0; k < servers; k++) {
            List<String> words = List.of(DistributedRank.SERVER, cluster, Integer.toString(k));
            team.servers.add(team.started("server " + k, worker(site, workers + k, words), environment, work));
        }
        for (int r = 0; r < workers; r++) {
            List<String> words = new ArrayList<>(what);
            words.addAll(List.of(cluster, Integer.toString(r)));
            team.start(worker(site, r, words), environment, work);
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
        List<String> all = Site.free(workers + peer.servers());
        String addresses = String.join(",", all.subList(0, workers));
        if (peer.servers() > 0) addresses += "/" + String.join(",", all.subList(workers, all.size()));
        for (int r = 0; r < all.size(); r++) {
            List<String> command = List.of(
                    python.toString(),
                    Python.scripts().resolve("distributed.py").toString(),
                    peer.framework(),
                    Integer.toString(r),
                    addresses,
                    folder.toString());
            if (r < workers) team.start(command, environment, work);
            else team.servers.add(team.started("server", command, environment, work));
        }
        return team;
    }

    private void start(List<String> command, Map<String, String> environment, Path work) throws IOException {
        processes.add(started("rank " + processes.size(), command, environment, work));
    }

    private ChildProcess started(String what, List<String> command, Map<String, String> environment, Path work)
            throws IOException {
        Path log = work.resolve("bench-distributed-" + system + ".log");
        return ChildProcess.start(name() + " " + what, command, environment, log);
    }

    /** Whether losses are those of one device: not where workers do not wait, nor by SyncReplicas, whose first tokens are for free. */
    boolean isExact() {
        return !plan.endsWith("async") && !plan.equals(DistributedPeer.TF_PS.system());
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
        try {
            return ChildProcess.askAll(processes, ANSWER_SECONDS, question);
        } catch (ChildProcess.Absent e) {
            throw new ChildProcess.Failure(e.getMessage());
        }
    }

    @Override
    public void close() {
        ChildProcess.closeAll(processes);
        ChildProcess.closeAll(servers);
    }
}
