package dev.oxbow.cuda;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Updating;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What some updates of the same variables do, one after the other, with formulas of what they take inside. Made when a card's part is
 * compiled, so it has no form on the wire.
 *
 * @param of the name of the first of them
 * @param variables how many of the first inputs are variables
 * @param types of all inputs, those of values in the places of variables
 * @param formulas of the new values
 */
record FusedUpdate(String of, int variables, List<DType> types, List<Expr> formulas) implements Updating, Changing {

    @Override
    public OpSignature signature() {
        List<OpSignature.Arg> inputs = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            DType t = i < variables ? DType.RESOURCE : types.get(i);
            inputs.add(new OpSignature.Arg("x" + i, false, t, null, null, null));
        }
        return new OpSignature("_Fused" + of, inputs, List.of(), List.of(), true);
    }

    @Override
    public Map<String, Object> attributes() {
        return Map.of();
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public List<Expr> updates(List<Expr> inputs) {
        return formulas.stream().map(f -> f.substitute(inputs)).toList();
    }

    @Override
    public void checkShapes(Shape[] shapes) {
        for (int i = 1; i < shapes.length; i++)
            require(
                    shapes[i].equals(shapes[0]) || i >= variables && shapes[i].size() == 1,
                    INVALID_ARGUMENT,
                    "what is updated together has one shape, got %s and %s",
                    shapes[0],
                    shapes[i]);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Variable[] all = new Variable[variables];
            for (int i = 0; i < variables; i++) {
                all[i] = ResourceHandle.resource(c.input(i), Variable.class);
                require(
                        all[i].isInitialised(),
                        FAILED_PRECONDITION,
                        "Attempting to use uninitialized variables: %s; run its initialiser first, and those of all slots",
                        all[i].name());
            }
            Tensor[] inputs = new Tensor[types.size()];
            for (int i = variables; i < inputs.length; i++) inputs[i] = c.input(i);
            update(c, all, 0, inputs, new Tensor[variables]);
        };
    }

    private void update(KernelContext c, Variable[] all, int at, Tensor[] inputs, Tensor[] shadows) {
        if (at < variables) {
            all[at].updateBoth(c.memory(), (t, shadow) -> {
                inputs[at] = t;
                shadows[at] = shadow;
                update(c, all, at + 1, inputs, shadows);
                return true;
            });
            return;
        }
        Shape[] shapes = new Shape[inputs.length];
        for (int i = 0; i < shapes.length; i++) shapes[i] = inputs[i].shape();
        checkShapes(shapes);
        ElementwiseKernel.of(Updating.withShadows(formulas, Updating.shadowed(shadows)))
                .run(c.parallel(), shapes[0], inputs, Updating.outputs(inputs, shadows));
    }
}
