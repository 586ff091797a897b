package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** Numbers of the Poisson distributions with the given rates, as many of each as asked for. */
@Signature(
        "RandomPoissonV2(shape: S, rate: R) -> (output: dtype) {seed: int = 0; seed2: int = 0; S: type in [INT32 INT64]; R: type in [HALF FLOAT DOUBLE INT32 INT64] = DOUBLE; dtype: type in [HALF FLOAT DOUBLE INT32 INT64] = INT64} stateful")
public record RandomPoissonV2(long seed, long seed2, DType dtype) implements Randoms.Poisson {}
