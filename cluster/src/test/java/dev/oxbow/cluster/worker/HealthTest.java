package dev.oxbow.cluster.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

final class HealthTest {
    private static final long LOST_AFTER = 1_000, LOOK = LOST_AFTER / Health.LOOKS;

    private long millis;
    private boolean cut;
    private int asked;
    private final List<Runnable> never = new ArrayList<>();
    private final List<OxbowException> losses = new ArrayList<>();
    private final Health health = new Health(() -> millis * 1_000_000, Duration.ofMillis(LOST_AFTER));

    /** A task answers at once, and calls that go out while it is cut off only get their deadline. */
    private void status(Duration deadline, BiConsumer<List<DeviceSpec>, OxbowException> then) {
        asked++;
        if (cut) never.add(() -> then.accept(null, null));
        else then.accept(List.of(), null);
    }

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            millis += LOOK;
            health.look();
        }
    }

    private Health.Watch watch() {
        return health.watch("/job:ps/replica:0/task:0", 0, this::status, losses::add);
    }

    @Test
    void aTaskThatWasCutOffIsAskedAgainThoughEarlierCallsNeverEnd() {
        Health.Watch before = watch();
        look(2);
        cut = true;
        look(Health.LOOKS + 1);
        assertEquals(1, losses.size());
        assertEquals(
                "the task gave no sign of life for 1.3 s (in /job:ps/replica:0/task:0)",
                losses.getFirst().getMessage());
        cut = false;
        Health.Watch after = watch();
        look(2 * Health.LOOKS);
        assertEquals(1, losses.size(), losses::toString);
        before.close();
        after.close();
        assertEquals(0, health.size());
    }

    @Test
    void callsThatNeverEndAreNotCollected() {
        watch();
        cut = true;
        look(100);
        assertTrue(asked <= 2 * Health.LOOKS, "asked " + asked + " times");
        never.forEach(Runnable::run);
        look(1);
        assertEquals(1, losses.size());
    }

    @Test
    void timeInWhichThisProcessStoodStillDoesNotCount() {
        watch();
        look(2);
        cut = true;
        look(Health.LOOKS - 1);
        millis += 100_000;
        look(1);
        assertEquals(List.of(), losses);
        look(1);
        assertEquals(1, losses.size());
    }

    @Test
    void norDoLooksThatAllComeALittleLate() {
        watch();
        look(2);
        cut = true;
        for (int i = 0; i < Health.LOOKS; i++) {
            millis += LOOK * 4 / 5;
            look(1);
        }
        assertEquals(List.of(), losses);
        look(1);
        assertEquals(1, losses.size());
    }
}
