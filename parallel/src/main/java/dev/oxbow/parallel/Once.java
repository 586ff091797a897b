package dev.oxbow.parallel;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** How often a worker has set something at each server, such as start values, so that of all workers the first counts each time. */
final class Once {
    private final Servers servers;
    private final Map<String, long[]> counts = new HashMap<>();
    /** The servers at which something is set; null for all. */
    private Set<Integer> only;

    Once(Servers servers) {
        this.servers = servers;
    }

    /** Sets what follows at some servers only; null for all. */
    void only(Set<Integer> some) {
        only = some;
    }

    /** The number that is fed to a place; one at which nothing shall be set drops what can not come any more. */
    long number(String what, int place) {
        if (only != null && !only.contains(servers.host(place))) return -1;
        return what == null ? 0 : counts.getOrDefault(what, new long[servers.places()])[place];
    }

    /** It was set. */
    void done(String what) {
        long[] c = counts.computeIfAbsent(what, _ -> new long[servers.places()]);
        for (int k = 0; k < c.length; k++) if (only == null || only.contains(servers.host(k))) c[k]++;
    }

    /** A server has nothing any more. */
    void forget(int server) {
        for (long[] c : counts.values()) for (int k = 0; k < c.length; k++) if (servers.host(k) == server) c[k] = 0;
    }
}
