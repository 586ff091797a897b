package dev.oxbow.benchmarks;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What the rounds of {@code bench distributed} came to.
 *
 * @param costs for our teams, bytes that a worker sends in a step and seconds of an all-reduce of the gradients
 */
record DistributedReport(
        Perceptron model,
        boolean weak,
        List<DistributedTeam> teams,
        Map<DistributedTeam, double[]> costs,
        Rounds rounds) {

    /** This build's team beside the other's of as many workers; empty for all other teams and before the first round. */
    static Optional<Pairs> pairs(DistributedTeam t, List<DistributedTeam> teams, Rounds rounds) {
        if (!t.system().equals("oxbow") || t.rates().length == 0) return Optional.empty();
        return rounds.other()
                .flatMap(o -> team(teams, o, t.plan()))
                .map(o -> Pairs.of(o.system(), t.rates(), o.rates(), false));
    }

    private static Optional<DistributedTeam> team(List<DistributedTeam> teams, String system, String plan) {
        return teams.stream()
                .filter(t -> t.system().equals(system) && t.plan().equals(plan))
                .findFirst();
    }

    /** How many times the rate of our one worker. */
    private Double toAlone(DistributedTeam t) {
        return team(teams, "oxbow", DistributedTeam.LOCAL)
                .map(one -> t.median() / one.median())
                .orElse(null);
    }

    /** How many times the rate of the fastest of the other systems; null where there is none. */
    private Double toPeers(DistributedTeam t) {
        return teams.stream()
                .filter(o -> !Build.isName(o.system()))
                .map(DistributedTeam::median)
                .max(Double::compare)
                .map(best -> t.median() / best)
                .orElse(null);
    }

    /** Seconds in which a worker computes, by the time of one worker; null where nothing is known. */
    private Double compute(DistributedTeam t) {
        Optional<DistributedTeam> alone = team(teams, t.system(), DistributedTeam.LOCAL);
        if (!costs.containsKey(t) || alone.isEmpty()) return null;
        return 1 / alone.get().median() / (weak ? 1 : t.workers());
    }

    private Double predicted(DistributedTeam t) {
        Double compute = compute(t);
        return compute == null ? null : 1 / (compute + exchange(t));
    }

    private double exchange(DistributedTeam t) {
        return t.workers() == 1 ? 0 : costs.get(t)[1];
    }

    /** The share of the exchange by which a step is shorter than compute and exchange one after the other. */
    private Double overlap(DistributedTeam t) {
        Double compute = compute(t);
        if (compute == null || exchange(t) == 0 || sent(t) == 0) return null; // devices of a process send nothing
        return 1 - (1 / t.median() - compute) / exchange(t);
    }

    private Double sent(DistributedTeam t) {
        return costs.containsKey(t) ? costs.get(t)[0] : null;
    }

    private int batch(int workers) {
        return weak ? workers * Perceptron.BATCH : Perceptron.BATCH;
    }

    void print(PrintStream out) {
        out.println("%s, %s scaling, %.2f MB of gradients"
                .formatted(model.title(), weak ? "weak" : "strong", 4e-6 * model.parameters()));
        String line = "%-34s %10s %16s %14s %12s %10s %9s %14s %s";
        String beside = rounds.other().map(o -> " beside " + o).orElse("");
        out.println(line.formatted(
                        "",
                        "steps/s",
                        "quartiles",
                        "x oxbow alone",
                        "x best peer",
                        "predicted",
                        "overlap",
                        "sent MB/step",
                        beside)
                .stripTrailing());
        for (DistributedTeam t : teams) {
            Optional<Pairs> pairs = pairs(t, teams, rounds);
            if (t.system().equals("oxbow")) rounds.compared(t.name(), pairs);
            double[] rates = t.rates();
            out.println(line.formatted(
                            t.name(),
                            number(t.median(), 1),
                            number(Pairs.quantile(rates, 0.25), 1) + ".." + number(Pairs.quantile(rates, 0.75), 1),
                            number(toAlone(t), 2),
                            number(toPeers(t), 2),
                            number(predicted(t), 1),
                            number(overlap(t), 2),
                            number(sent(t) == null ? null : 1e-6 * sent(t), 3),
                            pairs.map(p -> " " + p.ratio() + " (" + p.quartiles() + ")")
                                    .orElse(""))
                    .stripTrailing());
        }
    }

    private static String number(Double v, int digits) {
        return v == null ? "-" : String.format(Locale.ROOT, "%." + digits + "f", v);
    }

    String json() {
        List<String> rows = new ArrayList<>();
        for (DistributedTeam t : teams)
            rows.add(String.format(
                    Locale.ROOT,
                    "{\"system\": \"%s\", \"plan\": \"%s\", \"model\": \"%s\", \"workers\": %d, \"threads\": 1,"
                            + " \"batch\": %d, \"steps_per_s\": %.2f, \"predicted_steps_per_s\": %s, \"bytes_per_step\":"
                            + " %s, \"overlap\": %s, \"ratio_alone\": %s, \"ratio_peers\": %s, \"build\": %s}",
                    t.system(),
                    t.plan(),
                    model.key(),
                    t.workers(),
                    batch(t.workers()),
                    t.median(),
                    Report.value(predicted(t)),
                    sent(t) == null ? "null" : Long.toString(sent(t).longValue()),
                    Report.value(overlap(t)),
                    Report.value(toAlone(t)),
                    Report.value(toPeers(t)),
                    pairs(t, teams, rounds).map(Pairs::json).orElse("null")));
        return "[\n  " + String.join(",\n  ", rows) + "\n]\n";
    }
}
