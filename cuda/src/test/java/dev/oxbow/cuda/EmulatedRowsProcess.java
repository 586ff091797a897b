package dev.oxbow.cuda;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.UnsortedSegmentSum;
import dev.oxbow.ops.state.ResourceScatterAdd;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Changes rows by lists of indices, some of them often, on the first card and on the CPU, and says where bits differ. */
final class EmulatedRowsProcess {
    private static final int ROWS = 50;
    private static final int ENTRIES = 400;

    private EmulatedRowsProcess() {}

    private static Tensor numbers(DType d, Random random, int rows, int columns) {
        Tensor t = Tensor.allocate(d, Shape.of(rows, columns));
        for (long i = 0; i < t.size(); i++) t.set(i, random.nextGaussian());
        return t;
    }

    /** The table after two scatters, then the sums of segments. */
    private static float[] changed(Engine engine, DType d, int columns, boolean often) {
        Random random = new Random(columns);
        Ops ops = Ops.in(new Graph());
        int[] chosen = new int[ENTRIES];
        for (int i = 0; i < chosen.length; i++) chosen[i] = often && i % 3 > 0 ? 7 : random.nextInt(ROWS);
        Parameter table = Parameter.of("table", ops.constant(numbers(d, random, ROWS, columns)));
        Value rows = ops.constant(numbers(d, random, ENTRIES, columns)),
                indices = ops.constant(Tensor.of(Shape.of(ENTRIES), chosen));
        Node add =
                ops.graph().add(new ResourceScatterAdd(), List.of(table.handle().edge(), indices.edge(), rows.edge()));
        Value sums = Value.apply(new UnsortedSegmentSum(), rows, indices, ops.constant(DType.I32, ROWS));
        Value both = Value.concat(0, table.value(), sums).cast(DType.F32);
        try (Session s = Session.open(ops.graph(), engine)) {
            s.target(table.initialiser()).run();
            for (int i = 0; i < 2; i++) s.target(add).run();
            try (Tensor t = s.fetch(both.edge()).run().get(0)) {
                return t.floats();
            }
        }
    }

    public static void main(String[] words) {
        for (int columns : new int[] {1, 3, 8, 32, 33, 200})
            for (DType d : List.of(DType.F32, DType.F64, DType.BF16))
                for (boolean often : new boolean[] {false, true})
                    try (Engine card = new Engine(EngineOptions.defaults());
                            Engine cpu = CardModel.onlyCpu()) {
                        boolean same = Arrays.equals(changed(cpu, d, columns, often), changed(card, d, columns, often));
                        if (!same)
                            System.out.println("WRONG: " + columns + " columns of " + d + (often ? ", often" : ""));
                    }
        System.out.println("fallbacks " + Fallback.runs());
    }
}
