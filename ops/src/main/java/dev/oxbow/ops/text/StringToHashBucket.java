package dev.oxbow.ops.text;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.text.Hashes;
import dev.oxbow.ops.NotDifferentiable;
import java.util.List;

/** A bucket for each string by its hash. */
@Signature("StringToHashBucket(string_tensor: string) -> (output: int64) {num_buckets: int >= 1}")
public record StringToHashBucket(long numBuckets) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Strings.like(c);
    }

    @Override
    public Kernel cpu() {
        return Strings.count(s -> Long.remainderUnsigned(Hashes.murmur(s), numBuckets));
    }
}
