package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** All elements of the same key as one, which functions begin, go on with and end. */
@Signature("GroupByReducerDataset(input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments,"
        + " init_func_other_arguments: Tinit_func_other_arguments, reduce_func_other_arguments:"
        + " Treduce_func_other_arguments, finalize_func_other_arguments: Tfinalize_func_other_arguments) ->"
        + " (handle: variant) {key_func: func; init_func: func; reduce_func: func; finalize_func: func;"
        + " Tkey_func_other_arguments: list(type) >= 0; Tinit_func_other_arguments: list(type) >= 0;"
        + " Treduce_func_other_arguments: list(type) >= 0; Tfinalize_func_other_arguments: list(type) >= 0;"
        + " output_types: list(type) >= 1; output_shapes: list(shape) >= 1} stateful")
public record GroupByReducerDataset(
        FunctionRef keyFunc,
        FunctionRef initFunc,
        FunctionRef reduceFunc,
        FunctionRef finalizeFunc,
        @Attr("Tkey_func_other_arguments") List<DType> keyTypes,
        @Attr("Tinit_func_other_arguments") List<DType> initTypes,
        @Attr("Treduce_func_other_arguments") List<DType> reduceTypes,
        @Attr("Tfinalize_func_other_arguments") List<DType> finalTypes,
        List<DType> outputTypes,
        List<Shape> outputShapes)
        implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        int key = keyTypes.size(), init = initTypes.size(), reduce = reduceTypes.size();
        return Groups.reduced(
                Dataset.input(c, 0),
                Callee.of(c, keyFunc, 1, 1 + key),
                Callee.of(c, initFunc, 1 + key, 1 + key + init),
                Callee.of(c, reduceFunc, 1 + key + init, 1 + key + init + reduce),
                Callee.of(c, finalizeFunc, 1 + key + init + reduce, c.inputCount()));
    }
}
