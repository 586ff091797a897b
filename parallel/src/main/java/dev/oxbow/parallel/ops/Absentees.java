package dev.oxbow.parallel.ops;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.TreeSet;

/**
 * The numbers of those of so many workers for whom others wait in a container of a server, rising; where {@code staleness} is not
 * negative, of those that are more steps than that behind the furthest.
 */
@Signature(
        "Absentees() -> (missing: int64) {gate: string; container: string = \"\"; workers: int >= 1; staleness: int = -1}"
                + " stateful")
public record Absentees(String gate, String container, int workers, int staleness)
        implements NotDifferentiable, Asking, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I64, Shape.of(-1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Containers all = c.containers();
            TreeSet<Long> missing = new TreeSet<>();
            for (String g : all.names(container, Gate.class))
                if (g.equals(gate)) all.lookup(container, g, Gate.class).addMissing(workers, staleness, missing);
            for (String a : all.names(container, Assembly.class))
                all.lookup(container, a, Assembly.class).addMissing(workers, missing);
            Tensor t = c.temporary(DType.I64, Shape.of(missing.size()));
            int i = 0;
            for (long worker : missing) t.setLong(i++, worker);
            c.set(0, t);
        };
    }
}
