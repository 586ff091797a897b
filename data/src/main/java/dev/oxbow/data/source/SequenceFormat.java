package dev.oxbow.data.source;

import dev.oxbow.data.pipeline.Draw;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Feature;
import dev.oxbow.wire.Features;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Which features of SequenceExamples become tensors of a sample: those of the context first, then lists of features, each as a tensor
 * whose first dimension counts its steps: {@code records.map("parse", 0, format)}. Lengths differ between samples, so they are padded or
 * put into buckets before they are batches.
 *
 * {@snippet :
 * SequenceFormat format = SequenceFormat.of(ExampleFormat.of().with("class", DType.I64)).with("words", DType.I64);
 * Pipeline<Batch> batches = TfRecords.of("data/*.tfrecord").map("parse", 0, format).paddedBatch(32, Shape.SCALAR, Shape.of(-1));
 * }
 *
 * @param steps what each step has, in a fixed shape; a list that may be missing has no steps then
 */
public record SequenceFormat(ExampleFormat context, List<ExampleFormat.Field> steps)
        implements Pipeline.Mapper<Record, Sample> {

    public SequenceFormat {
        steps = List.copyOf(steps);
        for (ExampleFormat.Field f : steps) ExampleFormat.requireKnown(f);
    }

    public static SequenceFormat of(ExampleFormat context) {
        return new SequenceFormat(context, List.of());
    }

    /** With a list of features that must be there, each step of this shape. */
    public SequenceFormat with(String name, DType dtype, long... shape) {
        return with(new ExampleFormat.Field(name, dtype, Shape.of(shape), false));
    }

    public SequenceFormat with(ExampleFormat.Field list) {
        List<ExampleFormat.Field> all = new ArrayList<>(steps);
        all.add(list);
        return new SequenceFormat(context, all);
    }

    @Override
    public Sample apply(Record sequence, Draw draw) {
        return parse(sequence);
    }

    /** The features of a SequenceExample. */
    public Sample parse(Record sequence) {
        List<Tensor> all = new ArrayList<>();
        try {
            if (!context.fields().isEmpty()) all.addAll(context.parse(sequence).tensors());
            List<Features.NamedList> lists = Features.lists(sequence.bytes());
            for (ExampleFormat.Field f : steps) all.add(list(sequence, lists, f));
            return new Sample(all);
        } catch (OxbowException e) {
            all.forEach(Tensor::close);
            throw ExampleFormat.named(sequence, e);
        }
    }

    private static Tensor list(Record sequence, List<Features.NamedList> lists, ExampleFormat.Field f) {
        byte[] name = f.name().getBytes(StandardCharsets.UTF_8);
        List<Feature> found = null;
        for (Features.NamedList l : lists) if (Arrays.equals(l.name(), name)) found = l.steps();
        if (found == null && !f.optional())
            throw sequence.broken(
                    "there is no list '%s', only %s",
                    f.name(),
                    lists.stream()
                            .map(l -> new String(l.name(), StandardCharsets.UTF_8))
                            .toList());
        List<Feature> steps = found == null ? List.of() : found;
        Shape shape = Shape.of(steps.size()).concat(f.shape());
        return f.dtype() == DType.STRING ? strings(sequence, steps, f, shape) : numbers(sequence, steps, f, shape);
    }

    private static Tensor numbers(Record sequence, List<Feature> steps, ExampleFormat.Field f, Shape shape) {
        int wanted = Math.toIntExact(f.shape().size());
        Tensor all = Tensor.allocate(f.dtype(), shape);
        try {
            for (int i = 0; i < steps.size(); i++) {
                long at = all.address() + (long) i * wanted * f.dtype().size();
                check(sequence, f, i, steps.get(i));
                int n = f.dtype() == DType.F32
                        ? steps.get(i).putFloats(at, wanted)
                        : steps.get(i).putLongs(at, wanted);
                check(sequence, f, i, n);
            }
            return all;
        } catch (OxbowException e) {
            all.close();
            throw e;
        }
    }

    private static Tensor strings(Record sequence, List<Feature> steps, ExampleFormat.Field f, Shape shape) {
        int wanted = Math.toIntExact(f.shape().size());
        Object[] all = new Object[Math.toIntExact(shape.size())];
        for (int i = 0; i < steps.size(); i++) {
            check(sequence, f, i, steps.get(i));
            check(sequence, f, i, steps.get(i).putStrings(all, i * wanted, wanted));
        }
        return Tensor.ofObjects(DType.STRING, shape, all);
    }

    private static void check(Record sequence, ExampleFormat.Field f, int step, Feature feature) {
        Feature.Kind wanted = ExampleFormat.kind(f.dtype());
        if (feature.kind() != wanted)
            throw sequence.broken(
                    "step %d of list '%s' is a list of %s, wanted is %s", step, f.name(), feature.kind(), wanted);
    }

    private static void check(Record sequence, ExampleFormat.Field f, int step, int values) {
        if (values != f.shape().size())
            throw sequence.broken(
                    "step %d of list '%s' has %d values, wanted is %s", step, f.name(), values, f.shape());
    }
}
