package dev.oxbow.graph.pass;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Makes {@code size} floats of any number of values; an op for tests, which nobody runs. */
@Signature("Make(x: N*float) -> (y: float) {N: int >= 0; size: int; writes: bool = false}")
public record Make(long size, boolean writes) implements Op {

    static Node in(Graph g, String name, long size, Node... inputs) {
        return g.add(new Make(size, false), name, edges(inputs));
    }

    static List<Edge> edges(Node... nodes) {
        return List.of(nodes).stream().map(n -> n.edge(0)).toList();
    }

    /** The bytes that a step holds for {@code size} floats. */
    static long bytes(long size) {
        return MemoryPool.blockSize(MemoryPool.byteSize(DType.F32, Shape.of(size)));
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.F32, Shape.of(size)));
    }

    @Override
    public Effects effects() {
        return writes ? Effects.WRITES : Effects.NONE;
    }

    @Override
    public Kernel cpu() {
        throw new UnsupportedOperationException();
    }
}
