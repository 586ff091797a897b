package dev.oxbow.ops.random;

import dev.oxbow.graph.Signature;

/** Numbers of the Poisson distributions with the given rates, as many of each as asked for. */
@Signature(
        "RandomPoisson(shape: S, rate: dtype) -> (output: dtype) {seed: int = 0; seed2: int = 0; S: type in [INT32 INT64]; dtype: type in [HALF FLOAT DOUBLE]} stateful")
public record RandomPoisson(long seed, long seed2) implements Randoms.Poisson {}
