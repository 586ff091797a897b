package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.OUT_OF_RANGE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.ops.flow.Optional;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What ops on iterators share. */
final class Iterators {
    private Iterators() {}

    /** A place in a data set that is begun by MakeIterator. */
    interface Place extends NotDifferentiable, Opening {
        String sharedName();

        String container();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(TensorType.handle(DType.RESOURCE));
        }

        @Override
        default Kernel cpu() {
            return c -> open(c, container(), sharedName());
        }
    }

    /** The iterator that a string stands for. */
    interface FromText extends NotDifferentiable, Opening {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(0);
            return List.of(TensorType.handle(DType.RESOURCE));
        }

        @Override
        default Kernel cpu() {
            return Iterators::find;
        }
    }

    /** The next element. */
    interface Next extends NotDifferentiable, Taking {
        List<DType> outputTypes();

        List<Shape> outputShapes();

        @Override
        default boolean isInput() {
            return true;
        }

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return types(outputTypes(), outputShapes());
        }

        @Override
        default Kernel cpu() {
            return c -> next(c, outputTypes(), outputShapes());
        }
    }

    /** Gives output 0 the handle of an iterator, which is made when it is first asked for. */
    static DatasetIterator open(KernelContext c, String container, String sharedName) {
        String name = sharedName.isEmpty() ? c.node() : sharedName;
        DatasetIterator it =
                c.containers().lookupOrCreate(container, name, DatasetIterator.class, DatasetIterator::new);
        c.set(0, ResourceHandle.tensor(container, name, it, List.of()));
        return it;
    }

    /** A handle as text: its container and its name. */
    static byte[] text(ResourceHandle h) {
        return (h.container() + "\n" + h.name()).getBytes(StandardCharsets.UTF_8);
    }

    /** Gives output 0 the handle whose text input 0 is. */
    static void find(KernelContext c) {
        String text = new String((byte[]) c.input(0).objects()[0], StandardCharsets.UTF_8);
        int end = text.indexOf('\n');
        require(
                end >= 0,
                INVALID_ARGUMENT,
                "Could not parse string_handle into a valid ResourceHandle, got '%s'",
                text);
        String container = text.substring(0, end), name = text.substring(end + 1);
        DatasetIterator it = c.containers().lookup(container, name, DatasetIterator.class);
        c.set(0, ResourceHandle.tensor(container, name, it, List.of()));
    }

    static List<TensorType> types(List<DType> dtypes, List<Shape> shapes) {
        require(
                dtypes.size() == shapes.size(),
                INVALID_ARGUMENT,
                "output_types and output_shapes must have the same length, got %d and %d",
                dtypes.size(),
                shapes.size());
        List<TensorType> all = new ArrayList<>();
        for (int i = 0; i < dtypes.size(); i++) all.add(new TensorType(dtypes.get(i), shapes.get(i)));
        return all;
    }

    /** Gives the next element of the iterator of input 0. */
    static void next(KernelContext c, List<DType> dtypes, List<Shape> shapes) {
        DatasetIterator it = ResourceHandle.resource(c.input(0), DatasetIterator.class);
        Completion done = c.defer();
        it.next(
                new Turn(c),
                (element, error) -> finish(
                        c,
                        done,
                        element,
                        element == null && error == null ? new OxbowException(OUT_OF_RANGE, "End of sequence") : error,
                        dtypes,
                        shapes));
    }

    /** Gives what the iterator of input 0 has next, or nothing behind its end, as an optional. */
    static void optional(KernelContext c, List<DType> dtypes, List<Shape> shapes) {
        DatasetIterator it = ResourceHandle.resource(c.input(0), DatasetIterator.class);
        Completion done = c.defer();
        it.next(new Turn(c), (element, error) -> {
            String wrong = element == null ? null : wrong(element, dtypes, shapes);
            if (wrong != null) element.forEach(Tensor::release);
            if (error != null || wrong != null)
                done.fail(error != null ? error : new OxbowException(INVALID_ARGUMENT, wrong));
            else
                finish(c, done, List.of(Optional.tensor(element)), null, List.of(DType.VARIANT), List.of(Shape.SCALAR));
        });
    }

    /** Ends a kernel with an element, which it owns, or with an error. */
    static void finish(
            KernelContext c,
            Completion done,
            List<Tensor> element,
            Throwable error,
            List<DType> dtypes,
            List<Shape> shapes) {
        if (error != null) {
            done.fail(error);
            return;
        }
        String wrong = wrong(element, dtypes, shapes);
        if (wrong != null) {
            element.forEach(Tensor::release);
            done.fail(new OxbowException(INVALID_ARGUMENT, wrong));
            return;
        }
        try {
            for (int i = 0; i < element.size(); i++) c.set(i, element.get(i));
        } catch (RuntimeException e) {
            done.fail(e); // the thread that brought the element has nobody to tell
            return;
        }
        done.done();
    }

    private static String wrong(List<Tensor> element, List<DType> dtypes, List<Shape> shapes) {
        if (element.size() != dtypes.size())
            return "an element has %d components, wanted are %d".formatted(element.size(), dtypes.size());
        for (int i = 0; i < dtypes.size(); i++) {
            Tensor t = element.get(i);
            if (t.dtype() != dtypes.get(i) || !shapes.get(i).isCompatibleWith(t.shape()))
                return "component %d of an element is %s, wanted is %s%s"
                        .formatted(i, t.describe(), dtypes.get(i), shapes.get(i));
        }
        return null;
    }
}
