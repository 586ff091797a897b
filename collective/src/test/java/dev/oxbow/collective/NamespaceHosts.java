package dev.oxbow.collective;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Hosts that are network namespaces of this machine, joined by a bridge in another one. */
final class NamespaceHosts implements AutoCloseable {
    private static final AtomicInteger MADE = new AtomicInteger();

    private final String prefix = "oxf%d-%d-".formatted(ProcessHandle.current().pid(), MADE.incrementAndGet());
    private final int size;

    NamespaceHosts(int size) throws IOException {
        this.size = size;
        try {
            ip("netns add " + bridge());
            ip("-n " + bridge() + " link add br0 type bridge");
            ip("-n " + bridge() + " link set br0 up");
            for (int i = 0; i < size; i++) add(i);
        } catch (IOException | AssertionError e) {
            close();
            throw e;
        }
    }

    /** Whether this process may make them here. */
    static boolean arePossible() {
        String name = "oxf-try" + ProcessHandle.current().pid();
        try {
            if (exitOf("netns add " + name) != 0) return false;
            boolean bridges = exitOf("-n " + name + " link add br0 type bridge") == 0;
            boolean pairs = exitOf("-n " + name + " link add try0 type veth peer name try1") == 0;
            return exitOf("netns del " + name) == 0 && bridges && pairs;
        } catch (IOException e) {
            return false;
        }
    }

    private void add(int i) throws IOException {
        String host = prefix + i;
        ip("netns add " + host);
        ip("-n " + host + " link set lo up");
        ip("link add eth0 netns " + host + " type veth peer name p" + i + " netns " + bridge());
        ip("-n " + host + " addr add " + address(i) + "/24 dev eth0");
        ip("-n " + host + " link set eth0 up");
        ip("-n " + bridge() + " link set p" + i + " master br0");
        ip("-n " + bridge() + " link set p" + i + " up");
    }

    private String bridge() {
        return prefix + "bridge";
    }

    String address(int host) {
        return "10.77.0." + (host + 1);
    }

    /** The command in front of one that shall run on a host. */
    List<String> inside(int host) {
        return List.of("ip", "netns", "exec", prefix + host);
    }

    /** Takes the link of a host down at its far end, so that the host itself notices nothing but silence. */
    void cut(int host) throws IOException {
        ip("-n " + bridge() + " link set p" + host + " down");
    }

    private static void ip(String arguments) throws IOException {
        Processes.run(("ip " + arguments).split(" "));
    }

    private static int exitOf(String arguments) throws IOException {
        return Processes.exitOf(("ip " + arguments).split(" "));
    }

    @Override
    public void close() throws IOException {
        for (int i = 0; i < size; i++) exitOf("netns del " + prefix + i);
        exitOf("netns del " + bridge());
    }
}
