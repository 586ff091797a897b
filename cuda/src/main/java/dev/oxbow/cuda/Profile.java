package dev.oxbow.cuda;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long entries take, by name, with {@code -Doxbow.cuda.profile=true}: each is waited for, so the times are those of the
 * card alone. Logged from time to time and when the process ends.
 */
final class Profile {
    private static final Logger log = LoggerFactory.getLogger(Profile.class);
    private static final int LONGEST = 40;

    private static final class Sum {
        long count;
        double milliseconds;
    }

    private final Map<String, Sum> sums = new HashMap<>();
    private long from;
    private long to;

    private Profile() {}

    /** A profile where one is wanted; else null. */
    static Profile wanted() {
        if (!Boolean.getBoolean("oxbow.cuda.profile")) return null;
        Profile p = new Profile();
        Runtime.getRuntime().addShutdownHook(new Thread(p::report, "oxbow-cuda-profile"));
        return p;
    }

    /** Issues an entry and waits for it. */
    synchronized void time(Entry e, Runnable issue, long stream) {
        if (from == 0) {
            from = Driver.event(true);
            to = Driver.event(true);
        }
        Driver.record(from, stream);
        issue.run();
        Driver.record(to, stream);
        Driver.await(to);
        Sum s = sums.computeIfAbsent(e.name(), _ -> new Sum());
        s.count++;
        s.milliseconds += Driver.milliseconds(from, to);
    }

    private synchronized void report() {
        sums.entrySet().stream()
                .sorted(Comparator.comparingDouble((Map.Entry<String, Sum> e) -> -e.getValue().milliseconds))
                .limit(LONGEST)
                .forEach(e -> log.info(
                        "{} x {} = {} ms",
                        e.getValue().count,
                        e.getKey(),
                        Math.round(e.getValue().milliseconds * 1000) / 1000.0));
    }
}
