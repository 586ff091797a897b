package dev.oxbow.collective.ops;

import dev.oxbow.collective.Elements;
import dev.oxbow.collective.Group;
import dev.oxbow.collective.Loan;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.PlacesInputs;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The inputs of an op, packed in memory that ranks of a host share. */
final class Bucket {
    private final KernelContext context;
    private final DType dtype;
    private final List<Shape> shapes = new ArrayList<>();
    private final Packing packing;
    private final long address;
    private final boolean placed;

    /** Where the op's inputs have their places, or memory that is borrowed until {@code atEnd} says. */
    Bucket(KernelContext c, Group g, Consumer<Runnable> atEnd) {
        this(c, c.inputCount(), g, atEnd);
    }

    /** Of the first inputs only. */
    Bucket(KernelContext c, int count, Group g, Consumer<Runnable> atEnd) {
        context = c;
        dtype = c.input(0).dtype();
        for (int i = 0; i < count; i++) shapes.add(c.input(i).shape());
        packing = Packing.of(dtype, shapes);
        placed = c.places() != null;
        address = placed ? c.places().address(0) : borrow(g, atEnd);
    }

    private long borrow(Group g, Consumer<Runnable> atEnd) {
        Loan loan = g.communicator().lend(packing.bytes());
        atEnd.accept(loan::close);
        packing.clearGaps(loan.address());
        return loan.address();
    }

    /** Copies the inputs that do not lie in it yet. */
    void fill() {
        for (int i = 0; i < shapes.size(); i++) {
            Tensor x = context.input(i);
            if (x.address() != address(i)) Memory.copy(x.address(), address(i), x.byteSize());
        }
    }

    /** Whether it stays when the kernel has ended, until the step has. */
    boolean isPlaced() {
        return placed;
    }

    long address(int i) {
        return address + packing.offset(i);
    }

    /** The number of the first element of tensor {@code i}. */
    long first(int i) {
        return packing.offset(i) / dtype.size();
    }

    Elements elements() {
        return new Elements(address, packing.count(), dtype);
    }

    /** That of the only tensor: a rank may have it in a bucket and another one not. */
    Shape shape() {
        return shapes.size() == 1 ? shapes.get(0) : Shape.of(packing.count());
    }

    /** Tells buckets of several tensors of other shapes apart, which are all vectors for the group. */
    String suffix() {
        return shapes.size() == 1 ? "" : "#" + Integer.toHexString(shapes.hashCode());
    }

    /** Tensor {@code i} of a bucket like this one, seen where it lies. */
    Tensor view(long bucket, int i) {
        long bytes = shapes.get(i).size() * dtype.size();
        return new Tensor(dtype, shapes.get(i), Buffer.lent(bucket + packing.offset(i), bytes));
    }

    /** A bucket for inputs of these types, so that they need not be packed. */
    static PlacesInputs.Places places(Group g, List<TensorType> inputs) {
        Packing packing = Packing.of(
                inputs.get(0).dtype(), inputs.stream().map(TensorType::shape).toList());
        Loan loan = g.communicator().lend(packing.bytes());
        packing.clearGaps(loan.address());
        return new PlacesInputs.Places() {
            @Override
            public long address(int input) {
                return loan.address() + packing.offset(input);
            }

            @Override
            public void close() {
                loan.close();
            }
        };
    }
}
