package dev.oxbow.runtime.run;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Completion;
import dev.oxbow.graph.Containers;
import dev.oxbow.graph.FunctionCaller;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.PlacesInputs;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Const;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.plan.Recording;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A kernel's view of its step. Kept with its iteration and used again by later steps. */
final class InstructionContext implements KernelContext, Completion {
    private static final int RUNNING = 0;
    private static final int WAITING = 1;
    private static final int COMPLETED = 2;

    private final Instruction instruction;
    private final Iteration iteration;
    private final Device device;
    private Parallel parallel;
    final Tensor[] inputs;
    final Tensor[] outputs;
    private final boolean[] owned;

    /** Whether a plan keeps inputs and outputs in place from run to run. */
    private final boolean bound;

    /** Inputs that the kernel has kept. */
    final boolean[] kept;

    /** Copies of inputs that inference or the kernel read, where those do not lie on the host; else null. */
    private List<Tensor> onHost;

    /** By input: what a plan knows it to be, on the host; null where it knows none. */
    private Tensor[] known;

    private boolean deferred;
    private Consumer<Throwable> whenCompleted;
    private volatile Throwable failure;
    private final AtomicInteger progress = new AtomicInteger();

    /** Whether a receive got the news that its value is dead. */
    boolean receivedDead;

    /** What its op infers; null where a plan has done so. */
    private final RunTypes types;

    InstructionContext(Instruction instruction, Iteration iteration) {
        this(instruction, iteration, new Tensor[instruction.in.length], new Tensor[instruction.out.length], false);
    }

    /** The context of a kernel that a plan has bound to its operands; {@code then} is called when it completes late. */
    InstructionContext(
            Instruction instruction, Iteration iteration, Tensor[] inputs, Tensor[] outputs, Consumer<Throwable> then) {
        this(instruction, iteration, inputs, outputs, true);
        whenCompleted = then;
    }

    private InstructionContext(
            Instruction instruction, Iteration iteration, Tensor[] inputs, Tensor[] outputs, boolean bound) {
        this.instruction = instruction;
        this.iteration = iteration;
        this.device = iteration.memory.device;
        this.parallel = device.parallel();
        this.inputs = inputs;
        this.outputs = outputs;
        this.bound = bound;
        owned = new boolean[inputs.length];
        kept = new boolean[inputs.length];
        types = bound ? null : new RunTypes(instruction, inputs, this::onHost);
    }

    private DeviceStep step() {
        return iteration.frame.step;
    }

    boolean isDeferred() {
        return deferred;
    }

    /** Whether a deferred kernel is done already, and ready to run again; throws what it failed with. */
    boolean hasCompleted() {
        deferred = false;
        if (progress.compareAndSet(RUNNING, WAITING)) return false;
        Throwable e = failure;
        begin();
        if (e != null) throw e instanceof RuntimeException r ? r : new OxbowException(INTERNAL, e.toString(), e);
        return true;
    }

    /** Marks an input as a reference of this context's own, to be released after the kernel. */
    void own(int i) {
        owned[i] = true;
    }

    void dropOutput(int i) {
        if (outputs[i] != null) outputs[i].release();
        outputs[i] = null;
    }

    void begin() {
        deferred = false;
        receivedDead = false;
        failure = null;
        progress.setPlain(RUNNING);
    }

    /** Runs the instruction's kernel; false when it was deferred and {@code then} will be called. */
    boolean run(Consumer<Throwable> then) {
        takeInputs();
        allocateOutputs();
        return run(instruction.kernel, then);
    }

    boolean run(Kernel kernel, Consumer<Throwable> then) {
        whenCompleted = then;
        try {
            kernel.run(this);
        } catch (Throwable e) {
            if (!deferred) {
                drop();
                throw e;
            }
            fail(e);
        }
        if (!deferred) return true;
        if (progress.compareAndSet(RUNNING, WAITING)) return false;
        if (failure == null) return true;
        drop();
        throw failure instanceof RuntimeException r ? r : new OxbowException(INTERNAL, failure.toString(), failure);
    }

    /** Takes what a receive got, null for the news that it is dead; why it can not, else null. */
    Throwable receive(Tensor value) {
        receivedDead = value == null;
        try {
            if (value != null) set(0, value);
            return null;
        } catch (Throwable e) {
            return e;
        }
    }

    /** Runs a call that was not inlined; false when it goes on without this thread. */
    boolean call(Consumer<Throwable> then) {
        takeInputs();
        return run(c -> Calls.start(instruction.node, this), then);
    }

    @Override
    public void done() {
        if (progress.getAndSet(COMPLETED) == WAITING) whenCompleted.accept(null);
    }

    @Override
    public void fail(Throwable error) {
        failure = error;
        if (progress.getAndSet(COMPLETED) == WAITING) {
            if (!bound) drop();
            whenCompleted.accept(error);
        }
    }

    void takeInputs() {
        Tensor[] values = iteration.values;
        int[] in = instruction.in;
        for (int i = 0; i < in.length; i++) {
            Tensor t = values[in[i]];
            if (instruction.deref[i]) {
                t = Routing.dereference(t, device);
                owned[i] = true;
            }
            inputs[i] = t;
        }
    }

    /** Checks what inference demands of the inputs, whose shapes are all known now, and allocates what it knows. */
    private void allocateOutputs() {
        TensorType[] known = types.infer();
        if (known == null) return;
        for (int i = 0; i < outputs.length; i++) {
            TensorType t = known[i];
            if (t.isAllocatable()) outputs[i] = memory().tensor(t.dtype(), t.shape(), instruction);
        }
    }

    /** What the kernel did, for planning, as long as it holds its inputs. */
    Recording.Ran record() {
        return types.ran(kept);
    }

    /** Moves the outputs into their slots. */
    void giveOutputs(Tensor[] values) {
        if (step().session.checksNumerics()) Numerics.check(outputs);
        for (int i = 0; i < outputs.length; i++) {
            Tensor t = outputs[i];
            require(t != null, INTERNAL, "the kernel gave no output %d", i);
            outputs[i] = null;
            int slot = instruction.out[i];
            if (slot >= 0) values[slot] = t;
            else t.release();
        }
        releaseInputs();
    }

    /** Releases whatever this context still holds. */
    void drop() {
        for (int i = 0; i < outputs.length; i++) {
            if (outputs[i] != null) outputs[i].release();
            outputs[i] = null;
        }
        releaseInputs();
    }

    /** Releases inputs that are this context's own, and forgets those that are not bound. */
    void releaseInputs() {
        for (int i = 0; i < inputs.length; i++) {
            if (owned[i] && inputs[i] != null) inputs[i].release();
            owned[i] = false;
            if (!bound) inputs[i] = null;
        }
        if (onHost != null) onHost.forEach(Tensor::release);
        onHost = null;
    }

    @Override
    public Tensor[] inputs() {
        return inputs;
    }

    @Override
    public Tensor[] outputs() {
        return outputs;
    }

    @Override
    public int inputCount() {
        return inputs.length;
    }

    @Override
    public Tensor input(int i) {
        return inputs[i];
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
        Tensor t = temporary(instruction.node.output(i).dtype(), shape);
        set(i, t);
        return t;
    }

    @Override
    public void set(int i, Tensor value) {
        TensorType declared = instruction.node.output(i);
        if (value.dtype() != declared.dtype() && !declared.isRef()) {
            String message =
                    "output " + i + " is declared as " + declared.dtype() + ", the kernel gave " + value.describe();
            value.release();
            throw new OxbowException(INVALID_ARGUMENT, message);
        }
        if (value.isGuarded())
            throw new OxbowException(INTERNAL, "output " + i + " is a user's tensor, not the kernel's to give");
        if (bound && outputs[i] != null && outputs[i].buffer().isLent()) {
            value.copyTo(outputs[i]);
            value.release();
            return;
        }
        if (outputs[i] != null) outputs[i].release();
        outputs[i] = instruction.onHost ? Routing.toHost(value) : device.adopt(value);
    }

    @Override
    public void forward(int i, int input) {
        set(i, inputs[input].retain());
    }

    @Override
    public void forward(int i, int input, Shape shape) {
        set(i, inputs[input].view(shape));
    }

    @Override
    public Tensor keep(int i) {
        Tensor t = inputs[i];
        kept[i] = true;
        if (!t.buffer().isLent()) return t.retain();
        Tensor copy = memory().tensor(t.dtype(), t.shape(), instruction);
        t.copyTo(copy);
        return copy;
    }

    @Override
    public boolean mayOverwrite(int i) {
        if (bound || instruction.deref[i] || !inputs[i].buffer().isUnique()) return false;
        int slot = instruction.in[i];
        for (int k = 0; k < inputs.length; k++) if (k != i && instruction.in[k] == slot) return false;
        for (int s : instruction.release) if (s == slot) return true;
        return false;
    }

    @Override
    public Tensor temporary(DType dtype, Shape shape) {
        return memory().tensor(dtype, shape, instruction);
    }

    @Override
    public MemoryPool memory() {
        return instruction.onHost ? MemoryPool.shared() : device.memory();
    }

    @Override
    public Parallel parallel() {
        return parallel;
    }

    /** Says that input {@code i} always is this value of the host. */
    void know(int i, Tensor value) {
        if (known == null) known = new Tensor[inputs.length];
        known[i] = value;
    }

    /** Whether the kernel has read inputs on the host that are to be given back. */
    boolean hasRead() {
        return onHost != null;
    }

    /** Has the kernel use no other threads. */
    void runAlone() {
        parallel = Parallel.SERIAL;
    }

    @Override
    public String node() {
        return instruction.node.name();
    }

    @Override
    public Completion defer() {
        deferred = true;
        return this;
    }

    @Override
    public Cancellation cancellation() {
        return step().context.cancellation();
    }

    @Override
    public Containers containers() {
        return device.containers();
    }

    @Override
    public String device() {
        return device.name();
    }

    @Override
    public Containers stepContainers() {
        return step().scope.containers();
    }

    @Override
    public <T> T state(Supplier<T> initial) {
        return step().session.nodeState(instruction.node.stateName(), initial);
    }

    @Override
    public Rendezvous rendezvous() {
        return step().context.rendezvous();
    }

    @Override
    public String frameAndIteration() {
        return Long.toUnsignedString(iteration.frame.id) + ":" + iteration.number;
    }

    @Override
    public long stepId() {
        return step().context.id();
    }

    @Override
    public FunctionCaller functions() {
        DeviceStep step = step();
        StepCaller.Calling within = (library, function, arguments, then) -> {
            BiConsumer<List<Tensor>, Throwable> back =
                    (results, error) -> Ready.current().giveBack(step, () -> giveBack(then, results, error));
            try {
                step.session.call(step.scope, library, function, arguments, back);
            } catch (Throwable e) {
                giveBack(then, null, e);
            }
        };
        return new StepCaller(instruction.node.graph().functions(), within, step.session::start);
    }

    private void giveBack(BiConsumer<List<Tensor>, Throwable> then, List<Tensor> results, Throwable error) {
        try {
            then.accept(results, error);
        } catch (Throwable e) {
            fail(e);
        }
    }

    @Override
    public PlacesInputs.Places places() {
        return iteration.places(instruction);
    }

    @Override
    public <T> T service(Class<T> type) {
        T service = step().session.service(type);
        require(
                service != null,
                FAILED_PRECONDITION,
                "needs a %s, which the session has not: open it with SessionOptions.withService(%s.class, ...)",
                type.getSimpleName(),
                type.getSimpleName());
        return service;
    }

    @Override
    public Tensor onHost(int i) {
        Tensor t = inputs[i];
        if (t.isIn(Space.HOST)) return t;
        if (known != null && known[i] != null) return known[i];
        if (!bound && instruction.node.input(i).node().op() instanceof Const c) return c.value();
        if (onHost == null) onHost = new ArrayList<>();
        onHost.add(t.toHost());
        return onHost.getLast();
    }
}
