package dev.oxbow.testing.samples;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.UnaryOperator;

/** Pieces of graphs with data sets. */
final class DatasetParts {
    static final List<DType> LONG = List.of(DType.I64);
    static final List<Shape> ANY = List.of(Shape.UNKNOWN);
    static final TensorType NUMBER = new TensorType(DType.I64, Shape.SCALAR);

    private DatasetParts() {}

    static Edge number(SampleFamily.Program p, long value) {
        return p.constant(Tensor.scalar(value));
    }

    static Edge flag(SampleFamily.Program p, boolean on) {
        return p.constant(Tensor.scalar(on));
    }

    static Edge range(SampleFamily.Program p, long start, long stop, long step) {
        return p.add(
                        SampleFamily.named(
                                "RangeDataset", "output_types", LONG, "output_shapes", List.of(Shape.SCALAR)),
                        number(p, start),
                        number(p, stop),
                        number(p, step))
                .edge(0);
    }

    static Edge unary(SampleFamily.Program p, String op, Edge from, Edge... more) {
        return unary(p, op, LONG, from, more);
    }

    static Edge unary(SampleFamily.Program p, String op, List<DType> types, Edge from, Edge... more) {
        Edge[] in = new Edge[more.length + 1];
        in[0] = from;
        System.arraycopy(more, 0, in, 1, more.length);
        List<Shape> shapes = types.stream().map(_ -> Shape.UNKNOWN).toList();
        return p.add(SampleFamily.named(op, "output_types", types, "output_shapes", shapes), in)
                .edge(0);
    }

    static Edge slices(SampleFamily.Program p, Tensor... tensors) {
        Edge[] in = new Edge[tensors.length];
        for (int i = 0; i < in.length; i++) in[i] = p.constant(tensors[i]);
        List<Shape> shapes = List.of(tensors).stream().map(_ -> Shape.UNKNOWN).toList();
        return p.add(SampleFamily.named("TensorSliceDataset", "output_shapes", shapes), in)
                .edge(0);
    }

    /** Vectors of 0, 1, 2, 3 and 4 elements. */
    static Edge ragged(SampleFamily.Program p) {
        return mapped(
                p,
                "MapDataset",
                range(p, 0, 5, 1),
                x -> Value.apply(
                        SampleFamily.named("Tile"),
                        Ops.in(x.graph()).constant(Tensor.of(Shape.of(1), 7L)),
                        x.reshape(1)));
    }

    static Edge padded(SampleFamily.Program p, String op, long length, Edge... more) {
        Edge[] in = new Edge[4 + more.length];
        in[0] = ragged(p);
        in[1] = number(p, 2);
        in[2] = p.constant(Tensor.of(Shape.of(1), length));
        in[3] = number(p, -9);
        System.arraycopy(more, 0, in, 4, more.length);
        return p.add(SampleFamily.named(op, "output_shapes", ANY, "N", 1L), in).edge(0);
    }

    static FunctionRef function(SampleFamily.Program p, String name, UnaryOperator<Value> f) {
        return new FunctionRef(Ops.in(p.graph())
                .function(name, List.of(NUMBER), v -> List.of(f.apply(v.get(0))))
                .name());
    }

    static Edge mapped(SampleFamily.Program p, String op, Edge from, UnaryOperator<Value> f, Edge... more) {
        return withFunction(p, op, "f", function(p, "mapped", f), from, more);
    }

    static Edge withFunction(SampleFamily.Program p, String op, String word, FunctionRef f, Edge from, Edge... more) {
        Edge[] in = new Edge[more.length + 1];
        in[0] = from;
        System.arraycopy(more, 0, in, 1, more.length);
        return p.add(
                        SampleFamily.named(
                                op, word, f, "output_types", LONG, "output_shapes", ANY, "Targuments", List.of()),
                        in)
                .edge(0);
    }

    /** Whether a number is no multiple of another. */
    static FunctionRef predicate(SampleFamily.Program p, long of) {
        return function(
                p,
                "predicate",
                x -> Value.apply(
                        SampleFamily.named("NotEqual"),
                        Value.apply(
                                SampleFamily.named("FloorMod"),
                                x,
                                Ops.in(x.graph()).constant(Tensor.scalar(of))),
                        Ops.in(x.graph()).constant(Tensor.scalar(0L))));
    }

    /** As many numbers as the element says. */
    static FunctionRef ranges(SampleFamily.Program p) {
        return function(p, "ranges", x -> {
            Ops ops = Ops.in(x.graph());
            return Value.apply(
                    SampleFamily.named("RangeDataset", "output_types", LONG, "output_shapes", List.of(Shape.SCALAR)),
                    ops.constant(Tensor.scalar(0L)),
                    x,
                    ops.constant(Tensor.scalar(1L)));
        });
    }
}
