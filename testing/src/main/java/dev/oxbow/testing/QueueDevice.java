package dev.oxbow.testing;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.DelegatingContext;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Spanning;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.kernels.expr.interpret.Primitive;
import dev.oxbow.ops.ElementwiseCpu;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.Shadow;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.Formula;
import dev.oxbow.runtime.HostKernel;
import dev.oxbow.runtime.Order;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * A device for tests that is as an accelerator is: the host can not address its memory, and its kernels (formulas, a few
 * movers, products, reads and updates of variables) only enqueue their work. The host does all others.
 */
public final class QueueDevice implements Device {
    /** What can fail for some integers, which this device can not tell a step. */
    private static final Set<Primitive> FALLIBLE =
            EnumSet.of(Primitive.DIV, Primitive.REM, Primitive.UDIV, Primitive.UREM, Primitive.IPOW);

    private static final double WORK_PER_BYTE = 4;

    private final CpuDevice cpu;
    private final QueueSpace space = new QueueSpace("QUEUE");
    private final QueueSpace aside = new QueueSpace("HOST OF QUEUE", space);
    private final MemoryPool memory;
    private final Parking parking;
    private final boolean parks;
    private final AtomicLong enqueued = new AtomicLong();

    /** In the place of a CPU, with its name, budget and containers; kernels of the host run on its threads. */
    public QueueDevice(CpuDevice cpu) {
        this(cpu, false);
    }

    /** As above; with {@code parks}, some values wait on the host by chance, whether there is need or not. */
    public QueueDevice(CpuDevice cpu, boolean parks) {
        this.cpu = cpu;
        this.parks = parks;
        this.memory = new MemoryPool("QUEUE", space, cpu.memory().budgetInBytes());
        this.parking = new Parking(new MemoryPool("HOST OF QUEUE", aside, Long.MAX_VALUE), WORK_PER_BYTE);
    }

    /** How many kernels of its own were put into its queue. */
    public long enqueued() {
        return enqueued.get();
    }

    /** How many bytes came from it to the host. */
    public long takenOut() {
        return space.takenOut();
    }

    /** How many bytes were parked so far. */
    public long parked() {
        return aside.moved();
    }

    /** How many bytes came to it from other devices, and from where they were parked. */
    public long movedIn() {
        return space.moved();
    }

    /** Has its queue fail, as hardware does. */
    public void lose(String why) {
        space.later(() -> {
            throw new OxbowException(ErrorCode.INTERNAL, why);
        });
    }

    @Override
    public DeviceSpec spec() {
        return cpu.spec();
    }

    @Override
    public MemoryPool memory() {
        return memory;
    }

    @Override
    public Parking parking() {
        return parking;
    }

    @Override
    public Order order() {
        return space;
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
    public List<Rewrite> lastRewrites() {
        List<Rewrite> all = new ArrayList<>(Device.super.lastRewrites());
        if (parks) all.add(new ParkByChance());
        return all;
    }

    @Override
    public Kernel kernel(Op op) {
        return switch (op) {
            case Spanning s when s.spans() -> s.spanning(space.fabric());
            case MatMul m -> ofNumbers(op);
            case Transpose t -> ofNumbers(op);
            case ConcatV2 c -> ofNumbers(op);
            case ReadVariableOp r -> op.cpu();
            case Shadow s -> s.by(this::cast);
            case AssignVariableOp a -> op.cpu();
            case AssignAddVariableOp a -> adding(op);
            case Elementwise e when op.cpu() instanceof ElementwiseCpu -> elementwise(e);
            default -> null;
        };
    }

    @Override
    public Kernel fused(Formula f) {
        boolean checks = f.rows() != null && f.rows().checked() >= 0;
        return checks || canFail(f.expressions()) ? null : later(f.onHost());
    }

    @Override
    public boolean fusesRows() {
        return true;
    }

    private Kernel elementwise(Elementwise op) {
        Kernel own = later(op.cpu()), host = new HostKernel(op.cpu());
        return c -> {
            List<Expr> inputs = new ArrayList<>();
            for (int i = 0; i < c.inputCount(); i++)
                inputs.add(Expr.input(i, c.input(i).dtype()));
            (canFail(op.expressions(inputs)) ? host : own).run(c);
        };
    }

    private Kernel ofNumbers(Op op) {
        Kernel own = later(op.cpu()), host = new HostKernel(op.cpu());
        return c -> (c.input(0).dtype().isObject() ? host : own).run(c);
    }

    private Kernel adding(Op op) {
        Kernel host = new HostKernel(op.cpu());
        return c -> {
            Variable v = ResourceHandle.resource(c.input(0), Variable.class);
            Tensor value = c.input(1);
            if (!v.isInitialised()
                    || v.dtype() != value.dtype()
                    || !v.valueShape().equals(value.shape())) {
                host.run(c);
                return;
            }
            Expr x = Expr.input(0, value.dtype()), y = Expr.input(1, value.dtype());
            ElementwiseKernel sum = ElementwiseKernel.of(x.plus(y));
            v.update(memory, t -> {
                Tensor[] in = {space.seen(t), space.seen(value)}, out = {in[0]};
                enqueue(() -> sum.run(Parallel.SERIAL, out[0].shape(), in, out));
            });
        };
    }

    private void cast(KernelContext c, Tensor from, Tensor to) {
        Tensor x = space.seen(from), y = space.seen(to);
        ElementwiseKernel cast = ElementwiseKernel.of(Expr.input(0, x.dtype()).cast(y.dtype()));
        enqueue(() -> cast.run(Parallel.SERIAL, y.shape(), new Tensor[] {x}, new Tensor[] {y}));
    }

    private static boolean canFail(List<Expr> expressions) {
        return Expr.nodes(expressions).stream()
                .anyMatch(e -> FALLIBLE.contains(e.op()) && e.kind().isInteger());
    }

    /** A kernel of the host that runs in the queue, over this device's memory. */
    private Kernel later(Kernel kernel) {
        return c -> {
            Seen seen = new Seen(c, space);
            enqueue(() -> kernel.run(seen));
        };
    }

    private void enqueue(Runnable work) {
        enqueued.incrementAndGet();
        space.later(work);
    }

    /** The operands of a call as they are now, for the queue's thread; the context itself is used again meanwhile. */
    private static final class Seen extends DelegatingContext {
        private final Tensor[] inputs;
        private final Tensor[] outputs;

        Seen(KernelContext c, QueueSpace space) {
            super(c);
            inputs = IntStream.range(0, c.inputCount())
                    .mapToObj(i -> space.seen(c.input(i)))
                    .toArray(Tensor[]::new);
            outputs = IntStream.range(0, c.outputCount())
                    .mapToObj(i -> space.seen(c.output(i)))
                    .toArray(Tensor[]::new);
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
        public Tensor[] inputs() {
            return inputs;
        }

        @Override
        public int outputCount() {
            return outputs.length;
        }

        @Override
        public Tensor output(int i) {
            return outputs[i];
        }

        @Override
        public Tensor[] outputs() {
            return outputs;
        }

        @Override
        public boolean isAllocated(int i) {
            return true;
        }

        @Override
        public MemoryPool memory() {
            return MemoryPool.shared();
        }

        @Override
        public Parallel parallel() {
            return Parallel.SERIAL;
        }
    }
}
