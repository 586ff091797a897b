package dev.oxbow.cuda;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.RowWise;
import dev.oxbow.graph.Spanning;
import dev.oxbow.graph.Updating;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.RowProgram;
import dev.oxbow.kernels.expr.cuda.CudaText;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.math.UnsortedSegmentSum;
import dev.oxbow.ops.nn.AvgPoolGrad;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.Shadow;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.Formula;
import dev.oxbow.runtime.HostKernel;
import dev.oxbow.runtime.Order;
import dev.oxbow.tensor.Fabric;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.ToLongFunction;

/** A card as a device of an engine: memory of its own on it, its stream, and the kernels that it has. */
final class CudaDevice implements Device {
    /** What a card does while one byte passes to the host or back: some 250e12 of half precision at 50 GB/s. */
    private static final double WORK_PER_BYTE = 5000;

    /** Rewrites that are left out, by their names, to look for one that is wrong or slow. */
    private static final List<String> WITHOUT =
            List.of(System.getProperty("oxbow.cuda.without", "").split(","));

    static final Fusing FUSING = new Fusing(1000, 64, 24, true);

    private final Card card;
    private final Order order;
    private final DeviceSpec spec;
    private final MemoryPool memory;
    private final Parking parking;
    private final Parallel parallel;
    private final Containers containers = new Containers();
    private Fabric fabric;

    /** The {@code index}-th card of a task; {@code parallel} are the threads on which the host does what the card can not. */
    CudaDevice(Card card, String task, int index, Parallel parallel) {
        this.card = card.forEngine();
        this.order = new CudaOrder(this.card);
        this.parallel = parallel;
        long incarnation = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        this.spec = new DeviceSpec(task + "/device:GPU:" + index, "GPU", incarnation, card.memoryInBytes);
        this.memory = new MemoryPool("GPU:" + index, new EngineSpace(this.card), budget(card));
        this.parking = new Parking(
                new MemoryPool("host memory of GPU:" + index, new ParkingSpace(this.card), Long.MAX_VALUE),
                WORK_PER_BYTE);
    }

    /** What plans may take: nine tenths of what is free now, or {@code -Doxbow.cuda.memory} bytes. */
    private static long budget(Card card) {
        Long wanted = Long.getLong("oxbow.cuda.memory");
        if (wanted != null) return wanted;
        card.enter();
        return Driver.freeMemory() / 10 * 9;
    }

    @Override
    public DeviceSpec spec() {
        return spec;
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
        return order;
    }

    @Override
    public Parallel parallel() {
        return parallel;
    }

    @Override
    public Containers containers() {
        return containers;
    }

    @Override
    public boolean takesOnHost(Op op, int input) {
        return switch (op) {
            case Spanning s when s.spans() -> false;
            case ReadVariableOp _, Shadow _, AssignVariableOp _, Updating _, RowWise _ -> false;
            case Reducing _ -> input > 0;
            case Elementwise e -> input >= e.operands(input + 1);
            case GatherV2 _, UnsortedSegmentSum _ -> input == 2;
            case AvgPoolGrad _ -> input == 0;
            default ->
                byName(op) == null
                        || Movers.reads(op, input)
                        || ConvolutionKernels.reads(op, input)
                        || LstmKernels.reads(op, input)
                        || RandomKernels.isDrawn(op);
        };
    }

    @Override
    public List<Rewrite> rewrites() {
        DnnRunner dnn = card.dnn();
        return rewrites(dnn == null ? null : new FlashAttention(card.major, dnn::workspace));
    }

    private static List<Rewrite> wanted(List<Rewrite> all) {
        return all.stream().filter(r -> !WITHOUT.contains(r.name())).toList();
    }

    /** Those of a card with this attention; null for none. */
    static List<Rewrite> rewrites(FlashAttention attention) {
        List<Rewrite> all = new ArrayList<>(OpRegistry.get().rewrites());
        if (attention != null) all.add(attention);
        all.add(new OpenNorms());
        all.add(new Gelus());
        all.add(new Epilogues());
        return wanted(all);
    }

    @Override
    public List<Rewrite> lastRewrites() {
        DnnRunner dnn = card.dnn();
        return lastRewrites(dnn == null ? _ -> -1 : dnn::room);
    }

    /** Those where attention has so much room beside its results, or -1; a gradient is a product of the library, not made by an update piece by piece. */
    static List<Rewrite> lastRewrites(ToLongFunction<AttentionPlan> room) {
        return wanted(List.of(new JoinedHeads(room), new Prune(), new FusedUpdates(), new Again(), new Prune()));
    }

    @Override
    public Kernel kernel(Op op) {
        Kernel own = switch (op) {
            case Spanning s when s.spans() -> c -> s.spanning(fabric()).run(c);
            case ReadVariableOp r -> r.cpu();
            case Shadow s -> s.by(this::cast);
            case AssignVariableOp a -> new Assign(card, a);
            case Updating u when u.rowInput() < 0 -> new UpdateKernel(card, u);
            case Reducing r -> new ReductionKernels(card, r);
            case RowWise r -> new RowKernels(card, r);
            case Elementwise e -> new ElementwiseKernels(card, e);
            default -> byName(op);
        };
        if (own != null) return own;
        return op.view() >= 0 ? HostKernel.of(op) : Fallback.guarded(card, op); // a view moves nothing
    }

    private void cast(KernelContext c, Tensor from, Tensor to) {
        List<Expr> value = List.of(Expr.input(0, from.dtype()).cast(to.dtype()));
        new CardElementwise(card, "cast", value, false).run(to.shape(), new Tensor[] {from}, new Tensor[] {to});
    }

    /** What joins this card with others; found when it is first wanted. */
    private synchronized Fabric fabric() {
        if (fabric == null) fabric = new NcclFabric(card);
        return fabric;
    }

    /** The kernel of an op that is no formula; null where there is none. */
    private Kernel byName(Op op) {
        if (!CardOps.has(op.getClass())) return null;
        Kernel found = Products.of(card, op);
        if (found == null) found = Movers.of(card, op);
        if (found == null) found = Windows.of(card, op);
        if (found == null) found = ConvolutionKernels.of(card, op);
        if (found == null) found = NormKernels.of(card, op);
        if (found == null) found = AttentionKernels.of(card, op);
        if (found == null) found = LstmKernels.of(card, op);
        if (found == null) found = RandomKernels.of(card, op);
        if (found == null) found = RowUpdates.of(card, op);
        return found != null ? found : Indexing.of(card, op);
    }

    @Override
    public Fusing fusing() {
        return FUSING;
    }

    @Override
    public boolean fusesRows() {
        return true;
    }

    @Override
    public Map<String, Long> counts() {
        Map<String, Long> all = new LinkedHashMap<>();
        all.put("graphs", card.commands.graphs());
        all.put("kernels by themselves", card.commands.launches());
        all.put("ops by the host", Fallback.runs());
        all.put("bytes in", card.space.bytesIn());
        all.put("bytes out", card.space.bytesOut());
        return all;
    }

    private Kernel rows(Formula f) {
        Formula.Rows r = f.rows();
        RowProgram program = r.formula().recomputed();
        for (RowProgram.Pass p : program.passes)
            if (!CudaText.supports(p.values())) return new Fallback("a formula over rows", f.onHost());
        CardRows kernel = new CardRows(card, r.formula(), r.checked());
        int number = r.checked() < 0 ? 0 : card.faults.number(r.node(), r.op()::noColumn);
        long columns = f.shape().dim(-1), count = f.shape().size() / columns;
        return c -> kernel.run(count, columns, c.inputs(), c.outputs(), number);
    }

    @Override
    public Kernel fused(Formula f) {
        if (f.rows() != null) return rows(f);
        if (!CudaText.supports(f.expressions())) return new Fallback("a fused formula", f.onHost());
        if (f.operation() == null) {
            CardElementwise kernel = new CardElementwise(card, "fused over " + f.shape(), f.expressions(), false);
            return c -> kernel.run(c.outputs()[0].shape(), c.inputs(), c.outputs());
        }
        boolean product = f.operation() == Reduction.Operation.PROD
                && f.expressions().stream().anyMatch(e -> e.dtype().isComplex());
        if (product || f.shape().size() == 0) return new Fallback("a fused reduction", f.onHost());
        CardReduction kernel = new CardReduction(card, f.operation(), f.expressions());
        return c -> kernel.run(f.shape(), f.axes(), c.inputs(), c.outputs(), memory);
    }
}
