package dev.oxbow.testing;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Completion;
import dev.oxbow.graph.Containers;
import dev.oxbow.graph.FunctionCaller;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

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
    private static final class Context implements KernelContext {
        private final KernelContext c;
        private final Completion done;
        private boolean deferred;

        Context(KernelContext c, Completion done) {
            this.c = c;
            this.done = done;
        }

        @Override
        public Completion defer() {
            deferred = true;
            return done;
        }

        @Override
        public int inputCount() {
            return c.inputCount();
        }

        @Override
        public Tensor input(int i) {
            return c.input(i);
        }

        @Override
        public int outputCount() {
            return c.outputCount();
        }

        @Override
        public Tensor output(int i) {
            return c.output(i);
        }

        @Override
        public boolean isAllocated(int i) {
            return c.isAllocated(i);
        }

        @Override
        public Tensor allocate(int i, Shape shape) {
            return c.allocate(i, shape);
        }

        @Override
        public void set(int i, Tensor value) {
            c.set(i, value);
        }

        @Override
        public void forward(int i, int input) {
            c.forward(i, input);
        }

        @Override
        public void forward(int i, int input, Shape shape) {
            c.forward(i, input, shape);
        }

        @Override
        public Tensor keep(int i) {
            return c.keep(i);
        }

        @Override
        public boolean mayOverwrite(int i) {
            return c.mayOverwrite(i);
        }

        @Override
        public Tensor temporary(DType dtype, Shape shape) {
            return c.temporary(dtype, shape);
        }

        @Override
        public MemoryPool memory() {
            return c.memory();
        }

        @Override
        public Parallel parallel() {
            return c.parallel();
        }

        @Override
        public String node() {
            return c.node();
        }

        @Override
        public Cancellation cancellation() {
            return c.cancellation();
        }

        @Override
        public Containers containers() {
            return c.containers();
        }

        @Override
        public Containers stepContainers() {
            return c.stepContainers();
        }

        @Override
        public <T> T state(Supplier<T> initial) {
            return c.state(initial);
        }

        @Override
        public Rendezvous rendezvous() {
            return c.rendezvous();
        }

        @Override
        public String frameAndIteration() {
            return c.frameAndIteration();
        }

        @Override
        public long stepId() {
            return c.stepId();
        }

        @Override
        public FunctionCaller functions() {
            return c.functions();
        }

        @Override
        public <T> T service(Class<T> type) {
            return c.service(type);
        }
    }
}
