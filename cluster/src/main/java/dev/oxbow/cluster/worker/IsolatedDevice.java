package dev.oxbow.cluster.worker;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.Formula;
import dev.oxbow.runtime.Order;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Space;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** A device as one session sees it that shares no variables, queues and tables with others. */
record IsolatedDevice(Device device, Containers containers) implements Device {
    @Override
    public DeviceSpec spec() {
        return device.spec();
    }

    @Override
    public MemoryPool memory() {
        return device.memory();
    }

    @Override
    public Space space() {
        return device.space();
    }

    @Override
    public Order order() {
        return device.order();
    }

    @Override
    public Parallel parallel() {
        return device.parallel();
    }

    @Override
    public Parking parking() {
        return device.parking();
    }

    @Override
    public boolean defers() {
        return device.defers();
    }

    @Override
    public boolean supports(Op op) {
        return device.supports(op);
    }

    @Override
    public Kernel kernel(Op op) {
        return device.kernel(op);
    }

    @Override
    public boolean takesOnHost(Op op, int input) {
        return device.takesOnHost(op, input);
    }

    @Override
    public List<Rewrite> rewrites() {
        return device.rewrites();
    }

    @Override
    public List<Rewrite> lastRewrites() {
        return device.lastRewrites();
    }

    @Override
    public Fusing fusing() {
        return device.fusing();
    }

    @Override
    public boolean fusesRows() {
        return device.fusesRows();
    }

    @Override
    public Kernel fused(Formula f) {
        return device.fused(f);
    }

    @Override
    public Tensor adopt(Tensor t) {
        return device.adopt(t);
    }
}
