package dev.oxbow.runtime;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Rewrite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** How a session compiles and runs its graph. Immutable; start from {@link #defaults}. */
public final class SessionOptions implements Cloneable {
    private boolean optimise = true;
    private boolean plans = true;
    private boolean checkNumerics;
    private Duration timeout;
    private Duration lostAfter = Duration.ofSeconds(5);
    private int callDepth = 100_000;
    private int programs = 256;
    private int stepsInFlight;
    private Placement placement = (node, devices) -> 0;
    private boolean softPlacement;
    private int measuredSteps;
    private boolean lateReceives;
    private List<String> tasks = List.of();
    private List<Rewrite> rewrites = List.of();
    private RunRewrite runRewrite;
    private Map<Class<?>, Object> services = Map.of();

    /** Chooses a device by number for nodes without a wish; for tests of placement. */
    @FunctionalInterface
    public interface Placement {
        int device(String node, int devices);
    }

    private SessionOptions() {}

    /** All passes, plans, no checks, no deadline, no services. */
    public static SessionOptions defaults() {
        return new SessionOptions();
    }

    private SessionOptions with(Consumer<SessionOptions> change) {
        try {
            SessionOptions copy = (SessionOptions) clone();
            change.accept(copy);
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** Whether constants are folded, duplicates merged and elementwise chains fused. */
    public boolean optimise() {
        return optimise;
    }

    public SessionOptions withOptimise(boolean on) {
        return with(o -> o.optimise = on);
    }

    /** Whether runs after the first follow a plan: kernels bound to places in one block of memory. */
    public boolean plans() {
        return plans;
    }

    public SessionOptions withPlans(boolean on) {
        return with(o -> o.plans = on);
    }

    /** Whether every floating output is checked, so that the first NaN or infinity names its node. */
    public boolean checkNumerics() {
        return checkNumerics;
    }

    public SessionOptions withCheckNumerics(boolean on) {
        return with(o -> o.checkNumerics = on);
    }

    /** The deadline of runs that give none; null for none. */
    public Duration timeout() {
        return timeout;
    }

    public SessionOptions withTimeout(Duration d) {
        return with(o -> o.timeout = d);
    }

    /** How long a master in another process may give no sign of life before it is lost. */
    public Duration lostAfter() {
        return lostAfter;
    }

    public SessionOptions withLostAfter(Duration d) {
        require(d.isPositive(), INVALID_ARGUMENT, "session: a master can not be lost after %s", d);
        return with(o -> o.lostAfter = d);
    }

    /** How deep functions that call themselves may go; memory for each call is taken from the heap. */
    public int callDepth() {
        return callDepth;
    }

    public SessionOptions withCallDepth(int calls) {
        return with(o -> o.callDepth = calls);
    }

    /** How many programs, for different feeds, fetches and targets, are kept; then the least recently used goes. */
    public int programs() {
        return programs;
    }

    public SessionOptions withPrograms(int most) {
        return with(o -> o.programs = most);
    }

    /**
     * How many runs that fetch nothing may still be under way on devices that work later when the next begins; with 0 a run has
     * ended everywhere when it returns. What goes wrong in such a run is thrown by a later one, or by whoever waits.
     */
    public int stepsInFlight() {
        return stepsInFlight;
    }

    public SessionOptions withStepsInFlight(int most) {
        require(most >= 0, INVALID_ARGUMENT, "session: steps in flight can not be negative, got %d", most);
        return with(o -> o.stepsInFlight = most);
    }

    public Placement placement() {
        return placement;
    }

    public SessionOptions withPlacement(Placement p) {
        return with(o -> o.placement = p);
    }

    /** Whether a wish for a device that cannot be met is forgotten; otherwise it is an error. */
    public boolean softPlacement() {
        return softPlacement;
    }

    public SessionOptions withSoftPlacement(boolean on) {
        return with(o -> o.softPlacement = on);
    }

    /** As {@link #withMeasuredSteps} has set it; 0 for none. */
    public int measuredSteps() {
        return measuredSteps;
    }

    /**
     * Has nodes that wish for no device placed by what they cost: by estimates at first; every so many steps of a kind one is
     * measured, and where that changes the picture, by what was measured. In this process estimates alone are used.
     */
    public SessionOptions withMeasuredSteps(int every) {
        require(every >= 0, INVALID_ARGUMENT, "session: measured steps can not be negative, got %d", every);
        return with(o -> o.measuredSteps = every);
    }

    /** Whether large values of other devices are asked for as late as the step allows; see {@link #withLateReceives}. */
    public boolean lateReceives() {
        return lateReceives;
    }

    /**
     * Saves memory of devices that read what others make: their values come when they are about to be read. To a device with a
     * memory budget they come so anyway.
     */
    public SessionOptions withLateReceives(boolean on) {
        return with(o -> o.lateReceives = on);
    }

    /** As {@link #withTasks} has set them; none for all. */
    public List<String> tasks() {
        return tasks;
    }

    /**
     * Of a cluster, the tasks that a session uses beside its master's, such as {@code /job:ps} for all of a job: it is opened
     * when these are up, and does not notice whether others are.
     */
    public SessionOptions withTasks(String... names) {
        return with(o -> o.tasks = List.of(names));
    }

    /** Stages of compilation that the whole graph of a run goes through before it is placed, such as those of a parallel plan. */
    public List<Rewrite> rewrites() {
        return rewrites;
    }

    public SessionOptions withRewrite(Rewrite r) {
        List<Rewrite> all = new ArrayList<>(rewrites);
        all.add(r);
        return with(o -> o.rewrites = List.copyOf(all));
    }

    /** The stage of compilation that differs from run to run; null for none. */
    public RunRewrite runRewrite() {
        return runRewrite;
    }

    public SessionOptions withRunRewrite(RunRewrite r) {
        return with(o -> o.runRewrite = r);
    }

    /** What kernels find by type. */
    public Map<Class<?>, Object> services() {
        return services;
    }

    /** What was given under this type, or null. */
    public <T> T service(Class<T> type) {
        return type.cast(services.get(type));
    }

    /** Gives kernels something to find by its type ({@code KernelContext.service}), such as the groups of a job. */
    public <T> SessionOptions withService(Class<T> type, T service) {
        Map<Class<?>, Object> all = new HashMap<>(services);
        all.put(type, service);
        return with(o -> o.services = Map.copyOf(all));
    }
}
