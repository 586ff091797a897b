package dev.oxbow.testing;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.Containers;
import dev.oxbow.graph.DelegatingContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.tensor.MemoryPool;
import java.util.concurrent.Executor;

/** A device for tests that completes every kernel later and on another thread, as an accelerator does. */
public final class DelayedDevice implements Device {
    private final CpuDevice cpu;
    private final Executor later;

    public DelayedDevice(CpuDevice cpu, Executor later) {
        this.cpu = cpu;
        this.later = later;
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
    public boolean defers() {
        return true;
    }

    @Override
    public Containers containers() {
        return cpu.containers();
    }

    @Override
    public Kernel kernel(Op op) {
        Kernel kernel = cpu.kernel(op);
        return c -> {
            Completion done = c.defer();
            later.execute(() -> {
                Context inner = new Context(c, done);
                try {
                    kernel.run(inner);
                } catch (Throwable e) {
                    if (!inner.deferred) done.fail(e);
                    else throw e;
                    return;
                }
                if (!inner.deferred) done.done();
            });
        };
    }

    /** The kernel's own context, but for a kernel that itself completes later. */
    private static final class Context extends DelegatingContext {
        private final Completion done;
        private boolean deferred;

        Context(KernelContext c, Completion done) {
            super(c);
            this.done = done;
        }

        @Override
        public Completion defer() {
            deferred = true;
            return done;
        }
    }
}
