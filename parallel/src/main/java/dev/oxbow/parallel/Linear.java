package dev.oxbow.parallel;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.ExpandDims;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.array.Pad;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.array.Slice;
import dev.oxbow.ops.array.Snapshot;
import dev.oxbow.ops.array.Split;
import dev.oxbow.ops.array.SplitV;
import dev.oxbow.ops.array.Squeeze;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.ops.array.StridedSliceGrad;
import dev.oxbow.ops.array.Tile;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.ops.array.Unpack;
import dev.oxbow.ops.flow.PreventGradient;
import dev.oxbow.ops.flow.StopGradient;
import dev.oxbow.ops.linalg.BatchMatMulV2;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.math.AccumulateNV2;
import dev.oxbow.ops.math.Add;
import dev.oxbow.ops.math.AddN;
import dev.oxbow.ops.math.AddV2;
import dev.oxbow.ops.math.Cast;
import dev.oxbow.ops.math.Div;
import dev.oxbow.ops.math.Mean;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.math.Neg;
import dev.oxbow.ops.math.RealDiv;
import dev.oxbow.ops.math.Sub;
import dev.oxbow.ops.math.Sum;
import dev.oxbow.ops.math.UnsortedSegmentSum;
import dev.oxbow.parallel.ops.Piece;
import java.util.Set;

/** The ops that give a sum of results for a sum of inputs, so that summands pass through them. */
final class Linear {
    private static final Set<Class<? extends Op>> ADDITIVE =
            Set.of(Add.class, AddV2.class, Sub.class, AddN.class, AccumulateNV2.class, Pack.class);
    private static final Set<Class<? extends Op>> IN_FIRST = Set.of(
            Identity.class,
            Neg.class,
            Reshape.class,
            ExpandDims.class,
            Squeeze.class,
            Transpose.class,
            Sum.class,
            Mean.class,
            BroadcastTo.class,
            Slice.class,
            StridedSlice.class,
            SplitV.class,
            Unpack.class,
            Pad.class,
            Tile.class,
            Snapshot.class,
            StopGradient.class,
            PreventGradient.class,
            GatherV2.class,
            Piece.class,
            UnsortedSegmentSum.class,
            RealDiv.class,
            Div.class);
    private static final Set<Class<? extends Op>> PRODUCTS = Set.of(Mul.class, MatMul.class, BatchMatMulV2.class);

    private Linear() {}

    /** Whether the op is linear in all inputs of a kind together, so that one that everybody has counts once. */
    static boolean isAdditive(Node n, int input) {
        if (n.op() instanceof ConcatV2) return input < n.inputCount() - 1;
        return ADDITIVE.contains(n.op().getClass());
    }

    /** Whether the op is linear in this input, the others being what everybody has. */
    static boolean isIn(Node n, int input) {
        Class<? extends Op> c = n.op().getClass();
        if (n.op() instanceof Cast)
            return n.output(0).dtype().isFloating() && n.input(0).type().dtype().isFloating();
        if (n.op() instanceof Split) return input == 1;
        if (n.op() instanceof StridedSliceGrad) return input == 4;
        if (!n.input(input).type().dtype().isFloating() && n.op() instanceof Div) return false;
        return IN_FIRST.contains(c) && input == 0 || PRODUCTS.contains(c);
    }
}
