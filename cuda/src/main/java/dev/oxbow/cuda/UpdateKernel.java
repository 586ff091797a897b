package dev.oxbow.cuda;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Updating;
import dev.oxbow.graph.Variable;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.cuda.CudaText;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A step that changes whole variables in place on the card, element by element; after a fault it changes nothing. */
final class UpdateKernel implements Kernel {
    private final Card card;
    private final Updating op;
    private final int variables;
    private final boolean isReference;
    private final Fallback host;

    /** Kernels by the dtypes of inputs, and those in which new values are wanted beside their own. */
    private final Map<Key, CardElementwise> kernels = new HashMap<>();

    private record Key(List<DType> inputs, List<DType> shadowed) {}

    UpdateKernel(Card card, Updating op) {
        this.card = card;
        this.op = op;
        this.variables = op.variables();
        this.isReference = !op.signature().outputs().isEmpty();
        this.host = Fallback.guarded(card, op);
    }

    @Override
    public void run(KernelContext c) {
        Variable[] all = new Variable[variables];
        for (int i = 0; i < variables; i++) {
            all[i] = ResourceHandle.resource(c.input(i), Variable.class);
            if (!all[i].isInitialised()) {
                host.run(c); // it has the words for that
                throw new IllegalStateException("an uninitialised variable was updated: " + all[i].name());
            }
        }
        Tensor[] inputs = new Tensor[c.inputCount()];
        for (int i = variables; i < inputs.length; i++) inputs[i] = c.input(i);
        if (kernel(all, inputs, List.of()) == null) {
            host.run(c);
            return;
        }
        update(c, all, 0, inputs, new Tensor[variables]);
        if (isReference) c.forward(0, 0);
    }

    private void update(KernelContext c, Variable[] all, int at, Tensor[] inputs, Tensor[] shadows) {
        if (at < all.length) {
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
        op.checkShapes(shapes);
        for (int i = 1; i < all.length; i++)
            require(
                    inputs[i].dtype() == inputs[0].dtype(),
                    INVALID_ARGUMENT,
                    "variables that are updated together have one dtype, got %s and %s",
                    inputs[0].dtype(),
                    inputs[i].dtype());
        kernel(all, inputs, Updating.shadowed(shadows)).run(shapes[0], inputs, Updating.outputs(inputs, shadows));
    }

    /** The kernel for these, and for what of the new values is wanted in another dtype as well; null where the host does it. */
    private synchronized CardElementwise kernel(Variable[] all, Tensor[] inputs, List<DType> shadowed) {
        List<DType> now = new ArrayList<>();
        for (int i = 0; i < inputs.length; i++) now.add(i < all.length ? all[i].dtype() : inputs[i].dtype());
        boolean none = shadowed.stream().allMatch(Objects::isNull);
        Key key = new Key(List.copyOf(now), none ? List.of() : shadowed);
        if (!kernels.containsKey(key)) {
            require(
                    now.stream().noneMatch(DType::isObject),
                    FAILED_PRECONDITION,
                    "objects can not be updated on a card, got %s",
                    now);
            List<Expr> exprs = new ArrayList<>();
            for (int i = 0; i < now.size(); i++) exprs.add(Expr.input(i, now.get(i)));
            List<Expr> made = Updating.withShadows(op.updates(exprs), shadowed);
            boolean can = CudaText.supports(made);
            kernels.put(key, can ? new CardElementwise(card, op.signature().name(), made, true) : null);
        }
        return kernels.get(key);
    }
}
