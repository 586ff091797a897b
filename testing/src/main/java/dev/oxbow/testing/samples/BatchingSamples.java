package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Samples of batches of calls; numbers of calls are drawn, so nobody fetches them. */
public final class BatchingSamples extends SampleFamily {
    private static final long SOON = 1000;
    private static final long LONG = 10_000_000;

    @Override
    public String name() {
        return "batching";
    }

    @Override
    protected void define() {
        batches();
        functions();
    }

    private static Node batch(Program p, long rows, List<Long> sizes, Edge... values) {
        return p.add(
                named(
                        "Batch",
                        "num_batch_threads",
                        1L,
                        "max_batch_size",
                        rows,
                        "batch_timeout_micros",
                        SOON,
                        "grad_timeout_micros",
                        LONG,
                        "allowed_batch_sizes",
                        sizes),
                values);
    }

    private void batches() {
        for (List<Long> sizes : List.of(List.<Long>of(), List.of(2L, 4L, 10L)))
            program("Batch", p -> {
                Node b = batch(
                        p, 10, sizes, p.constant(floats(1, 3, 2)), p.constant(Tensor.of(Shape.of(3), "a", "b", "c")));
                p.fetch(b.edge(0), b.edge(1));
            });
        for (Tensor wrong : List.of(floats(2, 4), floats(4, 11, 2)))
            program("Batch", p -> {
                Node b = batch(p, 10, List.of(), p.constant(wrong), p.constant(ints(1, 2, 3)));
                p.fetch(b.edge(0));
            });
        program("Unbatch", p -> {
            Node b = batch(p, 5, List.of(), p.constant(floats(5, 3, 2)));
            Node u = p.add(named("Unbatch", "timeout_micros", LONG), b.edge(0), b.edge(1), b.edge(2));
            p.fetch(u.edge(0));
        });
        program("Unbatch", p -> {
            Node u = p.add(
                    named("Unbatch", "timeout_micros", SOON),
                    p.constant(floats(6, 0, 2)),
                    p.constant(Tensor.zeros(DType.I64, Shape.of(0, 3))),
                    p.constant(Tensor.scalar(7L)));
            p.fetch(u.edge(0));
        });
        program("UnbatchGrad", p -> {
            Node b = batch(p, 5, List.of(), p.constant(floats(7, 3, 2)));
            Node u = p.add(
                    named("UnbatchGrad", "shared_name", "back"),
                    b.edge(0),
                    b.edge(1),
                    p.constant(floats(8, 3, 2)),
                    b.edge(2));
            p.fetch(u.edge(0));
        });
    }

    private static Node call(Program p, long rows, List<Long> sizes, boolean split, Tensor... values) {
        TensorType row = new TensorType(DType.F32, Shape.of(-1, 2)), offset = new TensorType(DType.F32, Shape.SCALAR);
        FunctionRef f = new FunctionRef(Ops.in(p.graph())
                .function(
                        "f",
                        List.of(row, offset),
                        v -> List.of(v.get(0).plus(v.get(1)), v.get(0).times(v.get(0))))
                .name());
        List<Edge> edges = new ArrayList<>();
        for (Tensor t : values) edges.add(p.constant(t));
        edges.add(p.constant(Tensor.scalar(0.5f)));
        return p.add(
                named(
                        "BatchFunction",
                        "f",
                        f,
                        "num_batch_threads",
                        1L,
                        "max_batch_size",
                        rows,
                        "batch_timeout_micros",
                        SOON,
                        "allowed_batch_sizes",
                        sizes,
                        "Tin",
                        List.of(DType.F32),
                        "Tcaptured",
                        List.of(DType.F32),
                        "Tout",
                        List.of(DType.F32, DType.F32),
                        "enable_large_batch_splitting",
                        split),
                edges.toArray(Edge[]::new));
    }

    private void functions() {
        for (List<Long> sizes : List.of(List.<Long>of(), List.of(4L, 8L)))
            for (int n : new int[] {1, 3, 8, 9})
                program("BatchFunction", p -> {
                    Node b = call(p, 8, sizes, false, floats(9, n, 2));
                    p.fetch(b.edge(0), b.edge(1));
                });
    }
}
