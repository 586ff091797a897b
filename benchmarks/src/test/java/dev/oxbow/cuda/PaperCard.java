package dev.oxbow.cuda;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Updating;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Assembler;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.RowProgram;
import dev.oxbow.kernels.expr.cuda.CudaText;
import dev.oxbow.kernels.expr.interpret.Program;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.runtime.CpuDevice;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.Formula;
import dev.oxbow.runtime.Order;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.testing.QueueDevice;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A card that exists on paper: graphs are compiled for it as for a real one, its programs are noted, and the host computes. */
public final class PaperCard implements Device {
    private final QueueDevice queue;
    private final Map<String, Program> programs = new LinkedHashMap<>();
    private final List<Formula> refused = new ArrayList<>();
    private final Set<String> ops = new HashSet<>();

    public PaperCard(CpuDevice cpu) {
        this.queue = new QueueDevice(cpu);
    }

    /** The programs of all kernels that were made so far, by their text. */
    public synchronized Map<String, Program> programs() {
        return new LinkedHashMap<>(programs);
    }

    /** The fused kernels for which a card would ask the host. */
    public synchronized List<Formula> refused() {
        return List.copyOf(refused);
    }

    private synchronized void note(Program p) {
        programs.put(CudaText.function("value", p), p);
    }

    private void note(List<Expr> formulas) {
        note(Assembler.assemble(formulas));
    }

    @Override
    public Kernel fused(Formula f) {
        if (f.rows() != null) {
            for (RowProgram.Pass p : f.rows().formula().recomputed().passes)
                if (CudaText.supports(p.values())) note(p.program());
                else refuse(f);
        } else if (!CudaText.supports(f.expressions())) refuse(f);
        else if (f.operation() == null) note(f.expressions());
        else {
            Reduction.Parts p = Reduction.parts(f.operation(), f.expressions());
            note(p.values());
            note(p.results());
        }
        return queue.fused(f);
    }

    private synchronized void refuse(Formula f) {
        refused.add(f);
    }

    /** The names of ops that kernels were asked for. */
    public synchronized Set<String> ops() {
        return new HashSet<>(ops);
    }

    @Override
    public Kernel kernel(Op op) {
        synchronized (this) {
            ops.add(op.signature().name());
        }
        if (op instanceof Updating u) {
            List<Expr> inputs = new ArrayList<>();
            for (int i = 0; i < u.signature().inputs().size(); i++)
                inputs.add(Expr.input(i, u instanceof FusedUpdate f ? f.types().get(i) : DType.F32));
            List<Expr> made = u.rowInput() < 0 ? u.updates(inputs) : List.of();
            if (!made.isEmpty() && CudaText.supports(made)) note(made);
        }
        return queue.kernel(op);
    }

    @Override
    public List<Rewrite> rewrites() {
        return CudaDevice.rewrites(new FlashAttention(9, _ -> 0));
    }

    @Override
    public List<Rewrite> lastRewrites() {
        return CudaDevice.lastRewrites(_ -> 0);
    }

    @Override
    public Fusing fusing() {
        return CudaDevice.FUSING;
    }

    @Override
    public boolean fusesRows() {
        return true;
    }

    @Override
    public DeviceSpec spec() {
        return queue.spec();
    }

    @Override
    public MemoryPool memory() {
        return queue.memory();
    }

    @Override
    public Parking parking() {
        return queue.parking();
    }

    @Override
    public Order order() {
        return queue.order();
    }

    @Override
    public Parallel parallel() {
        return queue.parallel();
    }

    @Override
    public Containers containers() {
        return queue.containers();
    }
}
