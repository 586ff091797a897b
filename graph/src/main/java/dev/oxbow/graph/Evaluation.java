package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** Runs one pure op on given values, outside of any session: for constant folding, planning and tests of kernels. */
public final class Evaluation {
    /** The bytes of strings that are looked at without need: their number alone says nothing of their size. */
    private static final long MOST_TEXT = 1 << 20;

    private Evaluation() {}

    /** The outputs of {@code op} on borrowed inputs; the caller owns them, with a Cleaner as backstop. */
    public static List<Tensor> run(Op op, String name, List<Tensor> inputs) {
        return runWithin(op, name, inputs, Long.MAX_VALUE, Double.MAX_VALUE);
    }

    /** As {@link #run}; null where inputs have much text, or outputs more elements or take more work than this. */
    public static List<Tensor> runWithin(Op op, String name, List<Tensor> inputs, long mostElements, double mostWork) {
        for (Tensor t : inputs) if (mostElements < Long.MAX_VALUE && text(t) > MOST_TEXT) return null;
        try {
            return outputs(op, name, inputs, mostElements, mostWork);
        } catch (OxbowException e) {
            throw e.at(op.signature().name(), null, null);
        }
    }

    private static List<Tensor> outputs(Op op, String name, List<Tensor> inputs, long mostElements, double mostWork) {
        List<TensorType> types = new ArrayList<>();
        for (Tensor t : inputs) types.add(TensorType.of(t));
        OpSignature.Binding binding = op.signature().bind(op.attributes(), types);
        ValueInference inference = new ValueInference(inputs, binding);
        List<TensorType> outputs = op.infer(inference);
        boolean isKnown = true;
        for (TensorType t : outputs) {
            isKnown &= t.shape().isFullyKnown();
            if (t.shape().isFullyKnown() && t.shape().size() > mostElements) return null;
        }
        if (isKnown && mostWork < Double.MAX_VALUE && op.work(inference, outputs) > mostWork) return null;
        Context c = new Context(op, name, inputs, outputs);
        op.cpu().run(c);
        if (c.deferred) throw new OxbowException(FAILED_PRECONDITION, "waits, so it needs a session");
        for (int i = 0; i < c.outputs.length; i++) {
            if (c.outputs[i] == null) throw new OxbowException(INTERNAL, "gave no output " + i);
            c.outputs[i].guarded();
        }
        return Arrays.asList(c.outputs);
    }

    private static long text(Tensor t) {
        long bytes = 0;
        if (t.dtype() == DType.STRING) for (Object o : t.objects()) bytes += ((byte[]) o).length;
        return bytes;
    }

    /** Output {@code port} of the op, or null when it cannot be computed here. */
    static Tensor tryRun(Op op, String name, List<Tensor> inputs, int port, long mostElements) {
        try {
            List<Tensor> outputs = runWithin(op, name, inputs, mostElements, mostElements * mostElements);
            return outputs == null ? null : outputs.get(port);
        } catch (RuntimeException | OutOfMemoryError e) {
            return null;
        }
    }

    /** Inference when every input value is at hand. */
    public static final class ValueInference implements InferenceContext {
        private final List<Tensor> inputs;
        private final OpSignature.Binding binding;

        public ValueInference(List<Tensor> inputs, OpSignature.Binding binding) {
            this.inputs = inputs;
            this.binding = binding;
        }

        @Override
        public int inputCount() {
            return inputs.size();
        }

        @Override
        public TensorType input(int i) {
            return TensorType.of(inputs.get(i));
        }

        @Override
        public Tensor constant(int i) {
            return inputs.get(i);
        }

        @Override
        public int outputCount() {
            return binding.outputTypes().size();
        }

        @Override
        public DType outputDtype(int i) {
            return binding.outputTypes().get(i);
        }

        @Override
        public FunctionLibrary functions() {
            return new FunctionLibrary();
        }
    }

    private static final class Context implements KernelContext {
        private final String name;
        private final List<Tensor> inputs;
        private final List<TensorType> types;
        private final Tensor[] outputs;
        private boolean deferred;

        Context(Op op, String name, List<Tensor> inputs, List<TensorType> types) {
            this.name = name;
            this.inputs = inputs;
            this.types = types;
            outputs = new Tensor[types.size()];
            for (int i = 0; i < outputs.length; i++) {
                TensorType t = types.get(i);
                if (t.isAllocatable() && !op.suppliesOutputs()) allocate(i, t.shape());
            }
        }

        @Override
        public int inputCount() {
            return inputs.size();
        }

        @Override
        public Tensor input(int i) {
            return inputs.get(i);
        }

        @Override
        public int outputCount() {
            return outputs.length;
        }

        @Override
        public Tensor output(int i) {
            return KernelContext.known(i, outputs[i]);
        }

        @Override
        public boolean isAllocated(int i) {
            return outputs[i] != null;
        }

        @Override
        public Tensor allocate(int i, Shape shape) {
            return outputs[i] = temporary(types.get(i).dtype(), shape);
        }

        @Override
        public void set(int i, Tensor value) {
            if (outputs[i] != null) outputs[i].release();
            outputs[i] = value;
        }

        @Override
        public void forward(int i, int input) {
            forward(i, input, inputs.get(input).shape());
        }

        @Override
        public void forward(int i, int input, Shape shape) {
            set(i, inputs.get(input).view(shape));
        }

        @Override
        public Tensor keep(int i) {
            return inputs.get(i).retain();
        }

        @Override
        public boolean mayOverwrite(int i) {
            return false;
        }

        @Override
        public Tensor temporary(DType dtype, Shape shape) {
            return memory().tensor(dtype, shape, name);
        }

        @Override
        public MemoryPool memory() {
            return MemoryPool.shared();
        }

        @Override
        public Parallel parallel() {
            return Parallel.SERIAL;
        }

        @Override
        public String node() {
            return name;
        }

        @Override
        public Completion defer() {
            deferred = true;
            return new Completion() {
                @Override
                public void done() {
                    deferred = false;
                }

                @Override
                public void fail(Throwable error) {
                    throw new OxbowException(FAILED_PRECONDITION, String.valueOf(error), error);
                }
            };
        }

        @Override
        public Cancellation cancellation() {
            return new Cancellation();
        }

        @Override
        public Containers containers() {
            throw needsSession();
        }

        @Override
        public Containers stepContainers() {
            throw needsSession();
        }

        @Override
        public <T> T state(Supplier<T> initial) {
            return initial.get();
        }

        @Override
        public Rendezvous rendezvous() {
            throw needsSession();
        }

        @Override
        public String frameAndIteration() {
            return "0:0";
        }

        @Override
        public long stepId() {
            return 0;
        }

        @Override
        public FunctionCaller functions() {
            throw needsSession();
        }

        @Override
        public <T> T service(Class<T> type) {
            throw needsSession();
        }

        private OxbowException needsSession() {
            return new OxbowException(FAILED_PRECONDITION, name + ": needs a session");
        }
    }
}
