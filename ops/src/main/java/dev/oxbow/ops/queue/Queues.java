package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What the ops on queues share: declaration, checks of tuples, inference. */
final class Queues {
    private Queues() {}

    static List<TensorType> inferHandle(InferenceContext c, TupleQueue.Kind kind) {
        List<TensorType> behind = new ArrayList<>();
        for (int i = 0; i < kind.types().size(); i++)
            behind.add(new TensorType(kind.types().get(i), kind.shape(i)));
        return List.of(handle(c.outputDtype(0) == DType.STRING, behind));
    }

    /** A handle of the older form is a reference to two strings, of the newer a resource. */
    static TensorType handle(boolean ref, List<TensorType> behind) {
        return ref
                ? new TensorType(DType.STRING, Shape.of(2), true, behind)
                : new TensorType(DType.RESOURCE, Shape.SCALAR, false, behind);
    }

    /** A declaration. */
    static TupleQueue.Kind kind(
            String name,
            List<DType> types,
            List<Shape> shapes,
            int capacity,
            int minimumLeft,
            boolean pads,
            Long... seeds) {
        return new TupleQueue.Kind(name, types, shapes, capacity, minimumLeft, pads, List.of(seeds));
    }

    private static void check(TupleQueue.Kind k) {
        require(
                k.shapes().isEmpty() || k.shapes().size() == k.types().size(),
                INVALID_ARGUMENT,
                "component_types and shapes must have the same length, got %d and %d",
                k.types().size(),
                k.shapes().size());
        require(
                k.capacity() < 0 || k.minimumLeft() < k.capacity() || k.minimumLeft() == 0,
                INVALID_ARGUMENT,
                "min_after_dequeue %d must be < capacity %d",
                k.minimumLeft(),
                k.capacity());
        require(k.minimumLeft() >= 0, INVALID_ARGUMENT, "min_after_dequeue %d must be >= 0", k.minimumLeft());
        require(!k.pads() || !k.shapes().isEmpty(), INVALID_ARGUMENT, "shapes must have a shape for each component");
    }

    /** Gives output 0 the handle of the queue, which is made when it is first asked for. */
    static void open(
            KernelContext c, String container, String sharedName, TupleQueue.Kind kind, Supplier<TupleStore> store) {
        check(kind);
        String name = sharedName.isEmpty() ? c.node() : sharedName;
        TupleQueue q = c.containers()
                .lookupOrCreate(container, name, TupleQueue.class, () -> new TupleQueue(name, kind, store.get()));
        String difference = q.declared().differsFrom(kind);
        require(difference == null, INVALID_ARGUMENT, "Shared queue '%s' %s.", name, difference);
        c.set(0, ResourceHandle.tensor(container, name, q, List.of()));
    }

    static TupleQueue queue(KernelContext c) {
        return ResourceHandle.resource(c.input(0), TupleQueue.class);
    }

    static List<TensorType> inferDequeue(InferenceContext c, boolean many, boolean upTo) {
        List<TensorType> behind = c.input(0).behind(), out = new ArrayList<>();
        long[] n = many && !upTo ? c.longs(1) : null;
        if (many) require(c.shape(1).rank() <= 0, INVALID_ARGUMENT, "n must be a scalar, got %s", c.shape(1));
        for (int i = 0; i < c.outputCount(); i++) {
            Shape s = behind.size() == c.outputCount() ? behind.get(i).shape() : Shape.UNKNOWN;
            if (many && s.isRankKnown())
                s = Shape.of(n != null && n[0] >= 0 ? n[0] : -1).concat(s);
            out.add(new TensorType(c.outputDtype(i), s));
        }
        return out;
    }

    /** One tuple of the inputs after the handle. */
    static void enqueue(KernelContext c) {
        TupleQueue q = queue(c);
        checkTypes(c, q);
        for (int i = 1; i < c.inputCount(); i++) {
            Shape wanted = q.declared().shape(i - 1), got = c.input(i).shape();
            require(
                    wanted.isCompatibleWith(got),
                    INVALID_ARGUMENT,
                    "Shape mismatch in tuple component %d. Expected %s, got %s",
                    i - 1,
                    wanted,
                    got);
        }
        q.enqueue(c, List.<Tensor[]>of(Tuples.keep(c, 1)));
    }

    /** The rows of the inputs after the handle, each row a tuple. */
    static void enqueueMany(KernelContext c) {
        TupleQueue q = queue(c);
        checkTypes(c, q);
        for (int i = 1; i < c.inputCount(); i++) {
            Shape got = c.input(i).shape();
            require(
                    got.rank() >= 1,
                    INVALID_ARGUMENT,
                    "component %d of a batch must have rank 1 at least, got %s",
                    i - 1,
                    got);
            require(
                    got.dim(0) == c.input(1).shape().dim(0),
                    INVALID_ARGUMENT,
                    "All input tensors must have the same size in the 0th dimension. Component %d has %d, and should have %d",
                    i - 1,
                    got.dim(0),
                    c.input(1).shape().dim(0));
            Shape wanted = q.declared().shape(i - 1);
            require(
                    wanted.isCompatibleWith(got.slice(1, got.rank())),
                    INVALID_ARGUMENT,
                    "Shape mismatch in tuple component %d. Expected %s, got %s",
                    i - 1,
                    wanted.isRankKnown() ? Shape.of(got.dim(0)).concat(wanted) : wanted,
                    got);
        }
        Counts.objects(c.input(1).shape().dim(0), 256 * (c.inputCount() - 1));
        List<Tensor[]> rows = new ArrayList<>();
        for (long r = 0; r < c.input(1).shape().dim(0); r++) {
            Tensor[] row = new Tensor[c.inputCount() - 1];
            for (int i = 0; i < row.length; i++) row[i] = Tuples.row(c.memory(), c.input(i + 1), r, c.node());
            rows.add(row);
        }
        q.enqueue(c, rows);
    }

    private static void checkTypes(KernelContext c, TupleQueue q) {
        List<DType> wanted = q.declared().types(), got = new ArrayList<>();
        for (int i = 1; i < c.inputCount(); i++) got.add(c.input(i).dtype());
        require(
                wanted.equals(got),
                INVALID_ARGUMENT,
                "the queue %s holds %s, the components are %s",
                q.name(),
                wanted,
                got);
    }

    static void dequeue(KernelContext c, List<DType> types) {
        checkTypes(queue(c), types);
        queue(c).dequeue(c);
    }

    static void dequeueMany(KernelContext c, List<DType> types, boolean upTo) {
        TupleQueue q = queue(c);
        checkTypes(q, types);
        require(
                c.input(1).shape().rank() == 0,
                INVALID_ARGUMENT,
                "n must be a scalar, got %s",
                c.input(1).shape());
        long n = c.input(1).getLong(0);
        require(n >= 0, INVALID_ARGUMENT, "n must be non-negative, got %d", n);
        TupleQueue.Kind k = q.declared();
        boolean specified = !k.shapes().isEmpty()
                && k.shapes().stream().allMatch(k.pads() ? Shape::isRankKnown : Shape::isFullyKnown);
        require(
                specified,
                INVALID_ARGUMENT,
                "%s's DequeueMany and DequeueUpTo require the components to have specified shapes.",
                k.name());
        boolean mayBeFewer = upTo && !k.name().equals("PriorityQueue");
        q.dequeueMany(c, (int) n, mayBeFewer);
    }

    private static void checkTypes(TupleQueue q, List<DType> types) {
        require(
                q.declared().types().equals(types),
                INVALID_ARGUMENT,
                "the queue %s holds %s, wanted %s",
                q.name(),
                q.declared().types(),
                types);
    }

    /** Gives the handle of a queue, which is made when it is first asked for. */
    interface Queue extends NotDifferentiable, Opening {
        List<DType> componentTypes();

        List<Shape> shapes();

        int capacity();

        String container();

        String sharedName();

        TupleQueue.Kind kind();

        /** What holds the elements of a new queue. */
        TupleStore store();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return inferHandle(c, kind());
        }

        @Override
        default Kernel cpu() {
            return c -> open(c, container(), sharedName(), kind(), this::store);
        }
    }

    /** First in, first out. */
    interface Fifo extends Queue {
        @Override
        default TupleQueue.Kind kind() {
            return Queues.kind("FIFOQueue", componentTypes(), shapes(), capacity(), 0, false);
        }

        @Override
        default TupleStore store() {
            return TupleStore.fifo();
        }
    }

    /** First in, first out, with batches that are padded. */
    interface PaddingFifo extends Fifo {
        @Override
        default TupleQueue.Kind kind() {
            return Queues.kind("PaddingFIFOQueue", componentTypes(), shapes(), capacity(), 0, true);
        }
    }

    /** The least key first; keys are a component of their own before the others. */
    interface Priority extends Queue {
        @Override
        default TupleQueue.Kind kind() {
            List<DType> types = new ArrayList<>(componentTypes());
            List<Shape> all = new ArrayList<>(shapes());
            types.add(0, DType.I64);
            all.add(0, Shape.SCALAR);
            return Queues.kind("PriorityQueue", types, all, capacity(), 0, false);
        }

        @Override
        default TupleStore store() {
            return TupleStore.byPriority();
        }
    }

    /** Any element, while some are left to choose from. */
    interface Shuffled extends Queue {
        int minAfterDequeue();

        long seed();

        long seed2();

        @Override
        default TupleQueue.Kind kind() {
            return Queues.kind(
                    "RandomShuffleQueue",
                    componentTypes(),
                    shapes(),
                    capacity(),
                    minAfterDequeue(),
                    false,
                    seed(),
                    seed2());
        }

        @Override
        default TupleStore store() {
            return TupleStore.shuffled(seed(), seed2());
        }
    }
}
