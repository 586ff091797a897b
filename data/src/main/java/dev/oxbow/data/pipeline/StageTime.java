package dev.oxbow.data.pipeline;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * How long a stage of a pipeline worked, over all threads.
 *
 * {@snippet :
 * static String slowest(Feed<Batch> feed) {
 *     List<StageTime> stages = feed.stages();
 *     return StageTime.longest(stages).map(s -> s.stage() + " " + Math.round(100 * s.share(stages)) + " %").orElse("none");
 * }
 * }
 *
 * @param stage what it does, as {@link Stage#describe} says; {@code reading and order} is what files and the order of elements took
 * @param count how often it worked
 */
public record StageTime(String stage, long count, Duration time) {

    /** The stage that worked longest; none where nothing was counted. */
    public static Optional<StageTime> longest(List<StageTime> all) {
        return all.stream().max(Comparator.comparing(StageTime::time));
    }

    /** Its share of the time of all. */
    public double share(List<StageTime> all) {
        double sum = all.stream().mapToDouble(s -> s.time.toNanos()).sum();
        return sum == 0 ? 0 : time.toNanos() / sum;
    }
}
