package dev.oxbow.parallel;

import dev.oxbow.parallel.ops.GateState;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/** Where a worker is at each server: its next step, the gate that it has met there, and whether the server has lost its state. */
final class Standing {
    /** By server, the next step. */
    final long[] steps;

    private final Servers servers;
    /** By server, the gate. */
    private final long[] lives;
    /** By server that is lost, the step that this worker was at; -1 where it does not know. */
    private final long[] known;
    /** Servers that do not have the state. */
    private final Set<Integer> lost = new TreeSet<>();

    private boolean met;

    Standing(Servers servers) {
        int n = servers.devices().size();
        this.servers = servers;
        this.steps = new long[n];
        this.lives = new long[n];
        this.known = new long[n];
        Arrays.fill(known, -1);
    }

    /**
     * Finds its place by what the gates say of it, and gives the servers that were lost since it did so last.
     *
     * @param rested whether others have gone on without it, so that what it knows itself is old
     */
    Set<Integer> meet(long[][] now, boolean rested) {
        boolean knows = met && !rested, trained = Arrays.stream(now).anyMatch(s -> s[GateState.TAKEN] > 0);
        Set<Integer> fresh = new TreeSet<>();
        for (int k = 0; k < steps.length; k++) {
            long gate = now[k][GateState.LIFE];
            if (met ? lives[k] != gate : trained && now[k][GateState.TAKEN] == 0) {
                fresh.add(k);
                if (knows && known[k] < 0) known[k] = steps[k];
            }
            lives[k] = gate;
            lost.addAll(fresh);
            begin(k, now[k], knows && !lost.contains(k) ? steps[k] : -1);
        }
        met = true;
        return fresh;
    }

    /** The next step at a server; one that this worker knows of is repeated where its run failed, which may have counted. */
    private void begin(int k, long[] state, long knows) {
        long next = Math.max(servers.isSynchronous() ? state[GateState.VERSION] : 0, state[GateState.MISSING]);
        steps[k] = knows >= 0 && next <= knows + 1 ? knows : next;
    }

    /** Servers that do not have the state. */
    Set<Integer> lost() {
        long[] bytes = servers.shards().bytes();
        if (Arrays.stream(bytes).sum() > 0) lost.removeIf(k -> bytes[k] == 0); // it never had any
        return Set.copyOf(lost);
    }

    /** Servers have got back what others have counted, too. */
    void goOn(Set<Integer> some, long[][] now) {
        for (int k : some) begin(k, now[k], known[k]);
    }

    /** Servers have the state again. */
    void found(Set<Integer> some) {
        lost.removeAll(some);
        for (int k : some) known[k] = -1;
    }

    /** The furthest that it is anywhere. */
    long furthest() {
        return Arrays.stream(steps).max().orElse(0);
    }
}
