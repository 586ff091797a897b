package dev.oxbow.ops.state;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.Variable;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What ops on variables share: finding them, their types, and the errors of uninitialised ones. */
final class Variables {

    /** The shared name that asks for a new variable with every run of its node. */
    private static final String ANONYMOUS = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

    private Variables() {}

    /** Gives output 0 the handle of a resource variable, which is made when it is first asked for. */
    static void handle(KernelContext c, String container, String sharedName, DType dtype, Shape shape) {
        String name = sharedName.isEmpty() ? c.node() : sharedName;
        Variable v = sharedName.equals(ANONYMOUS)
                ? new Variable(c.node(), dtype, shape)
                : c.containers()
                        .lookupOrCreate(container, name, Variable.class, () -> new Variable(name, dtype, shape));
        if (v.dtype() != dtype && !v.isInitialised()) {
            c.containers().delete(container, name, Variable.class);
            handle(c, container, sharedName, dtype, shape);
            return;
        }
        require(
                v.dtype() == dtype,
                INVALID_ARGUMENT,
                "Trying to access variable %s as %s, but it is %s",
                name,
                dtype,
                v.dtype());
        c.set(0, ResourceHandle.tensor(container, name, v, List.of(new TensorType(dtype, shape))));
    }

    /** Gives output 0 the reference of a variable, made when first asked for; one without elements has its value at once. */
    static void reference(KernelContext c, String container, String sharedName, DType dtype, Shape shape) {
        String name = sharedName.isEmpty() ? c.node() : sharedName;
        Variable v = c.containers()
                .lookupOrCreate(container, name + ":ref", Variable.class, () -> new Variable(name, dtype, shape));
        require(
                v.dtype() == dtype,
                INVALID_ARGUMENT,
                "Trying to access variable %s as %s, but it is %s",
                name,
                dtype,
                v.dtype());
        boolean empty = shape.isFullyKnown() && shape.size() == 0;
        if (empty && !v.isInitialised()) v.assign(c.temporary(dtype, shape));
        c.set(0, ResourceHandle.tensor(container, name, v, List.of(new TensorType(dtype, shape))));
    }

    /** The variable behind handle or reference input {@code i}. */
    static Variable of(KernelContext c, int i) {
        return ResourceHandle.resource(c.input(i), Variable.class);
    }

    /** The variable behind resource input {@code i}; NOT_FOUND while it has no value. */
    static Variable existing(KernelContext c, int i) {
        Variable v = of(c, i);
        require(v.isInitialised(), NOT_FOUND, "Resource %s/%s does not exist", container(c, i), v.name());
        return v;
    }

    /** The value of the variable behind resource input {@code i}, with a reference for the caller. */
    static Tensor read(KernelContext c, int i, ErrorCode uninitialised) {
        Variable v = of(c, i);
        Tensor value = v.readIn(c.memory());
        require(
                value != null,
                uninitialised,
                "Error while reading resource variable %s from Container: %s. This could mean that the variable was"
                        + " uninitialized: Resource %s/%s/Variable does not exist: run its initialiser first, such as"
                        + " %s.initialiser()",
                v.name(),
                container(c, i),
                container(c, i),
                v.name(),
                v.name());
        return value;
    }

    /** Checks the dtype of a value whose handle did not tell it to inference. */
    static void requireType(Tensor value, DType wanted) {
        require(value.dtype() == wanted, INVALID_ARGUMENT, "the variable is %s, wanted was %s", value.dtype(), wanted);
    }

    /** The type of the value behind handle or reference input {@code i}, as far as known. */
    static TensorType type(InferenceContext c, int i, DType dtype) {
        TensorType t = c.input(i);
        if (t.dtype() != DType.RESOURCE) return t;
        if (t.behind().isEmpty()) return TensorType.of(dtype);
        TensorType v = t.behind().get(0);
        require(
                v.dtype() == dtype,
                INVALID_ARGUMENT,
                "Trying to use a variable with the wrong dtype: it is %s, wanted %s",
                v.dtype(),
                dtype);
        return v;
    }

    private static String container(KernelContext c, int i) {
        String name = ((ResourceHandle) c.input(i).objects()[0]).container();
        return name.isEmpty() ? Containers.DEFAULT : name;
    }

    /** Whether a variable has a value. */
    interface IsInitialised extends NotDifferentiable, Asking {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.BOOL, Shape.SCALAR));
        }

        @Override
        default Kernel cpu() {
            return c -> c.output(0).setLong(0, Variables.of(c, 0).isInitialised() ? 1 : 0);
        }
    }

    /** Gives the reference of a variable. */
    interface Referenced extends NotDifferentiable, Opening {
        Shape shape();

        DType dtype();

        String container();

        String sharedName();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(TensorType.ref(dtype(), shape()));
        }

        @Override
        default Kernel cpu() {
            return c -> Variables.reference(c, container(), sharedName(), dtype(), shape());
        }
    }
}
