package dev.oxbow.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class KernelLevelTest {
    @Test
    void withoutALibraryTheBestLevelIsVectorsUnlessToldOtherwise() {
        assertTrue(NativeLibrary.installed().isEmpty());
        String wish = System.getProperty("oxbow.kernels", "");
        assertEquals(
                wish.isEmpty() ? KernelLevel.VECTOR : KernelLevel.valueOf(wish.toUpperCase()), KernelLevel.current());
    }

    @Test
    void scalarKernelsUseNoVectors() {
        assertFalse(KernelLevel.SCALAR.usesVectors());
        assertTrue(KernelLevel.VECTOR.usesVectors());
        assertTrue(KernelLevel.NATIVE.usesVectors());
    }
}
