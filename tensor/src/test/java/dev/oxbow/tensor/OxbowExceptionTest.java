package dev.oxbow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

/** An error keeps where it happened as fields, and makes its message of them. */
final class OxbowExceptionTest {
    private final OxbowException error = new OxbowException(ErrorCode.OUT_OF_RANGE, "3 is too much");

    @Test
    void theMessageIsMadeOfTheTextAndWhatIsKnownOfThePlace() {
        assertEquals("3 is too much", error.getMessage());
        assertEquals("Add: 3 is too much (node a)", error.at("Add", "a", null).getMessage());
        OxbowException known =
                error.at("Add", "a", "A.java:3").in("/job:worker/task:1").by(2);
        assertEquals("Add: 3 is too much (node a, made at A.java:3, in /job:worker/task:1)", known.getMessage());
        assertEquals("3 is too much", known.text());
        assertEquals(2, known.rank());
        assertNull(error.node());
        assertEquals(-1, error.rank());
    }

    @Test
    void thePlaceNearestToTheFaultStays() {
        OxbowException first = error.at("Add", "a", null).in("/job:worker/task:1");
        assertSame(first, first.at("Call", "b", "B.java:1"));
        assertSame(first, first.in("/job:worker/task:0"));
        OxbowException function = error.at("function f", null, null).at("Call", "c", null);
        assertEquals("function f: 3 is too much (node c)", function.getMessage());
    }

    @Test
    void whatIsSaidOfAnErrorLaterKeepsItsStackAndItsFields() {
        error.addSuppressed(new IllegalStateException());
        OxbowException more = error.at("Add", "a", null).by(1).saying("no");
        assertEquals("Add: no (node a)", more.getMessage());
        assertEquals(1, more.rank());
        assertArrayEquals(error.getStackTrace(), more.getStackTrace());
        assertArrayEquals(error.getSuppressed(), more.getSuppressed());
    }

    @Test
    void anErrorThatIsThrownAgainHasItsFieldsAndTheFirstAsItsCause() {
        OxbowException known = error.at("Add", "a", "A.java:3").by(2);
        OxbowException again = known.rethrown();
        assertEquals(known.getMessage(), again.getMessage());
        assertEquals(known.code(), again.code());
        assertEquals(2, again.rank());
        assertSame(known, again.getCause());
    }
}
