package dev.oxbow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.oxbow.ops.linalg.Cholesky;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.math.Sum;
import dev.oxbow.ops.math.Tanh;
import dev.oxbow.ops.random.RandomUniform;
import dev.oxbow.ops.random.StatefulUniform;
import dev.oxbow.ops.state.SparseApplyAdagrad;
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
        assertEquals(
                List.of("CUDA: the driver", "CUDA: NVRTC", "CUDA: cuBLASLt", "CUDA: cuDNN", "CUDA: NCCL"),
                parts.subList(0, 5));
        assertTrue(parts.size() > 5, "and the cards, or why there are none");
    }

    @Test
    void withoutCuDnnThereIsOneSentence() {
        assumeFalse(Libraries.find(Libraries.Name.DNN).isThere(), "there is a cuDNN on this machine");
        assertEquals(
                "CUDA: cuDNN (libcudnn.so.9) was not found in -Doxbow.cuda.path, CUDA_HOME, the loader's path or Python's"
                        + " nvidia packages",
                Libraries.missingDnn());
        assertEquals("9.19.1", Libraries.text(91901));
    }

    @Test
    void withoutNcclThereIsOneSentence() {
        assumeFalse(Libraries.find(Libraries.Name.NCCL).isThere(), "there is an NCCL on this machine");
        assertEquals(
                "CUDA: NCCL (libnccl.so.2) was not found in -Doxbow.cuda.path, CUDA_HOME, the loader's path or Python's"
                        + " nvidia packages",
                Libraries.missingNccl());
    }

    @Test
    void theTableOfOpsKnowsWhatACardComputes() {
        for (Class<?> op : List.of(Tanh.class, Sum.class, MatMul.class, RandomUniform.class, SparseApplyAdagrad.class))
            assertTrue(new CudaDevices().has(op), op::getName);
        assertFalse(new CudaDevices().has(Cholesky.class));
        assertFalse(new CudaDevices().has(StatefulUniform.class), "its generator is a variable");
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
