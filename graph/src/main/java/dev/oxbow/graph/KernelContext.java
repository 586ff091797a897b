package dev.oxbow.graph;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.function.Supplier;

/**
 * What a kernel sees of its step. Inputs are borrowed until the kernel completes. An output whose shape inference
 * knew is allocated already; any other is given by exactly one of {@link #allocate}, {@link #set}, {@link #forward}.
 */
public interface KernelContext {
    int inputCount();

    /** All inputs, for a kernel that takes them at once; the array is the context's. */
    default Tensor[] inputs() {
        Tensor[] all = new Tensor[inputCount()];
        for (int i = 0; i < all.length; i++) all[i] = input(i);
        return all;
    }

    /** All outputs, which must be allocated; the array is the context's. */
    default Tensor[] outputs() {
        Tensor[] all = new Tensor[outputCount()];
        for (int i = 0; i < all.length; i++) all[i] = output(i);
        return all;
    }

    /** Input {@code i}, borrowed; a reference input is a handle whose object is the variable. */
    Tensor input(int i);

    /**
     * Input {@code i} where the host can read it, borrowed, for a kernel that must know a value before it can begin. On a
     * device whose memory is elsewhere this waits for it, unless the value is known beforehand.
     */
    default Tensor onHost(int i) {
        return input(i);
    }

    int outputCount();

    /** The memory of output {@code i}, to be filled; an error when inference did not know its shape. */
    Tensor output(int i);

    /** Whether output {@code i} has memory: inference knew its shape. */
    boolean isAllocated(int i);

    /** Output {@code i}, unless there is none. */
    static Tensor known(int i, Tensor output) {
        if (output == null)
            throw new OxbowException(
                    ErrorCode.INVALID_ARGUMENT, "the shape of output " + i + " does not follow from the inputs");
        return output;
    }

    /** Makes output {@code i} with this shape, not cleared, and returns it to be filled. */
    Tensor allocate(int i, Shape shape);

    /** Gives output {@code i}, taking over the caller's reference. */
    void set(int i, Tensor value);

    /** Makes output {@code i} the same tensor as input {@code input}. */
    void forward(int i, int input);

    /** Makes output {@code i} a view of input {@code input} with another shape of the same size. */
    void forward(int i, int input, Shape shape);

    /** Input {@code i} as a tensor that may be held beyond the step: shared where possible, else copied. The caller owns it. */
    Tensor keep(int i);

    /** Whether nobody else reads the memory of input {@code i}, now or later, so that the kernel may write over it. */
    boolean mayOverwrite(int i);

    /** A new tensor of the device's memory, owned by the caller. */
    Tensor temporary(DType dtype, Shape shape);

    MemoryPool memory();

    /** Memory for the length of a call; a device's budget does not count it, as it can not count what libraries take. */
    default MemoryPool scratch() {
        return MemoryPool.shared();
    }

    /** Runs ranges of work on the device's threads. */
    Parallel parallel();

    /** The name of the node, for messages and default resource names. */
    String node();

    /** The full name of the device, such as {@code /job:worker/replica:0/task:1/device:CPU:0}. */
    default String device() {
        return "/job:localhost/replica:0/task:0/device:CPU:0";
    }

    /** Declares that the kernel completes later; the completion must then be called exactly once, from any thread. */
    Completion defer();

    /** Ends waits when the step fails or is cancelled. */
    Cancellation cancellation();

    /** Resources that outlive steps: variables, queues, tables. */
    Containers containers();

    /** Resources of this step: TensorArrays, stacks; dropped when the step ends. */
    Containers stepContainers();

    /** State of (session, node), made when first asked for: random counters and the like. */
    <T> T state(Supplier<T> initial);

    /** Where sends and receives of this step meet. */
    Rendezvous rendezvous();

    /** The loop frame and iteration this node runs in, as {@code frameId:iteration}; {@code 0:0} outside of loops. */
    String frameAndIteration();

    /** The number of the step, unique in this process. */
    long stepId();

    /** The functions of the program, for ops that call functions at run time. */
    FunctionCaller functions();

    /** What the session was opened with under this type, such as its place among other processes; fails without one. */
    <T> T service(Class<T> type);

    /** The memory that a {@link PlacesInputs} op has got for its inputs, which may still lie elsewhere; null without any. */
    default PlacesInputs.Places places() {
        return null;
    }
}
