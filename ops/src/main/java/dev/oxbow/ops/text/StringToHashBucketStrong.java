package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.text.Hashes;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** A bucket for each string by a keyed hash, which nobody without the key can aim at. */
@Signature("StringToHashBucketStrong(input: string) -> (output: int64) {num_buckets: int >= 1; key: list(int)}")
public record StringToHashBucketStrong(long numBuckets, List<Long> key) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        require(key.size() == 2, INVALID_ARGUMENT, "Key must have 2 elements, got %d", key.size());
        return Strings.count(s -> Long.remainderUnsigned(Hashes.sip(key.get(0), key.get(1), s), numBuckets));
    }
}
