package dev.oxbow.parallel;

import dev.oxbow.graph.FunctionLibrary;
import java.util.ArrayList;
import java.util.List;

/**
 * What a worker knows of the parameter servers of its job.
 *
 * @param shards which of them has which variable
 * @param devices of the servers
 * @param worker the number of this worker
 * @param workers how many there are
 * @param quorum how many of them make an update; 0 where each push is one by itself
 * @param staleness how many steps a worker may be ahead of the slowest where they do not take steps together
 * @param container of gates and variables, on every server
 * @param library where updates are put as functions
 */
record Servers(
        Shards shards,
        List<String> devices,
        int worker,
        int workers,
        int quorum,
        int staleness,
        String container,
        FunctionLibrary library) {

    /** The gate of updates that come from batches, on every server. */
    static final String TRAINING = "training";

    /** The device of server {@code k}. */
    static String device(int k) {
        return "/job:ps/task:" + k + "/device:CPU:0";
    }

    /** The devices of a worker. */
    static List<String> devices(int worker, int count) {
        List<String> all = new ArrayList<>();
        for (int d = 0; d < count; d++) all.add("/job:worker/task:" + worker + "/device:CPU:" + d);
        return all;
    }

    /** How many pushes an update has. */
    int pushes() {
        return Math.max(1, quorum);
    }

    /** Whether workers wait for each other in every step. */
    boolean isSynchronous() {
        return quorum > 0;
    }

    /*
     * What a session feeds beside what the user feeds, by number behind that: the tag of its assemblies, the count of runs of
     * its kind, and its step at each server: the version that it waits for, or the number of its own pushes.
     */

    static int tag() {
        return 0;
    }

    static int count() {
        return 1;
    }

    static int version(int server) {
        return 2 + server;
    }
}
