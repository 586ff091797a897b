package dev.oxbow.parallel.planner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.parallel.Served;
import dev.oxbow.tensor.OxbowException;
import org.junit.jupiter.api.Test;

/** Workers of parameter servers of which one is slow, against what follows by hand. */
final class ServedSimulatorTest {
    private static final double[] COMPUTE = {0.1, 0.1, 0.1, 0.3};

    private static ServedSimulator.Played played(int backups, int staleness) {
        return new ServedSimulator(COMPUTE, 0.02, backups, staleness).play(320);
    }

    @Test
    void stepsTogetherAreAsSlowAsTheSlowest() {
        assertEquals(4 / 0.32, played(0, Served.SYNCHRONOUS).rate(), 0.05);
        assertEquals(0, played(0, Served.SYNCHRONOUS).dropped());
    }

    @Test
    void aBackupTakesTheSlowOneOutAndItsGradientsAreDropped() {
        ServedSimulator.Played p = played(1, Served.SYNCHRONOUS);
        assertEquals(3 / 0.12, p.rate(), 0.1);
        assertEquals(320 / 0.32, p.dropped(), 2);
    }

    @Test
    void whoMayBeAFewStepsAheadIsAsSlowAsTheSlowestInTheLongRun() {
        assertEquals(4 / 0.32, played(0, 4).rate(), 0.1);
        double ahead = new ServedSimulator(COMPUTE, 0.02, 0, 4).play(0.61).counted();
        assertEquals(3 * 5 + 1, ahead); // five steps of three workers, and one of the slow one
    }

    @Test
    void whoWaitsForNobodyGoesItsOwnPace() {
        assertEquals(3 / 0.12 + 1 / 0.32, played(0, Served.ANY).rate(), 0.05);
    }

    @Test
    void backupsAreForStepsTogether() {
        assertThrows(OxbowException.class, () -> new ServedSimulator(COMPUTE, 0, 1, 4));
        assertThrows(OxbowException.class, () -> new ServedSimulator(COMPUTE, 0, 4, Served.SYNCHRONOUS));
    }
}
