package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.ops.Stateful.Putting;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The ops on queues that there are in two versions, which differ in their handles. */
final class QueueVersions {
    private QueueVersions() {}

    /** Closes a queue. */
    interface Close extends NotDifferentiable, Putting {
        boolean cancelPendingEnqueues();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> Queues.queue(c).shut(c, cancelPendingEnqueues());
        }
    }

    /** Takes one element. */
    interface Dequeue extends NotDifferentiable, Taking {
        List<DType> componentTypes();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Queues.inferDequeue(c, false, false);
        }

        @Override
        default Kernel cpu() {
            return c -> Queues.dequeue(c, componentTypes());
        }
    }

    /** Takes so many elements. */
    interface DequeueMany extends NotDifferentiable, Taking {
        List<DType> componentTypes();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Queues.inferDequeue(c, true, false);
        }

        @Override
        default Kernel cpu() {
            return c -> Queues.dequeueMany(c, componentTypes(), false);
        }
    }

    /** Takes up to so many elements. */
    interface DequeueUpTo extends NotDifferentiable, Taking {
        List<DType> componentTypes();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Queues.inferDequeue(c, true, true);
        }

        @Override
        default Kernel cpu() {
            return c -> Queues.dequeueMany(c, componentTypes(), true);
        }
    }

    /** Puts one element. */
    interface Enqueue extends NotDifferentiable, Putting {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return Queues::enqueue;
        }
    }

    /** Puts an element for each row. */
    interface EnqueueMany extends NotDifferentiable, Putting {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return Queues::enqueueMany;
        }
    }

    /** Whether a queue is closed. */
    interface IsClosed extends NotDifferentiable, Asking {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.BOOL, Shape.SCALAR));
        }

        @Override
        default Kernel cpu() {
            return c -> c.output(0).setLong(0, Queues.queue(c).isClosed() ? 1 : 0);
        }
    }

    /** The number of elements. */
    interface Size extends NotDifferentiable, Asking {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.I32, Shape.SCALAR));
        }

        @Override
        default Kernel cpu() {
            return c -> c.output(0).setLong(0, Queues.queue(c).size());
        }
    }
}
