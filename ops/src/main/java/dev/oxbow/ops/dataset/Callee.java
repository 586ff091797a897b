package dev.oxbow.ops.dataset;

import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** A function with what it captured, and the library it is in: steps of graphs that do not have it call it. */
record Callee(FunctionRef f, FunctionLibrary library, List<Tensor> captured) {

    /** A function that captures inputs from one number on up to another, of each of which it owns a reference. */
    static Callee of(KernelContext c, FunctionRef f, int from, int to) {
        return new Callee(f, c.functions().library(), DatasetOp.kept(c, from, to));
    }
}
