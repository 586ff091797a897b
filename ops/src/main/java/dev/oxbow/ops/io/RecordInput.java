package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Random records of files, without an end. */
@Signature("RecordInput() -> (records: string) {file_pattern: string; file_random_seed: int = 301;"
        + " file_shuffle_shift_ratio: float = 0; file_buffer_size: int = 10000; file_parallelism: int = 16;"
        + " batch_size: int = 32; compression_type: string = \"\"} stateful")
public record RecordInput(
        String filePattern,
        int fileRandomSeed,
        float fileShuffleShiftRatio,
        int fileBufferSize,
        int fileParallelism,
        int batchSize,
        String compressionType)
        implements NotDifferentiable, Changing {

    @Override
    public boolean isInput() {
        return true;
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(batchSize > 0, INVALID_ARGUMENT, "batch_size must be positive, got %d", batchSize);
        return List.of(new TensorType(DType.STRING, Shape.of(batchSize)));
    }

    @Override
    public Kernel cpu() {
        FileRecords.checkCompression(compressionType);
        require(
                fileBufferSize > 0 && fileShuffleShiftRatio >= 0 && fileShuffleShiftRatio <= 1,
                INVALID_ARGUMENT,
                "file_buffer_size must be positive and file_shuffle_shift_ratio in [0, 1], got %d and %s",
                fileBufferSize,
                fileShuffleShiftRatio);
        return c -> {
            ShuffledRecords records =
                    c.containers().lookupOrCreate("", c.node(), ShuffledRecords.class, () -> new ShuffledRecords(this));
            Tensor out = c.output(0);
            for (int i = 0; i < batchSize; i++) out.objects()[i] = records.next();
        };
    }
}
