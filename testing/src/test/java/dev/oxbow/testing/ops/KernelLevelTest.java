package dev.oxbow.testing.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.KernelLevel;
import java.util.Locale;
import org.junit.jupiter.api.Test;

final class KernelLevelTest {
    @Test
    void theSuitesRunWithNativeKernelsUnlessToldOtherwise() {
        String told = System.getProperty("oxbow.kernels", ""), wish = told.isEmpty() ? "native" : told;
        assertEquals(KernelLevel.valueOf(wish.toUpperCase(Locale.ROOT)), KernelLevel.current());
        assertTrue(!wish.equals("native") || KernelLevel.describe().contains("BLAS"), KernelLevel.describe());
    }
}
