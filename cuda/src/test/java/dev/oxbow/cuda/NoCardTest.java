package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.oxbow.runtime.DeviceProvider.Finding;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A machine without a card: nothing but a sentence comes of it. */
final class NoCardTest {

    @Test
    void whatIsMissingIsSaidInOneSentenceEach() {
        for (Finding f : new CudaDevices().findings()) {
            if (f.isThere()) continue;
            assertTrue(f.text().length() > 20 && !f.text().contains("\n"), f::toString);
            assertFalse(f.text().contains("Exception"), f::toString);
        }
    }

    @Test
    void everyPartIsListed() {
        List<String> parts =
                new CudaDevices().findings().stream().map(Finding::part).toList();
        assertEquals(List.of("CUDA: the driver", "CUDA: NVRTC", "CUDA: cuBLASLt"), parts.subList(0, 3));
        assertTrue(parts.size() > 3, "and the cards, or why there are none");
    }

    @Test
    void anEngineHasItsCpuAllTheSame() {
        assumeFalse(Libraries.find(Libraries.Name.DRIVER).isThere(), "there is a driver on this machine");
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            assertEquals(
                    List.of("CPU"),
                    engine.devices().stream().map(d -> d.spec().type()).toList());
        }
        String driver = Libraries.find(Libraries.Name.DRIVER).missing();
        assertEquals("the driver (libcuda.so.1) was not found by the system's loader", driver);
    }
}
