package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What decides whether two entries of a graph may run side by side, and whether an entry is the one that was noted. */
final class EntryTest {
    private static Entry.Touched touched(long read, long written) {
        return new Spans().reads(read, 16).writes(written, 16).touched();
    }

    @Test
    void whoReadsWhatAnotherWritesComesLater() {
        assertTrue(touched(0, 100).conflictsWith(touched(100, 200)));
        assertTrue(touched(0, 100).conflictsWith(touched(115, 200)), "the last byte counts");
        assertFalse(touched(0, 100).conflictsWith(touched(116, 200)), "what begins behind it does not");
    }

    @Test
    void whoWritesWhatAnotherReadsOrWritesComesLater() {
        assertTrue(touched(0, 100).conflictsWith(touched(300, 8)));
        assertTrue(touched(0, 100).conflictsWith(touched(300, 90)));
    }

    @Test
    void twoThatReadTheSameRunSideBySide() {
        assertFalse(touched(0, 100).conflictsWith(touched(0, 200)));
    }

    @Test
    void aLaunchIsTheSameOnlyWithAllOfItsArguments() {
        Entry.Launch one = launch(1, 2), other = launch(1, 3);
        assertTrue(one.isSame(launch(1, 2)));
        assertFalse(one.isSame(other));
        assertFalse(one.isSame(new Entry.Copy(1, 2, 3)));
        assertTrue(new Entry.Copy(1, 2, 3).isSame(new Entry.Copy(1, 2, 3)));
        assertFalse(new Entry.Fill(1, (byte) 0, 3).isSame(new Entry.Fill(1, (byte) 0, 4)));
        assertEquals("k", one.name());
    }

    @Test
    void updatesThatTouchNothingOfEachOtherBecomeOneLaunchWhereTheLastStands() {
        Entry.Copy other = new Entry.Copy(500, 600, 8);
        List<Entry> made = Capture.joined(List.of(update(0, 100, 1), other, update(20, 200, 2), update(40, 300, 3)));
        assertEquals(2, made.size());
        assertSame(other, made.get(0));
        Entry.Joint joint = (Entry.Joint) made.get(1);
        assertEquals(
                List.of(1L, 2L, 3L),
                joint.all().stream().map(l -> l.arguments()[0]).toList());
        assertTrue(joint.touched().conflictsWith(touched(100, 900)));
    }

    @Test
    void anUpdateWhoseResultIsReadBeforeTheLastStaysWhereItIs() {
        Entry.Copy reader = new Entry.Copy(100, 600, 8);
        List<Entry> made = Capture.joined(List.of(update(0, 100, 1), reader, update(20, 200, 2), update(40, 300, 3)));
        assertEquals(3, made.size());
        assertEquals(1, ((Entry.Launch) made.get(0)).arguments()[0]);
        assertEquals(2, ((Entry.Joint) made.get(2)).all().size());
    }

    @Test
    void twoUpdatesOfOneVariableKeepTheirOrder() {
        List<Entry> made = Capture.joined(List.of(update(0, 100, 1), update(20, 100, 2)));
        assertEquals(2, made.size());
        List<Entry> three = Capture.joined(List.of(update(0, 100, 1), update(20, 100, 2), update(40, 300, 3)));
        assertEquals(2, three.size());
        assertEquals(1, ((Entry.Launch) three.get(0)).arguments()[0]);
    }

    @Test
    void numbersOfARunAreTheSameEntryWhateverTheyAreAndStandInNoGraph() {
        Entry.Fresh one = new Entry.Fresh(null, 100, new long[] {1, 2}),
                other = new Entry.Fresh(null, 100, new long[] {3, 4});
        assertTrue(one.isSame(other));
        assertFalse(one.isSame(new Entry.Fresh(null, 200, new long[] {1, 2})));
        assertFalse(one.isSame(new Entry.Fresh(null, 100, new long[] {1})));
        Entry.Copy reader = new Entry.Copy(100, 600, 8);
        assertEquals(List.of(reader), Capture.joined(List.of(one, reader)));
    }

    private static Entry.Launch update(long read, long written, long argument) {
        return new Entry.Launch(
                "update",
                7,
                1,
                1,
                256,
                new long[] {argument},
                touched(read, written),
                new Entry.Together("descent", () -> 8L, 4));
    }

    private static Entry.Launch launch(long... arguments) {
        return new Entry.Launch("k", 7, 1, 1, 256, arguments, touched(0, 0), null);
    }
}
