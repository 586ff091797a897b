package dev.oxbow.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where ranks run: this machine as it is, a network namespace whose loopback has another congestion control, or several
 * namespaces that stand for hosts, joined by a bridge with links of a given rate in each direction.
 */
final class Site implements AutoCloseable {
    private static final Pattern OURS = Pattern.compile("oxb(\\d+)(?:h\\d+|sw|lo)");
    private static final Pattern RATE = Pattern.compile("(\\d+(?:\\.\\d+)?)([kmg]?)bit");
    private static final String NETWORK = "10.77.0.";
    private static final int PORT = 2222;
    private static final Path SYSTEM_CONTROL = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");

    private final List<String> namespaces = new ArrayList<>();
    private final int perHost;
    private final int hosts;
    private final String congestion;
    private final double bytesPerSecond;

    private Site(int hosts, int perHost, String congestion, double bytesPerSecond) {
        this.hosts = hosts;
        this.perHost = perHost;
        this.congestion = congestion;
        this.bytesPerSecond = bytesPerSecond;
    }

    /** This machine's loopback; in a namespace of its own when it is to have another congestion control. */
    static Site loopback(String congestion) throws IOException {
        Site site = new Site(0, 0, congestion, 0);
        if (congestion == null) return site;
        requireRoot("--congestion");
        sweep();
        String name = site.add("lo");
        try {
            ip("-n", name, "link", "set", "lo", "up");
            for (String local : List.of("127.0.0.0/8", "127.0.0.1"))
                ip(("-n " + name + " route replace local " + local + " dev lo table local proto kernel scope host"
                                + " src 127.0.0.1 congctl " + congestion)
                        .split(" "));
            return site;
        } catch (IOException e) {
            site.close();
            throw e;
        }
    }

    /** Hosts with links of a rate such as {@code 1gbit}, or as fast as they can be when it is null. */
    static Site hosts(int hosts, int perHost, String rate, String congestion) throws IOException {
        requireRoot("--netns");
        sweep();
        Site site = new Site(hosts, perHost, congestion, rate == null ? 0 : bytesPerSecond(rate));
        try {
            String bridge = site.add("sw");
            ip("-n", bridge, "link", "add", "br0", "type", "bridge");
            ip("-n", bridge, "link", "set", "br0", "up");
            for (int i = 0; i < hosts; i++) site.connect(i, bridge, rate);
            return site;
        } catch (IOException e) {
            site.close();
            throw e;
        }
    }

    private void connect(int i, String bridge, String rate) throws IOException {
        String host = add("h" + i), port = "p" + i;
        ip("-n", host, "link", "set", "lo", "up");
        ip(("link add eth0 netns " + host + " type veth peer name " + port + " netns " + bridge).split(" "));
        ip("-n", host, "addr", "add", address(i) + "/24", "dev", "eth0");
        ip("-n", host, "link", "set", "eth0", "up");
        ip("-n", bridge, "link", "set", port, "master", "br0");
        ip("-n", bridge, "link", "set", port, "up");
        if (congestion != null)
            ip(("-n " + host + " route replace " + NETWORK + "0/24 dev eth0 proto kernel scope link src " + address(i)
                            + " congctl " + congestion)
                    .split(" "));
        if (rate == null) return;
        String shape = " root tbf rate " + rate + " burst 128kb limit 2mb";
        run("tc", ("-n " + host + " qdisc add dev eth0" + shape).split(" "));
        run("tc", ("-n " + bridge + " qdisc add dev " + port + shape).split(" "));
    }

    private String add(String suffix) throws IOException {
        String name = "oxb" + ProcessHandle.current().pid() + suffix;
        ip("netns", "add", name);
        namespaces.add(name);
        return name;
    }

    boolean isHosts() {
        return hosts > 0;
    }

    /** The ranks that it was made for, or 0 when any number will do. */
    int ranks() {
        return hosts * perHost;
    }

    /** Of each link and direction, or 0 when it is not limited. */
    double bytesPerSecond() {
        return bytesPerSecond;
    }

    int perHost(int ranks) {
        return isHosts() ? perHost : ranks;
    }

    /** What a command is put behind to run where a rank is. */
    List<String> prefix(int rank) {
        if (namespaces.isEmpty()) return List.of();
        String name = isHosts() ? namespaces.get(1 + rank / perHost) : namespaces.get(0);
        return List.of("ip", "netns", "exec", name);
    }

    /** The address of rank 0's host. */
    String firstAddress() {
        return isHosts() ? address(0) : "127.0.0.1";
    }

    /** Where tasks of so many hosts can listen. */
    List<String> addresses(int count) throws IOException {
        if (!isHosts()) return free(count);
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) all.add(address(i) + ":" + PORT);
        return all;
    }

    /** Loopback addresses that nobody listens at now. */
    static List<String> free(int count) throws IOException {
        List<String> all = new ArrayList<>();
        List<ServerSocket> held = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            all.add("127.0.0.1:" + held.getLast().getLocalPort());
        }
        for (ServerSocket s : held) s.close();
        return all;
    }

    String networkInterface() {
        return isHosts() ? "eth0" : "lo";
    }

    String describe() throws IOException {
        String control = congestion != null
                ? congestion + " (by a route)"
                : Files.isReadable(SYSTEM_CONTROL)
                        ? Files.readString(SYSTEM_CONTROL).strip() + " (the system's)"
                        : "the system's";
        String where = isHosts()
                ? hosts + " namespace hosts with " + perHost + (perHost == 1 ? " rank each" : " ranks each")
                        + (bytesPerSecond > 0
                                ? String.format(Locale.ROOT, ", links of %.4g MB/s", bytesPerSecond / 1e6)
                                : "")
                : "loopback";
        return where + ", congestion control " + control;
    }

    private static String address(int host) {
        return NETWORK + (host + 1);
    }

    /** Reads {@code 1gbit} and the like. */
    static double bytesPerSecond(String rate) {
        Matcher m = RATE.matcher(rate.toLowerCase(Locale.ROOT));
        if (!m.matches()) throw new IllegalArgumentException("'" + rate + "' is not a rate such as 1gbit or 100mbit");
        double unit = m.group(2).isEmpty()
                ? 1
                : m.group(2).equals("k") ? 1e3 : m.group(2).equals("m") ? 1e6 : 1e9;
        return Double.parseDouble(m.group(1)) * unit / 8;
    }

    private static void requireRoot(String option) throws IOException {
        if (!Files.isWritable(Path.of("/proc/sys/net/ipv4/ip_forward")))
            throw new IOException(option + " makes network namespaces, which takes root (and Linux); try: sudo ./oxbow"
                    + " bench collective ...");
    }

    /** Removes namespaces of runs that were killed. */
    private static void sweep() throws IOException {
        for (String line : run("ip", "netns", "list").lines().toList()) {
            Matcher m = OURS.matcher(line.split(" ")[0]);
            if (m.matches() && ProcessHandle.of(Long.parseLong(m.group(1))).isEmpty()) ip("netns", "del", m.group());
        }
    }

    private static void ip(String... arguments) throws IOException {
        run("ip", arguments);
    }

    private static String run(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(arguments));
        Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
        p.getOutputStream().close();
        String output = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (p.waitFor() != 0) throw new IOException(String.join(" ", command) + " failed: " + output.strip());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted in " + String.join(" ", command), e);
        }
        return output;
    }

    /** Removes the namespaces; links and shapes go with them. */
    @Override
    public synchronized void close() {
        for (String name : namespaces) {
            try {
                ip("netns", "del", name);
            } catch (IOException e) {
                System.err.println("left behind: " + e.getMessage());
            }
        }
        namespaces.clear();
    }
}
