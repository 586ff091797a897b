package dev.oxbow.graph;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.function.Supplier;

/** What another context says, as a start for those that differ from it in some point. */
public class DelegatingContext implements KernelContext {
    protected final KernelContext c;

    public DelegatingContext(KernelContext c) {
        this.c = c;
    }

    @Override
    public String device() {
        return c.device();
    }

    @Override
    public int inputCount() {
        return c.inputCount();
    }

    @Override
    public Tensor input(int i) {
        return c.input(i);
    }

    @Override
    public Tensor onHost(int i) {
        return c.onHost(i);
    }

    @Override
    public int outputCount() {
        return c.outputCount();
    }

    @Override
    public Tensor output(int i) {
        return c.output(i);
    }

    @Override
    public boolean isAllocated(int i) {
        return c.isAllocated(i);
    }

    @Override
    public Tensor allocate(int i, Shape shape) {
        return c.allocate(i, shape);
    }

    @Override
    public void set(int i, Tensor value) {
        c.set(i, value);
    }

    @Override
    public void forward(int i, int input) {
        c.forward(i, input);
    }

    @Override
    public void forward(int i, int input, Shape shape) {
        c.forward(i, input, shape);
    }

    @Override
    public Tensor keep(int i) {
        return c.keep(i);
    }

    @Override
    public boolean mayOverwrite(int i) {
        return c.mayOverwrite(i);
    }

    @Override
    public Tensor temporary(DType dtype, Shape shape) {
        return c.temporary(dtype, shape);
    }

    @Override
    public MemoryPool memory() {
        return c.memory();
    }

    @Override
    public MemoryPool scratch() {
        return c.scratch();
    }

    @Override
    public Parallel parallel() {
        return c.parallel();
    }

    @Override
    public String node() {
        return c.node();
    }

    @Override
    public Completion defer() {
        return c.defer();
    }

    @Override
    public Cancellation cancellation() {
        return c.cancellation();
    }

    @Override
    public Containers containers() {
        return c.containers();
    }

    @Override
    public Containers stepContainers() {
        return c.stepContainers();
    }

    @Override
    public <T> T state(Supplier<T> initial) {
        return c.state(initial);
    }

    @Override
    public Rendezvous rendezvous() {
        return c.rendezvous();
    }

    @Override
    public String frameAndIteration() {
        return c.frameAndIteration();
    }

    @Override
    public long stepId() {
        return c.stepId();
    }

    @Override
    public FunctionCaller functions() {
        return c.functions();
    }

    @Override
    public <T> T service(Class<T> type) {
        return c.service(type);
    }

    @Override
    public PlacesInputs.Places places() {
        return c.places();
    }
}
