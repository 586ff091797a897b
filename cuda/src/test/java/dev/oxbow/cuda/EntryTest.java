package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

    private static Entry.Launch launch(long... arguments) {
        return new Entry.Launch("k", 7, 1, 1, 256, arguments, touched(0, 0));
    }
}
