package dev.oxbow.testing.samples;

import java.util.List;

/** All families of samples. */
public final class Families {
    private Families() {}

    public static List<SampleFamily> all() {
        return List.of(
                new ArraySamples(),
                new BatchingSamples(),
                new CsrSamples(),
                new CtcSamples(),
                new DatasetSamples(),
                new DebugSamples(),
                new FlowSamples(),
                new ImageSamples(),
                new IoSamples(),
                new LinalgSamples(),
                new LookupSamples(),
                new MathSamples(),
                new NnSamples(),
                new ParseSamples(),
                new QuantisedSamples(),
                new QueueSamples(),
                new RandomSamples(),
                new SignalSamples(),
                new SparseSamples(),
                new StateSamples(),
                new SummarySamples(),
                new TextSamples());
    }
}
