package dev.oxbow.cli;

import dev.oxbow.parallel.Plan;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The plan of training as it is written: a kind, for some a number, and what is done in another way behind a plus.
 *
 * @param number what stands behind the colon, or -1
 * @param more what stands behind the plus, or nothing
 */
record PlanText(String kind, int number, String more) {
    private static final List<String> KINDS =
            List.of("local", "ring", "push-pull", "replicas", "ps", "ps-async", "ps-stale");
    private static final List<String> WITH_NUMBER = List.of("push-pull", "ps-stale");
    private static final String REPLICATED = "replicated";
    private static final String ACROSS = "across-steps";
    private static final String ASYNC = "async";
    private static final String COPIES = "copies";
    private static final String PREFETCH = "prefetch";
    private static final Pattern FORM = Pattern.compile("([a-z-]+)(?::([0-9]{1,6}))?(?:\\+([a-z-]+))?");

    /** Reads it. */
    static final class Reader implements ITypeConverter<PlanText> {
        @Override
        public PlanText convert(String text) {
            Matcher m = FORM.matcher(text);
            boolean known = m.matches() && KINDS.contains(m.group(1));
            if (!known || WITH_NUMBER.contains(m.group(1)) != (m.group(2) != null) || !takes(m.group(1), m.group(3)))
                throw new TypeConversionException(
                        "'" + text
                                + "' is no plan: local, ring, push-pull:HELPERS, replicas, ps, ps-async or ps-stale:STEPS;"
                                + " ring and push-pull take +across-steps, replicas +async, those of servers +replicated, +copies or +prefetch");
            return new PlanText(
                    m.group(1),
                    m.group(2) == null ? -1 : Integer.parseInt(m.group(2)),
                    m.group(3) == null ? "" : m.group(3));
        }

        private static boolean takes(String kind, String more) {
            return switch (more) {
                case null -> true;
                case REPLICATED, COPIES, PREFETCH -> kind.startsWith("ps");
                case ACROSS -> kind.equals("ring") || kind.equals("push-pull");
                case ASYNC -> kind.equals("replicas");
                default -> false;
            };
        }
    }

    /** Where nobody says: a ring of workers, or this process alone. */
    static final PlanText NONE = new PlanText("", -1, "");

    /** What is wrong with it beside other options, or null. */
    String refusal(boolean hasWorkers, Integer devices, Integer servers, String wire) {
        if ((is("ring") || is("push-pull") || isServed()) && !hasWorkers)
            return "--plan " + this + " is for workers: give --workers, too";
        if (is("local") && hasWorkers) return "--plan local is for one process: leave --workers out";
        if (devices != null && devices < 1) return "--devices must be at least 1, got " + devices;
        if (servers != null && helpers() > 0 && servers != helpers())
            return "--plan %s has %d helpers, and --servers says %d".formatted(this, helpers(), servers);
        if (servers != null && helpers() == 0 && !isServed())
            return "--servers is for --plan ps, ps-async, ps-stale and push-pull";
        if (servers != null && servers < 1) return "--servers must be at least 1, got " + servers;
        if (more.equals(COPIES) && (servers == null || servers < 2))
            return "--plan " + this + " holds each shard twice: give --servers 2 at least";
        return isServed() && wire != null ? "--wire is for --plan ring and push-pull" : null;
    }

    boolean is(String other) {
        return kind.equals(other);
    }

    /** Processes beside the workers that help them to add gradients up. */
    int helpers() {
        return is("push-pull") ? number : 0;
    }

    /** Whether parameter servers hold the variables. */
    boolean isServed() {
        return kind.startsWith("ps");
    }

    /** Whether workers take each step together. */
    boolean isTogether() {
        return !isServed() || is("ps");
    }

    /** How many devices a process has; {@code said} is null for what is usual. */
    int devices(Integer said) {
        return said != null ? said : is("replicas") ? 2 : 1;
    }

    /** One without servers, of so many devices for a process. */
    Plan of(boolean isJob, int devices) {
        if (is("replicas")) {
            Plan p = Plan.replicas(devices);
            return more.equals(ASYNC) ? p.onHost().async() : p;
        }
        Plan p = is("push-pull") ? Plan.pushPull(number) : isJob ? Plan.ring() : Plan.local();
        return (isAcross() ? p.acrossSteps() : p).withDevices(devices);
    }

    /** Whether an exchange may end in the next step. */
    boolean isAcross() {
        return more.equals(ACROSS);
    }

    /** With so many servers and workers, each of so many devices. */
    Plan served(int servers, int workers, int devices) {
        Plan p = Plan.parameterServer(servers, workers).withDevices(devices);
        if (is("ps-async")) p = p.async();
        else if (is("ps-stale")) p = p.staleness(number);
        return switch (more) {
            case REPLICATED -> p.replicated();
            case COPIES -> p.shardCopies(2);
            case PREFETCH -> p.prefetch();
            default -> p;
        };
    }

    @Override
    public String toString() {
        return kind + (number < 0 ? "" : ":" + number) + (more.isEmpty() ? "" : "+" + more);
    }
}
