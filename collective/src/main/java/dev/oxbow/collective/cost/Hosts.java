package dev.oxbow.collective.cost;

import java.util.HashMap;
import java.util.Map;

/**
 * How the ranks of a group lie on hosts.
 *
 * @param hosts how many there are
 * @param most ranks of the fullest host
 * @param crossings ranks of one host, at most, whose next rank is on another
 * @param shared whether ranks of one host see each other's memory
 */
public record Hosts(int ranks, int hosts, int most, int crossings, boolean shared) {
    Hosts(int ranks, int hosts, int most, int crossings) {
        this(ranks, hosts, most, crossings, false);
    }

    public Hosts withShared(boolean shared) {
        return new Hosts(ranks, hosts, most, crossings, shared);
    }

    /** From the host of each rank. */
    public static Hosts of(int[] hostOf) {
        Map<Integer, Integer> ranks = new HashMap<>(), crossings = new HashMap<>();
        for (int r = 0; r < hostOf.length; r++) {
            ranks.merge(hostOf[r], 1, Integer::sum);
            if (hostOf[r] != hostOf[(r + 1) % hostOf.length]) crossings.merge(hostOf[r], 1, Integer::sum);
        }
        return new Hosts(hostOf.length, ranks.size(), most(ranks), most(crossings));
    }

    /** All ranks on one host. */
    static Hosts one(int ranks) {
        return new Hosts(ranks, 1, ranks, 0);
    }

    private static int most(Map<Integer, Integer> counts) {
        return counts.values().stream().mapToInt(n -> n).max().orElse(0);
    }
}
