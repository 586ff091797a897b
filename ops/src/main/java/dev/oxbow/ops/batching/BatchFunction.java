package dev.oxbow.ops.batching;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.Completion;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Functions;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.ops.batching.BatchLine.Limits;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Calls a function once for the rows of many calls; each gets the rows that are its own. */
@Signature(
        "BatchFunction(in_tensors: Tin, captured_tensors: Tcaptured) -> (out_tensors: Tout) {f: func; num_batch_threads: int; max_batch_size: int; batch_timeout_micros: int; max_enqueued_batches: int = 10; allowed_batch_sizes: list(int) = []; container: string = \"\"; shared_name: string = \"\"; batching_queue: string = \"\"; low_priority_max_batch_size: int = 0; low_priority_batch_timeout_micros: int = 0; low_priority_allowed_batch_sizes: list(int) = []; low_priority_max_enqueued_batches: int = 0; mixed_priority_policy: string in [\"low_priority_padding_with_max_batch_size\" \"low_priority_padding_with_next_allowed_batch_size\" \"priority_isolation\" \"priority_merge\"] = \"low_priority_padding_with_max_batch_size\"; batch_padding_policy: string in [\"PAD_UP\" \"BATCH_DOWN\" \"MINIMIZE_TPU_COST_PER_REQUEST\"] = \"PAD_UP\"; Tin: list(type) >= 1; Tcaptured: list(type) >= 0; Tout: list(type) >= 1; enable_large_batch_splitting: bool = false}")
public record BatchFunction(
        FunctionRef f,
        long numBatchThreads,
        long maxBatchSize,
        long batchTimeoutMicros,
        long maxEnqueuedBatches,
        List<Long> allowedBatchSizes,
        String container,
        String sharedName,
        String batchingQueue,
        long lowPriorityMaxBatchSize,
        long lowPriorityBatchTimeoutMicros,
        List<Long> lowPriorityAllowedBatchSizes,
        long lowPriorityMaxEnqueuedBatches,
        String mixedPriorityPolicy,
        String batchPaddingPolicy,
        @Attr("Tin") List<DType> in,
        @Attr("Tout") List<DType> out,
        boolean enableLargeBatchSplitting)
        implements NotDifferentiable, Taking {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return out.stream().map(TensorType::of).toList();
    }

    @Override
    public Kernel cpu() {
        long most =
                enableLargeBatchSplitting && !allowedBatchSizes.isEmpty() ? allowedBatchSizes.getLast() : maxBatchSize;
        Limits limits = new Limits(numBatchThreads, most, batchTimeoutMicros, maxEnqueuedBatches, allowedBatchSizes);
        return c -> {
            int wanted = c.functions().library().get(f).arguments().size();
            require(
                    wanted == c.inputCount(),
                    INVALID_ARGUMENT,
                    "Function takes %d argument(s) but %d argument(s) were passed",
                    wanted,
                    c.inputCount());
            List<Tensor> inputs = BatchTask.inputs(c, in.size());
            long rows = inputs.get(0).shape().dim(0);
            BatchLine line = BatchLine.of(c, container, sharedName, batchingQueue, limits);
            long part = enableLargeBatchSplitting ? most : Math.max(1, rows);
            Parts parts = new Parts(c, c.defer(), Math.toIntExact(Math.max(1, (rows + part - 1) / part)));
            for (int k = 0; k < parts.results.size(); k++) {
                int at = k;
                long from = k * part, to = Math.min(rows, from + part);
                List<Tensor> own = new ArrayList<>();
                for (Tensor t : inputs) own.add(t.viewRows(from, to - from));
                BatchTask task = new BatchTask(c, BatchLine.id(), own, to - from, (o, e) -> parts.give(at, o, e));
                try {
                    line.add(task, (tasks, done) -> run(limits, tasks, done));
                } catch (OxbowException e) {
                    task.fail(e);
                }
            }
            Rows.release(inputs);
        };
    }

    /** Calls the function for a batch, filled up with copies of its first row. */
    private void run(Limits limits, List<BatchTask> tasks, Runnable done) {
        KernelContext c = tasks.getLast().context();
        long rows = tasks.stream().mapToLong(BatchTask::rows).sum(), filled = limits.filled(rows);
        List<Tensor> arguments = new ArrayList<>();
        for (int i = 0; i < in.size(); i++) arguments.add(Rows.batch(c, tasks, i, filled));
        int batched = arguments.size();
        for (int i = batched; i < c.inputCount(); i++) arguments.add(c.input(i));
        c.functions().call(f, arguments, (results, error) -> {
            Rows.release(arguments.subList(0, batched));
            try {
                if (error == null) share(tasks, Functions.onHost(results), filled);
                else for (BatchTask t : tasks) t.fail(error);
            } finally {
                done.run();
            }
        });
    }

    /** Gives each task the rows that are its own. */
    private static void share(List<BatchTask> tasks, List<Tensor> results, long filled) {
        for (Tensor t : results)
            if (t.shape().rank() == 0 || t.shape().dim(0) != filled) {
                OxbowException e = new OxbowException(
                        INVALID_ARGUMENT,
                        "Batched output tensor's 0th dimension does not equal the sum of the 0th dimension sizes of the input tensors: %s for %d"
                                .formatted(t.shape(), filled));
                Rows.release(results);
                for (BatchTask each : tasks) each.fail(e);
                return;
            }
        List<List<Tensor>> shares = new ArrayList<>();
        long from = 0;
        for (BatchTask task : tasks) {
            List<Tensor> own = new ArrayList<>();
            for (Tensor t : results) own.add(t.viewRows(from, task.rows()));
            shares.add(own);
            from += task.rows();
        }
        Rows.release(results);
        for (int i = 0; i < shares.size(); i++) tasks.get(i).give(shares.get(i));
    }

    /** The parts of one call, which may be in several batches. */
    private static final class Parts {
        private final KernelContext c;
        private final Completion done;
        private final List<List<Tensor>> results;
        private int missing;
        private Throwable failure;

        private Parts(KernelContext c, Completion done, int n) {
            this.c = c;
            this.done = done;
            this.missing = n;
            results = new ArrayList<>(Collections.nCopies(n, null));
        }

        private void give(int k, List<Tensor> outputs, Throwable error) {
            synchronized (this) {
                results.set(k, outputs);
                if (error != null) failure = error;
                if (--missing > 0) return;
            }
            List<Tensor> joined = null;
            Throwable why = failure;
            try {
                if (why == null) joined = joined();
            } catch (RuntimeException | Error e) {
                why = e;
            }
            for (List<Tensor> part : results) if (part != null) Rows.release(part);
            BatchTask.end(c, done, joined, why);
        }

        private List<Tensor> joined() {
            List<Tensor> joined = new ArrayList<>();
            for (int i = 0; i < c.outputCount(); i++) {
                List<Tensor> parts = new ArrayList<>();
                for (List<Tensor> part : results) parts.add(part.get(i));
                joined.add(Rows.join(c, parts));
            }
            return joined;
        }
    }
}
