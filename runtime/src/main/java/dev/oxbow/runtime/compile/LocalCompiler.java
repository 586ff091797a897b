package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.graph.pass.Expand;
import dev.oxbow.graph.pass.FetchedLast;
import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Infer;
import dev.oxbow.graph.pass.JoinedNodes;
import dev.oxbow.graph.pass.LateReads;
import dev.oxbow.graph.pass.Loosen;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Space;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The second half of compilation, from a part to the program of its device, which is one of this process. */
public final class LocalCompiler {
    /** One part of so many of a memory budget is not planned for. */
    public static final int MARGIN = 32;

    private final Device device;
    private final boolean optimise;
    private final boolean plans;
    private final Foresight foresight;
    private final List<FitMemory.Report> reports = new ArrayList<>(1);

    private LocalCompiler(Device device, SessionOptions options, Foresight foresight) {
        this.device = device;
        this.optimise = options.optimise();
        this.plans = options.plans() && options.optimise();
        this.foresight = foresight;
    }

    /** The program of a part; where the device has a memory budget, changed so that a step fits what is left of it. */
    public static DeviceProgram compile(
            Part part, Device device, SessionOptions options, Foresight foresight, Stages stages) {
        return stages.named(() -> new LocalCompiler(device, options, foresight).compile(part.graph(), stages));
    }

    private DeviceProgram compile(Subgraph s, Stages stages) {
        MemoryPool memory = device.memory();
        boolean fit = memory.budgetInBytes() < Long.MAX_VALUE;
        // a variable may share a constant's memory until its first update
        long used = fit ? Math.max(memory.bytesInUse(), stateBytes(s.graph())) + suppliedBytes(s.graph()) : 0;
        long left = Math.max(0, memory.budgetInBytes() - used);
        Subgraph made = stages.run(rewrites(fit, left), s);
        DeviceProgram.Fitted fitted = fit ? new DeviceProgram.Fitted(used, reports.getLast()) : null;
        return Scheduler.schedule(made.graph(), device, fitted);
    }

    private List<Rewrite> rewrites(boolean fit, long left) {
        List<Rewrite> all = new ArrayList<>();
        all.add(new LateReads());
        if (optimise) all.addAll(List.of(new Loosen(true), new Prune()));
        // what lies in memory of others is on the host, and not in the estimates of a budget
        if (optimise && !fit && device.space() == Space.HOST) all.add(new Expand());
        // before shapes of feeds are known: with a memory budget sums have the same bits; powers and axes are constants
        if (optimise) all.add(new Fold());
        if (optimise)
            for (Rewrite r : device.rewrites())
                all.add(fit ? r.within(device.memory().budgetInBytes()) : r);
        if (fit) all.add(new Infer());
        if (optimise) all.addAll(List.of(new Fold(), new Deduplicate()));
        // what folded constants wait for, and early readers of what is fetched, cut kernels of several nodes
        boolean whole = optimise && device.fusesRows() && device.space() != Space.HOST;
        if (whole) all.add(new Loosen(true));
        if (optimise) all.add(new Prune());
        if (whole) all.add(new FetchedLast());
        if (optimise) all.addAll(device.lastRewrites());
        long usable = Math.max(0, left - left / MARGIN);
        if (fit) all.addAll(List.of(new Infer(), new FitMemory(usable, new Machine(), reports::add)));
        if (device.space() != Space.HOST) all.add(new Residence(device));
        return all;
    }

    /** The bytes of what is fed and of constants, where they are copied to the device. */
    private long suppliedBytes(Graph graph) {
        long sum = 0;
        for (Node n : graph.nodes()) {
            if (device.space() == Space.HOST || !(n.op() instanceof Arg || n.op() instanceof Const)) continue;
            TensorType t = n.output(0);
            if (t.isAllocatable() && !t.dtype().isObject()) sum += MemoryPool.blockSize(t.byteSize());
        }
        return sum;
    }

    /** The device, for who makes steps fit its memory; of kernels of several nodes on the host nothing is told. */
    private final class Machine implements FitMemory.Machine {
        @Override
        public int[] regions(Graph g) {
            return Scheduler.regionNumbers(g);
        }

        @Override
        public JoinedNodes joined(Graph g) {
            if (!plans || device.space() == Space.HOST) return null;
            return foresight.of(g, Scheduler.schedule(g, device, null));
        }

        @Override
        public double workPerByte() {
            return device.parking() == null ? -1 : device.parking().work();
        }
    }

    /** The bytes of the variables of a graph, as far as their shapes are known. */
    public static long stateBytes(Graph graph) {
        Map<Op, Long> sizes = new HashMap<>();
        for (Node n : graph.nodes()) {
            if (n.inputCount() > 0) continue;
            for (TensorType t : n.outputs()) {
                TensorType held = t.dtype() == DType.RESOURCE && t.behind().size() == 1
                        ? t.behind().getFirst()
                        : t.isRef() ? t.deref() : null;
                if (held != null && held.isAllocatable() && !held.dtype().isObject())
                    sizes.put(n.op(), MemoryPool.blockSize(held.byteSize()));
            }
        }
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }
}
