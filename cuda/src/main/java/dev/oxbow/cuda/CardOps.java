package dev.oxbow.cuda;

import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.RowWise;
import dev.oxbow.graph.Updating;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.ExpandDims;
import dev.oxbow.ops.array.Fill;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.array.Pad;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.array.Slice;
import dev.oxbow.ops.array.Split;
import dev.oxbow.ops.array.Squeeze;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.ops.array.Unpack;
import dev.oxbow.ops.array.ZerosLike;
import dev.oxbow.ops.linalg.BatchMatMul;
import dev.oxbow.ops.linalg.BatchMatMulV2;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.math.UnsortedSegmentSum;
import dev.oxbow.ops.nn.AvgPool;
import dev.oxbow.ops.nn.AvgPoolGrad;
import dev.oxbow.ops.nn.BatchNorms;
import dev.oxbow.ops.nn.BlockLSTM;
import dev.oxbow.ops.nn.BlockLSTMGrad;
import dev.oxbow.ops.nn.BlockLSTMGradV2;
import dev.oxbow.ops.nn.BlockLSTMV2;
import dev.oxbow.ops.nn.Conv2D;
import dev.oxbow.ops.nn.Conv2DBackpropFilter;
import dev.oxbow.ops.nn.Conv2DBackpropFilterV2;
import dev.oxbow.ops.nn.Conv2DBackpropInput;
import dev.oxbow.ops.nn.Conv2DBackpropInputV2;
import dev.oxbow.ops.nn.DepthwiseConv2dNative;
import dev.oxbow.ops.nn.DepthwiseConv2dNativeBackpropFilter;
import dev.oxbow.ops.nn.DepthwiseConv2dNativeBackpropInput;
import dev.oxbow.ops.nn.MaxPool;
import dev.oxbow.ops.nn.MaxPoolGrad;
import dev.oxbow.ops.random.Filling;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.ResourceGather;
import dev.oxbow.ops.state.ScatterUpdates;
import dev.oxbow.ops.state.Shadow;
import java.util.List;
import java.util.Set;

/** The ops that a card has kernels for; one that is not here runs on the host. */
final class CardOps {

    /** Families whose ops are formulas, or are all done alike. */
    private static final List<Class<?>> FAMILIES = List.of(
            Elementwise.class,
            Reducing.class,
            RowWise.class,
            Updating.class,
            BatchNorms.Forward.class,
            BatchNorms.Gradient.class,
            ScatterUpdates.Rows.class);

    private static final Set<Class<?>> OPS = Set.of(
            // products
            MatMul.class,
            BatchMatMul.class,
            BatchMatMulV2.class,
            Linear.class,
            LinearGelu.class,
            LinearGeluGrad.class,
            // movers, and what moves nothing
            Transpose.class,
            ConcatV2.class,
            Pack.class,
            Split.class,
            Unpack.class,
            Slice.class,
            Pad.class,
            Fill.class,
            ZerosLike.class,
            Reshape.class,
            ExpandDims.class,
            Squeeze.class,
            Identity.class,
            // windows
            Conv2D.class,
            Conv2DBackpropInput.class,
            Conv2DBackpropInputV2.class,
            Conv2DBackpropFilter.class,
            Conv2DBackpropFilterV2.class,
            DepthwiseConv2dNative.class,
            DepthwiseConv2dNativeBackpropInput.class,
            DepthwiseConv2dNativeBackpropFilter.class,
            MaxPool.class,
            MaxPoolGrad.class,
            AvgPool.class,
            AvgPoolGrad.class,
            NormStatistics.class,
            // attention
            Attention.class,
            AttentionGrad.class,
            // cells over time
            BlockLSTM.class,
            BlockLSTMV2.class,
            BlockLSTMGrad.class,
            BlockLSTMGradV2.class,
            // rows by index
            GatherV2.class,
            ResourceGather.class,
            UnsortedSegmentSum.class,
            // variables
            ReadVariableOp.class,
            Shadow.class,
            AssignVariableOp.class);

    private CardOps() {}

    /** Whether a card has a kernel for an op of this class, if not for all of its dtypes and attributes. */
    static boolean has(Class<?> op) {
        boolean drawn = Filling.class.isAssignableFrom(op) && !Changing.class.isAssignableFrom(op);
        return drawn || OPS.contains(op) || FAMILIES.stream().anyMatch(f -> f.isAssignableFrom(op));
    }
}
