package dev.oxbow.cli;

import dev.oxbow.parallel.Plan;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The plan of training as it is written: a kind and, for some, a number.
 *
 * @param number what stands behind the colon, or -1
 */
record PlanText(String kind, int number) {
    private static final List<String> KINDS = List.of("local", "ring", "replicas", "ps", "ps-async", "ps-stale");
    private static final Pattern FORM = Pattern.compile("([a-z-]+)(?::([0-9]{1,6}))?");

    /** Reads it. */
    static final class Reader implements ITypeConverter<PlanText> {
        @Override
        public PlanText convert(String text) {
            Matcher m = FORM.matcher(text);
            boolean known = m.matches() && KINDS.contains(m.group(1));
            if (!known || m.group(1).equals("ps-stale") != (m.group(2) != null))
                throw new TypeConversionException(
                        "'" + text + "' is no plan: local, ring, replicas, ps, ps-async or ps-stale:STEPS");
            return new PlanText(m.group(1), m.group(2) == null ? -1 : Integer.parseInt(m.group(2)));
        }
    }

    /** Where nobody says: a ring of workers, or this process alone. */
    static final PlanText NONE = new PlanText("", -1);

    /** What is wrong with it beside other options, or null. */
    String refusal(boolean hasWorkers, Integer devices, Integer servers, String wire) {
        if ((is("ring") || isServed()) && !hasWorkers) return "--plan " + this + " is for workers: give --workers, too";
        if (is("local") && hasWorkers) return "--plan local is for one process: leave --workers out";
        if (devices != null && !is("replicas")) return "--devices is for --plan replicas";
        if (devices != null && devices < 1) return "--devices must be at least 1, got " + devices;
        if (servers != null && !isServed()) return "--servers is for --plan ps, ps-async and ps-stale";
        if (servers != null && servers < 1) return "--servers must be at least 1, got " + servers;
        return isServed() && wire != null ? "--wire is for --plan ring" : null;
    }

    boolean is(String other) {
        return kind.equals(other);
    }

    /** Whether parameter servers hold the variables. */
    boolean isServed() {
        return kind.startsWith("ps");
    }

    /** With so many servers and workers. */
    Plan served(int servers, int workers) {
        Plan p = Plan.parameterServer(servers, workers);
        return is("ps-async") ? p.async() : is("ps-stale") ? p.staleness(number) : p;
    }

    @Override
    public String toString() {
        return number < 0 ? kind : kind + ":" + number;
    }
}
