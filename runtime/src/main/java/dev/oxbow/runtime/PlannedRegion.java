package dev.oxbow.runtime;

import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Tensor;

/** The memory of a plan for one run at a time: its block, and a tensor for every output that has a place in it. */
final class PlannedRegion {
    final RegionPlan plan;
    final Tensor[][] memory;
    final Tensor[][] inputs;
    final Tensor[][] outputs;
    private final Buffer block;

    PlannedRegion(RegionPlan plan, MemoryPool pool) {
        this.plan = plan;
        int n = plan.instructions.length;
        memory = new Tensor[n][];
        inputs = new Tensor[n][];
        outputs = new Tensor[n][];
        block = plan.blockSize == 0
                ? null
                : pool.allocate(plan.blockSize, "plan of " + plan.instructions[0] + " and " + (n - 1) + " more");
        for (int i = 0; i < n; i++) {
            long[] offsets = plan.offsets[i];
            if (offsets == null) continue;
            memory[i] = new Tensor[offsets.length];
            Fusion f = plan.fusions[i];
            if (f != null) {
                inputs[i] = new Tensor[f.inputSlots().length];
                outputs[i] = new Tensor[offsets.length];
            }
            for (int k = 0; k < offsets.length; k++) {
                if (offsets[k] < 0) continue;
                TensorType t = f == null ? plan.types[i][k] : plan.types[f.outputs()[k][0]][f.outputs()[k][1]];
                memory[i][k] = new Tensor(
                        t.dtype(), t.shape(), Buffer.lent(block.address() + offsets[k], RegionPlan.bytes(t)));
            }
        }
    }

    void close() {
        if (block != null) block.release();
    }
}
