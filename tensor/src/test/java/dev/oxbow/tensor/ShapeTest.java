package dev.oxbow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class ShapeTest {

    @Test
    void sizeIsTheProductEvenWhenADimensionIsZero() {
        assertEquals(24, Shape.of(2, 3, 4).size());
        assertEquals(1, Shape.SCALAR.size());
        assertEquals(0, Shape.of(Long.MAX_VALUE, 4, 0).size());
    }

    @Test
    void aProductBeyond63BitsIsAnError() {
        var e = assertThrows(
                OxbowException.class, () -> Shape.of(1L << 40, 1L << 40).size());
        assertEquals("Shape: [1099511627776,1099511627776] has more than 2^63 elements", e.getMessage());
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    }

    @Test
    void broadcastFollowsNumPyAndKeepsUnknownDimensionsOpen() {
        assertEquals(Shape.of(5, 2, 3), Shape.broadcast(Shape.of(2, 1), Shape.of(5, 1, 3)));
        assertEquals(Shape.of(-1, 3), Shape.broadcast(Shape.of(-1, 1), Shape.of(3)));
        assertEquals(Shape.of(4, 3), Shape.broadcast(Shape.of(-1, 3), Shape.of(4, 1)));
        assertEquals(Shape.UNKNOWN, Shape.broadcast(Shape.UNKNOWN, Shape.of(2)));
        assertNull(Shape.broadcast(Shape.of(2), Shape.of(3)));
        assertEquals(Shape.of(0), Shape.broadcast(Shape.of(0), Shape.of(1)));
    }

    @Test
    void mergeCombinesKnowledgeAndNoticesContradictions() {
        assertEquals(Shape.of(2, 3), Shape.of(2, -1).merge(Shape.of(-1, 3)));
        assertEquals(Shape.of(2), Shape.UNKNOWN.merge(Shape.of(2)));
        assertNull(Shape.of(2).merge(Shape.of(3)));
        assertNull(Shape.of(2).merge(Shape.of(2, 1)));
    }

    @Test
    void generaliseKeepsWhatBothSay() {
        assertEquals(Shape.of(2, -1), Shape.of(2, 3).generalise(Shape.of(2, 4)));
        assertEquals(Shape.UNKNOWN, Shape.of(2).generalise(Shape.of(2, 4)));
    }

    @Test
    void unknownShapesAnswerWithoutFailing() {
        assertEquals(-1, Shape.UNKNOWN.rank());
        assertEquals(-1, Shape.UNKNOWN.dim(3));
        assertFalse(Shape.UNKNOWN.isFullyKnown());
        assertTrue(Shape.of(-1, 2).isCompatibleWith(Shape.of(7, 2)));
        assertEquals("[?,2]", Shape.of(-1, 2).toString());
        assertEquals("<unknown>", Shape.UNKNOWN.toString());
    }
}
