package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** What a function makes of so many elements of the same key, each time that there are so many. */
@Signature("GroupByWindowDataset(input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments,"
        + " reduce_func_other_arguments: Treduce_func_other_arguments, window_size_func_other_arguments:"
        + " Twindow_size_func_other_arguments) -> (handle: variant) {key_func: func; reduce_func: func;"
        + " window_size_func: func; Tkey_func_other_arguments: list(type) >= 0; Treduce_func_other_arguments:"
        + " list(type) >= 0; Twindow_size_func_other_arguments: list(type) >= 0; output_types: list(type) >= 1;"
        + " output_shapes: list(shape) >= 1; metadata: string = \"\"}")
public record GroupByWindowDataset(
        FunctionRef keyFunc,
        FunctionRef reduceFunc,
        FunctionRef windowSizeFunc,
        @Attr("Tkey_func_other_arguments") List<DType> keyTypes,
        @Attr("Treduce_func_other_arguments") List<DType> reduceTypes,
        @Attr("Twindow_size_func_other_arguments") List<DType> sizeTypes,
        List<DType> outputTypes,
        List<Shape> outputShapes,
        String metadata)
        implements DatasetOp {
    @Override
    public Dataset dataset(KernelContext c) {
        int key = keyTypes.size(), reduce = reduceTypes.size(), size = sizeTypes.size();
        return Groups.windows(
                Dataset.input(c, 0),
                Callee.of(c, keyFunc, 1, 1 + key),
                Callee.of(c, reduceFunc, 1 + key, 1 + key + reduce),
                Callee.of(c, windowSizeFunc, 1 + key + reduce, 1 + key + reduce + size));
    }
}
