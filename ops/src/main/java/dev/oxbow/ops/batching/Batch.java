package dev.oxbow.ops.batching;

import dev.oxbow.graph.Completion;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.ops.batching.BatchLine.Limits;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Joins the rows of many calls: one of them gets all, with whose they are, and the others none. */
@Signature(
        "Batch(in_tensors: T) -> (batched_tensors: T, batch_index: int64, id: int64) {num_batch_threads: int; max_batch_size: int; max_enqueued_batches: int = 10; batch_timeout_micros: int; allowed_batch_sizes: list(int) = []; grad_timeout_micros: int; container: string = \"\"; shared_name: string = \"\"; batching_queue: string = \"\"; T: list(type) >= 1}")
public record Batch(
        long numBatchThreads,
        long maxBatchSize,
        long maxEnqueuedBatches,
        long batchTimeoutMicros,
        List<Long> allowedBatchSizes,
        long gradTimeoutMicros,
        String container,
        String sharedName,
        String batchingQueue)
        implements NotDifferentiable, Taking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        List<TensorType> types = new ArrayList<>();
        for (int i = 0; i < c.inputCount(); i++) {
            c.rankAtLeast(i, 1);
            Shape s = c.shape(i);
            types.add(c.input(i).withShape(s.isRankKnown() ? s.withDim(0, -1) : s));
        }
        types.add(new TensorType(DType.I64, Shape.of(-1, 3)));
        types.add(new TensorType(DType.I64, Shape.SCALAR));
        return types;
    }

    @Override
    public Kernel cpu() {
        Limits limits =
                new Limits(numBatchThreads, maxBatchSize, batchTimeoutMicros, maxEnqueuedBatches, allowedBatchSizes);
        return c -> {
            List<Tensor> inputs = BatchTask.inputs(c, c.inputCount());
            Completion done = c.defer();
            long rows = inputs.get(0).shape().dim(0);
            BatchTask task = new BatchTask(
                    c, BatchLine.id(), inputs, rows, (outputs, error) -> BatchTask.end(c, done, outputs, error));
            try {
                BatchLine.of(c, container, sharedName, batchingQueue, limits)
                        .add(task, (tasks, ready) -> run(limits, tasks, ready));
            } catch (OxbowException e) {
                task.fail(e);
            }
        };
    }

    /** The last task gets the batch, filled up with copies of its first row; the others get no rows. */
    private static void run(Limits limits, List<BatchTask> tasks, Runnable ready) {
        BatchTask last = tasks.getLast();
        KernelContext c = last.context();
        List<Tensor> joined = new ArrayList<>();
        long rows = tasks.stream().mapToLong(BatchTask::rows).sum(), filled = limits.filled(rows);
        for (int i = 0; i < last.inputs().size(); i++) joined.add(Rows.batch(c, tasks, i, filled));
        Tensor index = c.memory().tensor(DType.I64, Shape.of(tasks.size(), 3), c.node());
        long from = 0;
        for (int k = 0; k < tasks.size(); k++) {
            long[] row = {tasks.get(k).id(), from, from += tasks.get(k).rows()};
            for (int d = 0; d < 3; d++) index.setLong(3L * k + d, row[d]);
        }
        joined.add(index);
        joined.add(id(last));
        List<List<Tensor>> outputs = new ArrayList<>();
        for (BatchTask t : tasks) outputs.add(t == last ? joined : none(t));
        for (int k = 0; k < tasks.size(); k++) tasks.get(k).give(outputs.get(k));
        ready.run();
    }

    private static List<Tensor> none(BatchTask t) {
        KernelContext c = t.context();
        List<Tensor> none = new ArrayList<>();
        for (Tensor x : t.inputs()) none.add(x.viewRows(0, 0));
        none.add(c.memory().tensor(DType.I64, Shape.of(0, 3), c.node()));
        none.add(id(t));
        return none;
    }

    private static Tensor id(BatchTask t) {
        Tensor id =
                t.context().memory().tensor(DType.I64, Shape.SCALAR, t.context().node());
        id.setLong(0, t.id());
        return id;
    }
}
