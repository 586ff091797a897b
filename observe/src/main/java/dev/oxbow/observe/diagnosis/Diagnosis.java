package dev.oxbow.observe.diagnosis;

import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.Series;
import dev.oxbow.observe.run.WorkerLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What holds a run up, in three sentences with numbers.
 *
 * @param worker who is slow; empty where it is not about one of them
 */
public record Diagnosis(Bound bound, String worker, List<Shares> shares, List<String> sentences) {
    private static final int RECENT = 9;

    /** A worker with so many times the work of the middle one holds the others up. */
    private static final double SLOW = 1.3;

    /** The share of a step from which on something is what holds it up. */
    private static final double LARGE = 0.25;

    /** What most of the time that could be saved is spent on. */
    public enum Bound {
        INPUT,
        COMMUNICATION,
        STRAGGLER,
        SMALL_STEPS,
        COMPUTE,
        UNKNOWN
    }

    /** Of what a run has told so far: the one of its newest traced steps that took neither long nor short. */
    public static Diagnosis of(Run run) throws IOException {
        List<Long> steps = Timeline.common(run);
        if (steps.isEmpty())
            return new Diagnosis(
                    Bound.UNKNOWN, "", List.of(), List.of("There is no trace of a step yet, so nothing can be said."));
        List<List<Shares>> each = new ArrayList<>();
        for (long step : steps.subList(Math.max(0, steps.size() - RECENT), steps.size())) each.add(shares(run, step));
        each.sort(Comparator.comparingDouble(s -> s.getFirst().step()));
        return of(each.get((each.size() - 1) / 2), Planned.of(run));
    }

    private static List<Shares> shares(Run run, long step) throws IOException {
        List<Shares> shares = new ArrayList<>();
        for (Timeline.Worker w : Timeline.of(run, step).workers()) {
            WorkerLog log = run.worker(w.name());
            shares.add(Shares.of(w, at(log, "time/step_ms", step), at(log, "time/input_ms", step)));
        }
        return shares;
    }

    private static double at(WorkerLog log, String tag, long step) throws IOException {
        List<Series.Point> points = log.points(tag, step, step, 1);
        return points.isEmpty() ? Double.NaN : points.getLast().mean();
    }

    /** Of where the time of each worker goes, and of what the planner expects. */
    static Diagnosis of(List<Shares> shares, Planned planned) {
        Shares slow = straggler(shares), typical = middle(shares);
        double input =
                shares.stream().mapToDouble(s -> s.input() / s.step()).max().orElse(0);
        if (slow != null && slow.input() / slow.step() <= LARGE) return straggling(shares, slow, typical, planned);
        if (input > LARGE && input * typical.step() >= typical.exposed()) return starving(shares, typical, planned);
        if (typical.exposed() / typical.step() > LARGE) return exchanging(shares, typical, planned);
        double small = (typical.tiny() + typical.rest()) / typical.step();
        return small > 0.5 ? small(shares, typical, small) : computing(shares, typical, planned);
    }

    private static Shares middle(List<Shares> all) {
        List<Shares> sorted =
                all.stream().sorted(Comparator.comparingDouble(Shares::compute)).toList();
        return sorted.get((sorted.size() - 1) / 2);
    }

    /** The one that works longest while others wait for it; null where there is none. */
    private static Shares straggler(List<Shares> all) {
        if (all.size() < 2) return null;
        Shares most =
                all.stream().max(Comparator.comparingDouble(Diagnosis::own)).orElseThrow();
        List<Double> others =
                all.stream().filter(s -> s != most).map(Diagnosis::own).sorted().toList();
        double middle = others.get(others.size() / 2);
        double waited = all.stream()
                .filter(s -> s != most)
                .mapToDouble(s -> s.waiting() / s.step())
                .max()
                .orElse(0);
        return own(most) > SLOW * middle && waited > LARGE / 2 ? most : null;
    }

    private static double own(Shares s) {
        return s.compute() + s.input();
    }

    private static Diagnosis straggling(List<Shares> all, Shares slow, Shares typical, Planned planned) {
        double waiting = all.stream()
                .filter(s -> s != slow)
                .mapToDouble(Shares::waiting)
                .average()
                .orElse(0);
        return new Diagnosis(
                Bound.STRAGGLER,
                slow.worker(),
                all,
                List.of(
                        text(
                                "%s holds the others up: its kernels take %s a step, those of %s %s.",
                                slow.worker(), millis(slow.compute()), typical.worker(), millis(typical.compute())),
                        text(
                                "The others wait for it %s of each step of %s, %s of the time.",
                                millis(waiting), millis(typical.step()), percent(waiting / typical.step())),
                        Advice.straggling(Math.max(typical.step() - waiting, typical.compute()), planned)));
    }

    private static Diagnosis starving(List<Shares> all, Shares typical, Planned planned) {
        Shares worst = all.stream()
                .max(Comparator.comparingDouble(s -> s.input() / s.step()))
                .orElseThrow();
        boolean one = all.size() > 1 && worst.input() > 2 * typical.input() + 0.1;
        return new Diagnosis(
                Bound.INPUT,
                one ? worst.worker() : "",
                all,
                List.of(
                        text(
                                "The run waits for its input: %s of a step of %s on %s, %s of the time.",
                                millis(worst.input()),
                                millis(worst.step()),
                                worst.worker(),
                                percent(worst.input() / worst.step())),
                        exchange(all, typical),
                        Advice.starving(worst, planned)));
    }

    private static Diagnosis exchanging(List<Shares> all, Shares typical, Planned planned) {
        return new Diagnosis(
                Bound.COMMUNICATION,
                "",
                all,
                List.of(
                        text(
                                "The run waits for its links: exchanges take %s of a step of %s on %s, and %s of that is not"
                                        + " behind kernels, %s of the time.",
                                millis(typical.exchange()),
                                millis(typical.step()),
                                typical.worker(),
                                millis(typical.exposed()),
                                percent(typical.exposed() / typical.step())),
                        exchange(all, typical),
                        Advice.exchanging(typical, planned)));
    }

    private static Diagnosis small(List<Shares> all, Shares typical, double share) {
        return new Diagnosis(
                Bound.SMALL_STEPS,
                "",
                all,
                List.of(
                        text(
                                "The steps are too small: of %s on %s, %s are kernels of less than %d microseconds and %s lie"
                                        + " between kernels, %s of the time together.",
                                millis(typical.step()),
                                typical.worker(),
                                millis(typical.tiny()),
                                Shares.TINY_NANOS / 1000,
                                millis(typical.rest()),
                                percent(share)),
                        exchange(all, typical),
                        Advice.small(typical)));
    }

    private static Diagnosis computing(List<Shares> all, Shares typical, Planned planned) {
        return new Diagnosis(
                Bound.COMPUTE,
                "",
                all,
                List.of(
                        text(
                                "The run is bound by compute: kernels take %s of a step of %s on %s, %s of the time.",
                                millis(typical.compute()),
                                millis(typical.step()),
                                typical.worker(),
                                percent(Math.min(1, typical.compute() / typical.step()))),
                        exchange(all, typical),
                        Advice.computing(all, typical, planned)));
    }

    private static String exchange(List<Shares> all, Shares s) {
        String input = text("Input takes %s of a step", percent(s.input() / s.step()));
        if (all.size() < 2) return input + "; one worker exchanges nothing.";
        return s.exchange() == 0
                ? input + "; there is no exchange in the trace."
                : text("%s; %s of the exchange was hidden behind kernels.", input, percent(s.hidden() / s.exchange()));
    }

    static String text(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }

    static String millis(double v) {
        return text(v >= 100 ? "%.0f ms" : v >= 1 ? "%.1f ms" : "%.3f ms", v);
    }

    static String percent(double share) {
        return text("%.0f %%", 100 * share);
    }
}
