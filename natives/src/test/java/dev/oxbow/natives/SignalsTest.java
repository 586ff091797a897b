package dev.oxbow.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that compute while a profiler looks at them. */
final class SignalsTest {

    @ParameterizedTest
    @ValueSource(strings = {"DEFAULT", "AVX2"})
    void signalsToAThreadThatComputesLeaveTheHeapAlone(String instructions) throws Exception {
        assumeTrue(Platform.isLinux() && Natives.hasOneDnn());
        Map<String, String> environment = Map.of("ONEDNN_MAX_CPU_ISA", instructions);
        assertEquals("[true, true, true]", Child.run(Signalled.class, true, environment, List.of()));
    }
}
