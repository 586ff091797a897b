package dev.oxbow.ops.array;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Shapes, slices, joins, gathers and scatters: the list of this package's ops. */
public final class ArrayOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "BroadcastGradientArgs",
                "BroadcastTo",
                "Concat",
                "ConcatOffset",
                "ConcatV2",
                "ConjugateTranspose",
                "DynamicPartition",
                "DynamicStitch",
                "ExpandDims",
                "Fill",
                "Gather",
                "GatherNd",
                "GatherV2",
                "InvertPermutation",
                "ListDiff",
                "MirrorPad",
                "MirrorPadGrad",
                "OneHot",
                "OnesLike",
                "Pack",
                "Pad",
                "PadV2",
                "ParallelDynamicStitch",
                "Range",
                "Rank",
                "Reshape",
                "Reverse",
                "ReverseSequence",
                "ReverseV2",
                "Roll",
                "ScatterNd",
                "ScatterNdNonAliasingAdd",
                "Shape",
                "ShapeN",
                "Size",
                "Slice",
                "Split",
                "SplitV",
                "Squeeze",
                "StridedSlice",
                "StridedSliceGrad",
                "TensorScatterAdd",
                "TensorScatterMax",
                "TensorScatterMin",
                "TensorScatterSub",
                "TensorScatterUpdate",
                "TensorStridedSliceUpdate",
                "Tile",
                "TileGrad",
                "Transpose",
                "Unique",
                "UniqueV2",
                "UniqueWithCounts",
                "UniqueWithCountsV2",
                "Unpack",
                "Where",
                "ZerosLike");
    }
}
