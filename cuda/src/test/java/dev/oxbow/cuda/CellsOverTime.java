package dev.oxbow.cuda;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.nn.BlockLSTM;
import dev.oxbow.ops.nn.BlockLSTMV2;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** A layer of LSTM cells over time with all of its results and gradients, on a card and on the CPU. */
final class CellsOverTime {

    /** Of {@code time} steps {@code length} are taken. */
    record Sizes(boolean version2, int time, int length, int batch, int inputs, int cells) {}

    /** How far the largest difference is, and whether all runs on the card gave the same bits. */
    record Compared(double off, boolean repeats) {}

    /** Few cells, not a multiple of four, a batch of several parts, weights that do not fit into shared memory, and nothing at all. */
    static final List<Sizes> ALL = List.of(
            new Sizes(true, 5, 5, 3, 4, 8),
            new Sizes(false, 6, 4, 5, 3, 10),
            new Sizes(true, 3, 3, 70, 6, 13),
            new Sizes(true, 2, 2, 4, 5, 128),
            new Sizes(false, 3, 1, 2, 2, 16),
            new Sizes(true, 3, 0, 2, 2, 4));

    static final double BOUND = 2e-5;
    private static final int RUNS = 5;

    private final Ops ops = Ops.in(new Graph());
    private final List<Value> results = new ArrayList<>();
    private final Map<Edge, Tensor> fed = new LinkedHashMap<>();

    CellsOverTime(Sizes z) {
        Random r = new Random(z.hashCode());
        List<Value> in = List.of(
                given(r, z.time, z.batch, z.inputs),
                given(r, z.batch, z.cells),
                given(r, z.batch, z.cells),
                given(r, z.inputs + z.cells, 4L * z.cells),
                given(r, z.cells),
                given(r, 4L * z.cells));
        Value none = in.get(4), length = ops.constant(Tensor.scalar((long) z.length));
        Value[] all = {length, in.get(0), in.get(1), in.get(2), in.get(3), none, none, none, in.get(5)};
        results.addAll(
                z.version2
                        ? Value.applyAll(new BlockLSTMV2(0.4f, false), all)
                        : Value.applyAll(new BlockLSTM(1, 0, false), all));
        Value loss = results.get(6)
                .square()
                .sum()
                .plus(results.get(1).times(given(r, 1)).sum());
        results.addAll(Gradients.of(loss, in.get(0), in.get(1), in.get(2), in.get(3), in.get(5)));
    }

    private Value given(Random r, long... shape) {
        float[] v = new float[(int) Shape.of(shape).size()];
        for (int i = 0; i < v.length; i++) v[i] = (float) (0.3 * r.nextGaussian());
        Value x = ops.placeholder("x" + fed.size(), DType.F32, Shape.of(shape));
        fed.put(x.edge(), Tensor.of(Shape.of(shape), v));
        return x;
    }

    Compared compared(Engine card, Engine cpu) {
        float[][] wanted = computed(cpu, 1).getFirst();
        List<float[][]> got = computed(card, RUNS);
        double off = 0;
        for (int i = 0; i < wanted.length; i++) {
            double most = 1e-3;
            for (float v : wanted[i]) most = Math.max(most, Math.abs(v));
            for (int k = 0; k < wanted[i].length; k++)
                off = Math.max(off, Math.abs(got.getFirst()[i][k] - wanted[i][k]) / most);
        }
        return new Compared(off, got.stream().allMatch(g -> Arrays.deepEquals(g, got.getFirst())));
    }

    private List<float[][]> computed(Engine engine, int runs) {
        List<float[][]> all = new ArrayList<>();
        Edge[] edges = results.stream().map(Value::edge).toArray(Edge[]::new);
        try (Session s = Session.open(ops.graph(), engine)) {
            for (int i = 0; i < runs; i++) {
                Session.Run run = s.fetch(edges);
                fed.forEach(run::feed);
                try (Results got = run.run()) {
                    all.add(IntStream.range(0, edges.length)
                            .mapToObj(k -> got.get(k).floats())
                            .toArray(float[][]::new));
                }
            }
        }
        return all;
    }
}
