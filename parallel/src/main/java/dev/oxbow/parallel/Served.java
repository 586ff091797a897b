package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

/**
 * What a plan says of parameter servers.
 *
 * @param servers tasks of job {@code ps} of a cluster, which hold the variables
 * @param workers tasks of job {@code worker}, which compute
 * @param backups workers that an update does not wait for
 * @param staleness how many steps a worker may be ahead of the slowest; {@link #SYNCHRONOUS} where all take each step
 *     together, {@link #ANY} where nobody waits
 * @param push how many steps of gradients a worker adds up before it pushes them
 * @param fetch how many steps a worker takes on parameters that it has pulled once
 * @param job the container of variables and gates on the servers; empty for the one that names none
 * @param target the task of this worker, such as {@code grpc://localhost:2222}
 */
public record Served(
        int servers, int workers, int backups, int staleness, int push, int fetch, String job, String target) {
    public static final int SYNCHRONOUS = -1;
    public static final int ANY = Integer.MAX_VALUE;

    public Served {
        require(servers > 0, INVALID_ARGUMENT, "Plan: needs at least one parameter server, got %d", servers);
        require(workers > 0, INVALID_ARGUMENT, "Plan: needs at least one worker, got %d", workers);
        require(
                backups == 0 || backups > 0 && backups < workers && staleness == SYNCHRONOUS,
                INVALID_ARGUMENT,
                "Plan: %d of %d workers can not be backups%s",
                backups,
                workers,
                staleness == SYNCHRONOUS ? "" : " where none waits for the others");
        require(
                push == 1 && fetch == 1 || push >= 1 && fetch >= 1 && staleness == ANY,
                INVALID_ARGUMENT,
                "Plan: workers that push every %d and fetch every %d steps wait for nobody: take async(), and at least 1",
                push,
                fetch);
    }

    /** Whether all workers take each step together. */
    public boolean isSynchronous() {
        return staleness == SYNCHRONOUS;
    }

    /**
     * How many steps a worker may be ahead of the slowest where it computes on copies: these are a step old when they are
     * read, so that it is one less.
     */
    int stalenessOfCopies() {
        return staleness == ANY || staleness == SYNCHRONOUS ? staleness : staleness - 1;
    }

    /** Refuses what does not go with copies of the variables, or with what is pulled ahead. */
    void check(boolean replicated, boolean ahead) {
        require(
                !replicated && !ahead || backups == 0,
                INVALID_ARGUMENT,
                "Plan: what a worker has of the variables is of one step when all workers push: %s has no backups, got %d",
                replicated ? "replicated()" : "prefetch()",
                backups);
        require(
                !replicated || !ahead,
                INVALID_ARGUMENT,
                "Plan: replicated() sends parameters back behind every update: leave prefetch out");
        require(
                !replicated || push == 1 && fetch == 1,
                INVALID_ARGUMENT,
                "Plan: replicated() sends parameters back behind every update: leave nPush and nFetch out, got %d and %d",
                push,
                fetch);
        require(
                !replicated || staleness != 0,
                INVALID_ARGUMENT,
                "Plan: copies of the variables are a step old: take sync() with replicated(), not staleness(0)");
    }

    Served withStaleness(int steps) {
        return new Served(servers, workers, backups, steps, push, fetch, job, target);
    }

    Served withBackups(int count) {
        return new Served(servers, workers, count, staleness, push, fetch, job, target);
    }

    Served withPush(int steps) {
        return new Served(servers, workers, backups, staleness, steps, fetch, job, target);
    }

    Served withFetch(int steps) {
        return new Served(servers, workers, backups, staleness, push, steps, job, target);
    }

    Served withJob(String name) {
        return new Served(servers, workers, backups, staleness, push, fetch, name, target);
    }

    Served withTarget(String where) {
        return new Served(servers, workers, backups, staleness, push, fetch, job, where);
    }

    /** What all workers must have alike. */
    @Override
    public String toString() {
        return "servers=%d workers=%d backups=%d staleness=%d push=%d fetch=%d job=%s"
                .formatted(servers, workers, backups, staleness, push, fetch, job);
    }

    /** A worker that there is, of a plan that says where it is. */
    int checked(int worker) {
        require(
                worker >= 0 && worker < workers,
                INVALID_ARGUMENT,
                "Plan: there is no worker %d of %d",
                worker,
                workers);
        require(
                !target.isEmpty(),
                FAILED_PRECONDITION,
                "Plan: worker %d has a task in the cluster, and the plan does not say where: take"
                        + " Plan.at(\"grpc://host:port\")",
                worker);
        return worker;
    }
}
