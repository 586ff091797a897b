package dev.oxbow.testing.samples;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** All families of samples; as a program it writes their cases for the recorder: {@code Families DIRECTORY}. */
public final class Families {
    private Families() {}

    public static List<SampleFamily> all() {
        return List.of(
                new ArraySamples(),
                new FlowSamples(),
                new ImageSamples(),
                new IoSamples(),
                new LinalgSamples(),
                new LookupSamples(),
                new MathSamples(),
                new NnSamples(),
                new QueueSamples(),
                new RandomSamples(),
                new SignalSamples(),
                new SparseSamples(),
                new StateSamples(),
                new TextSamples());
    }

    public static void main(String[] arguments) throws java.io.IOException {
        Path directory = Files.createDirectories(Path.of(arguments[0]));
        for (SampleFamily f : all()) CaseWriter.write(f.samples(), directory.resolve(f.name() + ".zip"));
    }
}
