package dev.oxbow.runtime.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Order;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs whose devices find out later that something was wrong. */
final class InFlightTest {

    /** A device that tells once what it has found, to whoever waits for it. */
    private static final class Finding implements Device, Order, Order.Event {
        private final CpuDevice cpu;
        private OxbowException found;

        Finding(CpuDevice cpu) {
            this.cpu = cpu;
        }

        @Override
        public Order order() {
            return this;
        }

        @Override
        public Order.Event mark() {
            return this;
        }

        @Override
        public boolean isReached() {
            return true;
        }

        @Override
        public void await() {
            OxbowException e = found;
            found = null;
            if (e != null) throw e;
        }

        @Override
        public DeviceSpec spec() {
            return cpu.spec();
        }

        @Override
        public MemoryPool memory() {
            return cpu.memory();
        }

        @Override
        public Parallel parallel() {
            return cpu.parallel();
        }

        @Override
        public Containers containers() {
            return cpu.containers();
        }

        @Override
        public Kernel kernel(Op op) {
            return cpu.kernel(op);
        }
    }

    private static Finding device(Engine engine, int i) {
        return (Finding) engine.devices().get(i);
    }

    private static Engine engine() {
        Engine e = new Engine(
                EngineOptions.defaults(),
                (o, width) -> List.of(
                        new Finding(new CpuDevice(o.task(), 0, Long.MAX_VALUE, width)),
                        new Finding(new CpuDevice(o.task(), 1, Long.MAX_VALUE, width))));
        for (int i = 0; i < 2; i++)
            device(e, i).found = new OxbowException(ErrorCode.INVALID_ARGUMENT, "found by device " + i);
        return e;
    }

    @Test
    void aRunHasAllThatItsDevicesFindAndTheNextOneNothing() {
        try (Engine engine = engine()) {
            OxbowException first = device(engine, 0).found, second = device(engine, 1).found;
            InFlight runs = new InFlight(engine, 0);
            OxbowException e = assertThrows(OxbowException.class, () -> runs.ended(true));
            assertSame(first, e);
            assertArrayEquals(new Throwable[] {second}, e.getSuppressed());
            assertDoesNotThrow(() -> runs.ended(true));
        }
    }

    @Test
    void whatDevicesFindInARunThatHasFailedIsNotTheNextOnes() {
        try (Engine engine = engine()) {
            OxbowException first = device(engine, 0).found, second = device(engine, 1).found;
            InFlight runs = new InFlight(engine, 0);
            var why = new OxbowException(ErrorCode.ABORTED, "another reason");
            runs.failed(why);
            assertArrayEquals(new Throwable[] {first, second}, why.getSuppressed());
            assertDoesNotThrow(() -> runs.ended(true));
        }
    }
}
