package dev.oxbow.ops.sparse;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Sparse and ragged tensors, and sets: the list of this package's ops. */
public final class SparseOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "AddManySparseToTensorsMap",
                "AddSparseToTensorsMap",
                "DenseToDenseSetOperation",
                "DenseToSparseSetOperation",
                "DeserializeManySparse",
                "DeserializeSparse",
                "RaggedCross",
                "RaggedGather",
                "RaggedRange",
                "RaggedTensorToSparse",
                "SerializeManySparse",
                "SerializeSparse",
                "SetSize",
                "SparseAdd",
                "SparseAddGrad",
                "SparseConcat",
                "SparseCross",
                "SparseCrossHashed",
                "SparseCrossV2",
                "SparseDenseCwiseAdd",
                "SparseDenseCwiseDiv",
                "SparseDenseCwiseMul",
                "SparseFillEmptyRows",
                "SparseFillEmptyRowsGrad",
                "SparseReduceMax",
                "SparseReduceMaxSparse",
                "SparseReduceSum",
                "SparseReduceSumSparse",
                "SparseReorder",
                "SparseReshape",
                "SparseSlice",
                "SparseSliceGrad",
                "SparseSoftmax",
                "SparseSparseMaximum",
                "SparseSparseMinimum",
                "SparseSplit",
                "SparseTensorDenseAdd",
                "SparseTensorDenseMatMul",
                "SparseToSparseSetOperation",
                "TakeManySparseFromTensorsMap");
    }
}
