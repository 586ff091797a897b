package dev.oxbow.net.launch;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Deals batches by their numbers to workers that train each by itself: each to one of them, and again where that was lost. */
final class Dealer {

    /*
     * Nobody needs to know beforehand how many batches an epoch has: whoever was dealt one that is not there says how many
     * there are, and the next epoch begins. A batch is done when its worker says so, behind its push; what a worker had when it
     * was lost is dealt again, first. So every batch is trained on, and twice only where a worker was lost between its push and
     * its word. When all are done one worker reports, which is dealt in the same way. A question may still be on its way when its
     * worker is known to be gone: nothing is dealt to that one any more, since nobody would ever do it.
     *
     * The position to which the job can be said to have come is that of the first batch that is not done.
     */

    private record Batch(long epoch, long number) {}

    private static final Comparator<Batch> ORDER =
            Comparator.comparingLong(Batch::epoch).thenComparingLong(Batch::number);

    private final Map<Worker, TreeSet<Batch>> dealt = new HashMap<>();
    private final TreeSet<Batch> again = new TreeSet<>(ORDER);
    private final Set<Worker> gone = new HashSet<>();
    private final Map<Long, Long> sizes = new HashMap<>();
    private Batch next;
    private long done;
    private long kept;
    private Worker keeper;
    private Worker reporter;
    private boolean reported;

    /**
     * Answers a worker. It asks {@code begin STEP EPOCH BATCH}, where it would begin, of which the first counts; {@code next
     * EPOCHS EVERY}, what it is to do, where the state is kept every so many batches, 0 for never; and says {@code done EPOCH
     * BATCH}, {@code past EPOCH BATCHES} of an epoch that has no more, {@code kept} and {@code reported}.
     *
     * @return {@code at STEP EPOCH BATCH}, {@code batch EPOCH BATCH}, {@code keep STEP EPOCH BATCH}, {@code report STEPS}, {@code
     *     wait}, {@code end}, or {@code ok}
     */
    synchronized String answer(Worker who, String question) {
        String[] words = question.split(" ");
        return switch (words[0]) {
            case "begin" -> begin(number(words, 1), new Batch(number(words, 2), number(words, 3)));
            case "next" -> next(who, number(words, 1), number(words, 2));
            case "done" -> {
                Batch b = new Batch(number(words, 1), number(words, 2));
                if (of(who).remove(b)) done++;
                yield "ok";
            }
            case "past" -> {
                past(who, number(words, 1), number(words, 2));
                yield "ok";
            }
            case "kept" -> {
                if (who.equals(keeper)) keeper = null;
                yield "ok";
            }
            case "reported" -> {
                reported = true;
                yield "ok";
            }
            default ->
                throw new OxbowException(INVALID_ARGUMENT, "elastic: %s asks '%s'".formatted(who.describe(), question));
        };
    }

    private static long number(String[] words, int i) {
        require(
                i < words.length && words[i].matches("[0-9]{1,18}"),
                INVALID_ARGUMENT,
                "elastic: '%s' lacks a number",
                String.join(" ", words));
        return Long.parseLong(words[i]);
    }

    private String begin(long steps, Batch first) {
        if (next == null) {
            next = first;
            done = steps;
            kept = steps;
        }
        return "at " + position();
    }

    private String next(Worker who, long epochs, long every) {
        require(next != null, INVALID_ARGUMENT, "elastic: %s asks for a batch before it has begun", who.describe());
        if (reported || gone.contains(who)) return "end";
        if (again.isEmpty() && next.epoch >= epochs) {
            boolean open = dealt.values().stream().anyMatch(b -> !b.isEmpty());
            if (!open && reporter == null) reporter = who;
            return !open && who.equals(reporter) ? "report " + done : "wait";
        }
        if (every > 0 && done - kept >= every && keeper == null) {
            kept = done;
            keeper = who;
            return "keep " + position();
        }
        Batch b = again.pollFirst();
        if (b == null) {
            b = next;
            next = new Batch(next.epoch, next.number + 1);
            roll();
        }
        of(who).add(b);
        return "batch %d %d".formatted(b.epoch, b.number);
    }

    private void past(Worker who, long epoch, long batches) {
        sizes.merge(epoch, batches, Math::min);
        of(who).removeIf(b -> b.epoch == epoch && b.number >= batches);
        roll();
    }

    private void roll() {
        Long size = sizes.get(next.epoch);
        if (size != null && next.number >= size) next = new Batch(next.epoch + 1, 0);
    }

    private TreeSet<Batch> of(Worker who) {
        return dealt.computeIfAbsent(who, _ -> new TreeSet<>(ORDER));
    }

    /** Of the first batch that is not done, and how many are. */
    private String position() {
        Batch first = next;
        for (TreeSet<Batch> all : dealt.values())
            if (!all.isEmpty() && ORDER.compare(all.first(), first) < 0) first = all.first();
        if (!again.isEmpty() && ORDER.compare(again.first(), first) < 0) first = again.first();
        return "%d %d %d".formatted(done, first.epoch, first.number);
    }

    /** A worker is gone: others get what it had. */
    synchronized void gone(Worker who) {
        gone.add(who);
        TreeSet<Batch> had = dealt.remove(who);
        if (had != null) again.addAll(had);
        if (who.equals(keeper)) keeper = null;
        if (who.equals(reporter)) reporter = null;
    }
}
