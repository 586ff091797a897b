package dev.oxbow.parallel;

import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionDefinition;
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
 * @param copies how many servers hold each shard
 * @param turn what a step that trains does beside computing
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
        int copies,
        Turn turn,
        FunctionLibrary library) {

    /** What a step does with what it has computed of gradients. */
    enum Gradients {
        /** Pushes them. */
        PUSHED,
        /** Keeps them, as the first of several steps. */
        KEPT,
        /** Adds them to those that are kept. */
        ADDED,
        /** Pushes them with those that are kept. */
        PUSHED_WITH_KEPT
    }

    /**
     * What a step that trains does beside computing.
     *
     * @param kind of steps that take turns with each other
     * @param pulls whether it pulls parameters, rather than taking those that were kept
     * @param keeps whether it keeps the parameters that it pulls
     * @param returns whether servers send the parameters back that it has updated, to be kept
     */
    record Turn(int kind, boolean pulls, boolean keeps, Gradients gradients, boolean returns) {
        static final Turn PLAIN = new Turn(0, true, false, Gradients.PUSHED, false);

        /** Of a worker that has a copy of what it reads, which the step begins with unless it {@code pulls}. */
        static Turn replicated(boolean pulls) {
            return new Turn(0, pulls, true, Gradients.PUSHED, true);
        }

        /** Of a step of a worker, by its number among those of its kind. */
        static Turn of(Served plan, int kind, long step) {
            if (plan.push() == 1 && plan.fetch() == 1) return PLAIN;
            long at = step % plan.push();
            Gradients g = plan.push() == 1
                    ? Gradients.PUSHED
                    : at == 0 ? Gradients.KEPT : at == plan.push() - 1 ? Gradients.PUSHED_WITH_KEPT : Gradients.ADDED;
            return new Turn(kind, step % plan.fetch() == 0, plan.fetch() > 1, g, false);
        }
    }

    Servers with(Turn now) {
        return new Servers(shards, devices, worker, workers, quorum, staleness, container, copies, now, library);
    }

    /** Takes over the functions of the user's graph. */
    void learn(FunctionLibrary from) {
        for (FunctionDefinition f : from.definitions().values()) if (!library.has(f.name())) library.add(f);
        for (Function f : from.made().values()) if (!library.has(f.name())) library.add(f);
    }

    /*
     * Shards are held at places: first those of all servers in order, then, where they are held twice, the second ones, each at
     * the next server.
     */

    int places() {
        return devices.size() * copies;
    }

    /** The server that holds what is at a place. */
    int host(int place) {
        int n = devices.size();
        return place < n ? place : (place + 1) % n;
    }

    /** The device of a place. */
    String at(int place) {
        return devices.get(host(place));
    }

    String container(int place) {
        return place < devices.size() ? container : container + "/copies";
    }

    /** The container of what a worker keeps in its own task, for steps of this kind. */
    String own() {
        return container + "/worker_" + worker + "/" + turn.kind;
    }

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

    /** How many steps a worker may be ahead of the slowest; -1 where nobody waits for the slowest. */
    int mostAhead() {
        return isSynchronous() || staleness == Served.ANY ? -1 : staleness;
    }

    /** Whether workers wait for each other in every step. */
    boolean isSynchronous() {
        return quorum > 0;
    }

    /*
     * What a session feeds beside what the user feeds, by number behind that, once for each server, where it is needed.
     */

    /** A number that a session feeds. */
    enum Hidden {
        /** Of assemblies. */
        TAG,
        /** Of runs of a kind. */
        COUNT,
        /** Of the run among those that push: the same at all servers. */
        RUN,
        /** The step at the server: the version that is waited for, or the number of the worker's own pushes. */
        STEP;

        /** Where it stands for a server. */
        int at(int server) {
            return server * values().length + ordinal();
        }

        /** The one that stands there. */
        static Hidden of(int number) {
            return values()[number % values().length];
        }

        /** The server that the number there is for. */
        static int server(int number) {
            return number / values().length;
        }
    }
}
