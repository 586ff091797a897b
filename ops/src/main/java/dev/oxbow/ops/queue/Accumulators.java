package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** What the forms of ops on accumulators share. */
final class Accumulators {
    private Accumulators() {}

    /** Adds a gradient, unless it is stale. */
    interface Apply extends NotDifferentiable, Changing {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(1);
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> ResourceHandle.resource(c.input(0), DenseAccumulator.class)
                    .apply(c, c.input(1).getLong(0), c.input(2));
        }
    }

    /** How many gradients were added. */
    interface Count extends NotDifferentiable, Asking {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.I32, Shape.SCALAR));
        }

        @Override
        default Kernel cpu() {
            return c -> c.output(0)
                    .setLong(
                            0,
                            ResourceHandle.resource(c.input(0), Accumulator.class)
                                    .count());
        }
    }

    /** Sets the step before which gradients are stale. */
    interface SetStep extends NotDifferentiable, Changing {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(1);
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> ResourceHandle.resource(c.input(0), Accumulator.class)
                    .setStep(c.input(1).getLong(0));
        }
    }

    /** Takes the mean once there are enough gradients. */
    interface Take extends NotDifferentiable, Taking {
        DType dtype();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(1);
            List<TensorType> behind = c.input(0).behind();
            return List.of(new TensorType(
                    dtype(), behind.isEmpty() ? Shape.UNKNOWN : behind.get(0).shape()));
        }

        @Override
        default Kernel cpu() {
            return c -> {
                long n = c.input(1).getLong(0);
                require(n > 0, INVALID_ARGUMENT, "Argument num_required must be positive, got %d", n);
                ResourceHandle.resource(c.input(0), DenseAccumulator.class).take(c, (int) n, dtype());
            };
        }
    }

    /** Gives the handle of an accumulator, which is made when it is first asked for. */
    interface Open extends NotDifferentiable, Opening {
        DType dtype();

        Shape shape();

        String container();

        String sharedName();

        String reductionType();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(Queues.handle(c.outputDtype(0) == DType.STRING, List.of(new TensorType(dtype(), shape()))));
        }

        @Override
        default Kernel cpu() {
            return c -> {
                String name = sharedName().isEmpty() ? c.node() : sharedName();
                DenseAccumulator a = c.containers()
                        .lookupOrCreate(
                                container(),
                                name,
                                DenseAccumulator.class,
                                () -> new DenseAccumulator(name, dtype(), shape(), reductionType()));
                require(
                        a.dtype == dtype() && a.shape.equals(shape()),
                        INVALID_ARGUMENT,
                        "Shared conditional accumulator '%s' is %s%s, requested was %s%s",
                        name,
                        a.dtype,
                        a.shape,
                        dtype(),
                        shape());
                c.set(0, ResourceHandle.tensor(container(), name, a, List.of()));
            };
        }
    }
}
