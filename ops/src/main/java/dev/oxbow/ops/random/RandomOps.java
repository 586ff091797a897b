package dev.oxbow.ops.random;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Random numbers: the list of this package's ops. */
public final class RandomOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "AllCandidateSampler",
                "ComputeAccidentalHits",
                "FixedUnigramCandidateSampler",
                "KMC2ChainInitialization",
                "KmeansPlusPlusInitialization",
                "LearnedUnigramCandidateSampler",
                "LogUniformCandidateSampler",
                "Multinomial",
                "NonDeterministicInts",
                "ParameterizedTruncatedNormal",
                "RandomCrop",
                "RandomGamma",
                "RandomGammaGrad",
                "RandomIndexShuffle",
                "RandomPoisson",
                "RandomPoissonV2",
                "RandomShuffle",
                "RandomStandardNormal",
                "RandomUniform",
                "RandomUniformInt",
                "RngReadAndSkip",
                "RngSkip",
                "SampleDistortedBoundingBox",
                "SampleDistortedBoundingBoxV2",
                "StatefulRandomBinomial",
                "StatefulStandardNormal",
                "StatefulStandardNormalV2",
                "StatefulTruncatedNormal",
                "StatefulUniform",
                "StatefulUniformFullInt",
                "StatefulUniformInt",
                "StatelessMultinomial",
                "StatelessParameterizedTruncatedNormal",
                "StatelessRandomBinomial",
                "StatelessRandomGammaV2",
                "StatelessRandomGammaV3",
                "StatelessRandomGetAlg",
                "StatelessRandomGetKeyCounter",
                "StatelessRandomGetKeyCounterAlg",
                "StatelessRandomNormal",
                "StatelessRandomNormalV2",
                "StatelessRandomPoisson",
                "StatelessRandomUniform",
                "StatelessRandomUniformFullInt",
                "StatelessRandomUniformFullIntV2",
                "StatelessRandomUniformInt",
                "StatelessRandomUniformIntV2",
                "StatelessRandomUniformV2",
                "StatelessSampleDistortedBoundingBox",
                "StatelessShuffle",
                "StatelessTruncatedNormal",
                "StatelessTruncatedNormalV2",
                "ThreadUnsafeUnigramCandidateSampler",
                "TruncatedNormal",
                "UniformCandidateSampler");
    }
}
