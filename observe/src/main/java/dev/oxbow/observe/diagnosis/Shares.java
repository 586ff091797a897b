package dev.oxbow.observe.diagnosis;

/**
 * Where the time of a worker's step goes, in milliseconds.
 *
 * @param step from one to the next
 * @param input until its batch was there
 * @param compute covered by kernels
 * @param tiny of compute, in kernels so short that starting them costs as much as their work
 * @param exchange of all exchanges, without waiting for others to come to them
 * @param hidden of the exchange, behind kernels
 * @param waiting for others to come to an exchange, where no kernel ran
 */
public record Shares(
        String worker,
        double step,
        double input,
        double compute,
        double tiny,
        double exchange,
        double hidden,
        double waiting) {
    /** A kernel that is shorter is mostly its own start. */
    static final long TINY_NANOS = 20_000;

    /** Of a worker's trace, with the mean time of its recent steps and of their input. */
    static Shares of(Timeline.Worker w, double stepMillis, double inputMillis) {
        Spans compute = Spans.of(w.spans(), s -> s.kind() == Timeline.Kind.COMPUTE);
        Spans exchange = Spans.of(w.spans(), s -> s.kind() == Timeline.Kind.COMMUNICATION);
        Spans waiting = Spans.of(w.spans(), s -> s.kind() == Timeline.Kind.WAITING);
        Spans tiny = Spans.of(w.spans(), s -> s.kind() == Timeline.Kind.COMPUTE && s.length() < TINY_NANOS);
        double traced = w.end() / 1e6;
        return new Shares(
                w.name(),
                Double.isNaN(stepMillis) ? traced : stepMillis,
                Double.isNaN(inputMillis) ? 0 : inputMillis,
                compute.length() / 1e6,
                tiny.length() / 1e6,
                exchange.length() / 1e6,
                exchange.within(compute) / 1e6,
                (waiting.length() - waiting.within(compute)) / 1e6);
    }

    /** Of the exchange, what no kernel hides. */
    double exposed() {
        return exchange - hidden;
    }

    /** What is neither input, nor kernels, nor exchanges: starting, copying, looking. */
    double rest() {
        return Math.max(0, step - input - compute - exposed() - waiting);
    }
}
