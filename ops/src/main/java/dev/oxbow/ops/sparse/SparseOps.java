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
                "DenseCountSparseOutput",
                "DenseToDenseSetOperation",
                "DenseToSparseSetOperation",
                "DeserializeManySparse",
                "DeserializeSparse",
                "RaggedCountSparseOutput",
                "RaggedCross",
                "RaggedFillEmptyRows",
                "RaggedFillEmptyRowsGrad",
                "RaggedGather",
                "RaggedRange",
                "RaggedTensorFromVariant",
                "RaggedTensorToSparse",
                "RaggedTensorToTensor",
                "RaggedTensorToVariant",
                "RaggedTensorToVariantGradient",
                "SerializeManySparse",
                "SerializeSparse",
                "SetSize",
                "SparseAdd",
                "SparseAddGrad",
                "SparseConcat",
                "SparseCountSparseOutput",
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
