package dev.oxbow.ops.state;

import dev.oxbow.graph.Absorbing;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Updating;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.tensor.Shape;
import java.util.List;

/**
 * An op that moves variables by a gradient, element by element and in place: one formula for the dense and the sparse,
 * the referenced and the resource form. Inputs that are references or resources are the variables, {@code indices}
 * picks the rows of a sparse update, {@code grad} or {@code delta} is the gradient, all others are scalars.
 */
interface OptimizerStep extends Absorbing, Updating {

    /** The new values of the variables, in the order of the inputs. */
    List<Expr> step(OptimizerInputs x);

    @Override
    default int variables() {
        return new OptimizerKernel.Layout(signature()).variables;
    }

    @Override
    default int rowInput() {
        return new OptimizerKernel.Layout(signature()).indices;
    }

    @Override
    default List<Expr> updates(List<Expr> inputs) {
        var layout = new OptimizerKernel.Layout(signature());
        return step(layout.named(inputs, inputs.getFirst().dtype()));
    }

    @Override
    default void checkShapes(Shape[] shapes) {
        new OptimizerKernel.Layout(signature()).check(shapes);
    }

    @Override
    default List<TensorType> infer(InferenceContext c) {
        var layout = new OptimizerKernel.Layout(signature());
        int gradient = layout.gradient;
        Shape[] shapes = new Shape[c.inputCount()];
        for (int i = 0; i < shapes.length; i++) {
            shapes[i] = layout.isVariable(i)
                    ? Variables.type(c, i, c.dtype(gradient)).shape()
                    : c.shape(i);
        }
        layout.check(shapes);
        return layout.isResource ? List.of() : List.of(TensorType.ref(c.dtype(0), c.shape(0)));
    }

    @Override
    default Effects effects() {
        return Effects.WRITES;
    }

    @Override
    default boolean suppliesOutputs() {
        return true;
    }

    @Override
    default Op absorbing(int input, Node maker) {
        var layout = new OptimizerKernel.Layout(signature());
        boolean takes = layout.isResource && layout.indices < 0 && input == layout.gradient;
        if (!takes) return null;
        Op product = ProductStep.of(this, maker);
        return product != null ? product : FormulaStep.of(this, maker);
    }

    @Override
    default Kernel cpu() {
        return new OptimizerKernel(this);
    }
}
