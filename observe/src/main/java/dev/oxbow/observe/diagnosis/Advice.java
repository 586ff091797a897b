package dev.oxbow.observe.diagnosis;

import static dev.oxbow.observe.diagnosis.Diagnosis.millis;
import static dev.oxbow.observe.diagnosis.Diagnosis.percent;
import static dev.oxbow.observe.diagnosis.Diagnosis.text;

import java.util.List;

/** What the planner would do about what holds a run up: the last sentence of a diagnosis. */
final class Advice {
    private Advice() {}

    static String straggling(double step, Planned p) {
        return text(
                "A machine as fast as the others, or a smaller share of each batch there, would bring a step to about"
                        + " %s%s.",
                millis(step),
                p.isKnown() ? text("; the planner expects %s of workers that are alike", millis(p.step())) : "");
    }

    static String starving(Shares worst, Planned p) {
        double ready = worst.step() - worst.input();
        return text(
                "With input that is ready in time a step would take about %s%s: prefetch, decode on more threads, or cache"
                        + " what does not change.",
                millis(ready), p.isKnown() ? text(" (the planner expects %s)", millis(p.step())) : "");
    }

    static String exchanging(Shares s, Planned p) {
        String links = p.isKnown() && p.hasLinks()
                ? text(" (the planner expects %s over links of %.0f MB/s)", millis(p.step()), p.rate() / 1e6)
                : "";
        return text(
                "Gradients in bf16 would bring a step to about %s, in int8 to about %s%s; a larger batch or accumulation"
                        + " exchanges less often.",
                millis(s.step() - saved(s, 0.5)), millis(s.step() - saved(s, 0.75)), links);
    }

    /** What is saved of a step when exchanges take less: first what is not hidden. */
    private static double saved(Shares s, double share) {
        return Math.min(s.exposed(), share * s.exchange());
    }

    static String small(Shares s) {
        double larger = s.step() + 3 * (s.compute() - s.tiny());
        return text(
                "Four times the batch, where the model allows it and with a rate to suit, would take about %s a step and"
                        + " train %.1f times the examples a second.",
                millis(larger), 4 * s.step() / larger);
    }

    static String computing(List<Shares> all, Shares s, Planned p) {
        if (!p.isKnown())
            return all.size() > 1
                    ? "More workers, or faster ones, would shorten it."
                    : "That is as it should be; more workers, or a faster device, would shorten it.";
        return text(
                "The planner expects %s a step, so this is %s of what can be had; %d workers would train %.2f times the"
                        + " examples a second%s.",
                millis(p.step()),
                percent(Math.min(1, p.step() / s.step())),
                2 * p.workers(),
                p.doubled(),
                p.hasLinks() ? " over these links" : " over links of 10 Gbit/s");
    }
}
