package dev.oxbow.runtime;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.DelegatingContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;

/**
 * A kernel of the host on a device whose memory lies elsewhere: inputs come to the host, and outputs go there. Input
 * {@code view}, unless that is -1, stays where it is: its elements are handed on, nobody looks at them.
 */
public record HostKernel(Kernel kernel, int view) implements Kernel {

    /*
     * Inputs are copied when the kernel asks for them, so one that only hands them on costs nothing. Copying waits for
     * the device. Outputs are written to host memory, and copied when the kernel has completed. Variables come to the
     * host when it reads or updates them, since its memory is the host's, and go back when the device does.
     */

    public HostKernel(Kernel kernel) {
        this(kernel, -1);
    }

    /** The host's kernel of an op. */
    public static HostKernel of(Op op) {
        return new HostKernel(op.cpu(), op.view());
    }

    @Override
    public void run(KernelContext c) {
        Context host = new Context(c, view);
        try {
            kernel.run(host);
            if (host.deferred) return;
            host.giveOutputs();
        } catch (Throwable e) {
            host.release();
            throw e;
        }
        host.release();
    }

    private static final class Context extends DelegatingContext implements Completion {
        private final Tensor[] inputs;
        private final Tensor[] outputs;
        private final int view;
        private Completion done;
        private boolean deferred;

        Context(KernelContext c, int view) {
            super(c);
            this.view = view;
            inputs = new Tensor[c.inputCount()];
            outputs = new Tensor[c.outputCount()];
        }

        @Override
        public Tensor input(int i) {
            if (i == view) return c.input(i);
            if (inputs[i] == null) inputs[i] = c.onHost(i).retain();
            return inputs[i];
        }

        @Override
        public Tensor onHost(int i) {
            return input(i);
        }

        @Override
        public Tensor[] inputs() {
            Tensor[] all = new Tensor[inputs.length];
            for (int i = 0; i < all.length; i++) all[i] = input(i);
            return all;
        }

        @Override
        public Tensor output(int i) {
            if (outputs[i] == null) {
                Tensor t = c.output(i);
                if (t.isIn(Space.HOST)) return t;
                outputs[i] = temporary(t.dtype(), t.shape());
            }
            return outputs[i];
        }

        @Override
        public Tensor[] outputs() {
            for (int i = 0; i < outputs.length; i++) output(i);
            return outputs;
        }

        @Override
        public boolean isAllocated(int i) {
            return outputs[i] != null || c.isAllocated(i);
        }

        @Override
        public Tensor allocate(int i, Shape shape) {
            Tensor there = c.allocate(i, shape);
            return there.isIn(Space.HOST) ? there : (outputs[i] = temporary(there.dtype(), shape));
        }

        @Override
        public void set(int i, Tensor value) {
            drop(outputs, i);
            c.set(i, value);
        }

        @Override
        public Tensor keep(int i) {
            return c.input(i).isIn(Space.HOST) ? c.keep(i) : input(i).retain();
        }

        @Override
        public boolean mayOverwrite(int i) {
            return false;
        }

        @Override
        public Tensor temporary(DType dtype, Shape shape) {
            return memory().tensor(dtype, shape, node());
        }

        @Override
        public MemoryPool memory() {
            return MemoryPool.shared();
        }

        @Override
        public Completion defer() {
            deferred = true;
            done = c.defer();
            return this;
        }

        @Override
        public void done() {
            try {
                giveOutputs();
            } catch (Throwable e) {
                fail(e);
                return;
            }
            release();
            done.done();
        }

        @Override
        public void fail(Throwable error) {
            release();
            done.fail(error);
        }

        private void giveOutputs() {
            for (int i = 0; i < outputs.length; i++) if (outputs[i] != null) outputs[i].copyTo(c.output(i));
        }

        private void release() {
            for (int i = 0; i < inputs.length; i++) drop(inputs, i);
            for (int i = 0; i < outputs.length; i++) drop(outputs, i);
        }

        private static void drop(Tensor[] all, int i) {
            if (all[i] != null) all[i].release();
            all[i] = null;
        }
    }
}
