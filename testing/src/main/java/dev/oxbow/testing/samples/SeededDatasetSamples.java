package dev.oxbow.testing.samples;

import static dev.oxbow.testing.samples.DatasetParts.ANY;
import static dev.oxbow.testing.samples.DatasetParts.LONG;
import static dev.oxbow.testing.samples.DatasetParts.flag;
import static dev.oxbow.testing.samples.DatasetParts.number;
import static dev.oxbow.testing.samples.DatasetParts.range;
import static dev.oxbow.testing.samples.DatasetParts.unary;
import static dev.oxbow.testing.samples.SampleFamily.named;

import dev.oxbow.graph.Edge;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Samples of data sets that are random or kept, and of seeds, memories and iterators that only a graph itself can find. */
final class SeededDatasetSamples {
    private final DatasetSamples family;

    SeededDatasetSamples(DatasetSamples family) {
        this.family = family;
    }

    void define() {
        random();
        anonymous();
        family.unanswered(
                "AnonymousRandomSeedGenerator", "TensorFlow 2.21 asks for an input that the op does not have");
        family.unanswered("DeleteRandomSeedGenerator", "TensorFlow 2.21 can not make what it would free");
        family.unanswered("DeleteSeedGenerator", "TensorFlow 2.21 frees by counts, and refuses to");
        family.unanswered("DeleteMemoryCache", "TensorFlow 2.21 frees by counts, and refuses to");
    }

    private void random() {
        family.walk("RandomDataset", 5, LONG, p -> unary(p, "RandomDataset", number(p, 5), number(p, 9)));
        for (double rate : new double[] {0.3, 0.8})
            family.walk(
                    "SamplingDataset",
                    8,
                    LONG,
                    p -> unary(
                            p,
                            "SamplingDataset",
                            range(p, 0, 10, 1),
                            p.constant(Tensor.scalar((float) rate)),
                            number(p, 5),
                            number(p, 9)));
        for (boolean again : new boolean[] {false, true}) {
            family.walk(
                    "ShuffleAndRepeatDataset",
                    11,
                    LONG,
                    p -> p.add(
                                    named(
                                            "ShuffleAndRepeatDataset",
                                            "reshuffle_each_iteration",
                                            again,
                                            "output_types",
                                            LONG,
                                            "output_shapes",
                                            ANY),
                                    range(p, 0, 5, 1),
                                    number(p, 3),
                                    number(p, 5),
                                    number(p, 9),
                                    number(p, 2))
                            .edge(0));
            for (String op : List.of("ShuffleDatasetV3", "DummySeedGenerator"))
                family.walk(
                        op,
                        6,
                        LONG,
                        p -> p.add(
                                        named(
                                                "ShuffleDatasetV3",
                                                "reshuffle_each_iteration",
                                                again,
                                                "output_types",
                                                LONG,
                                                "output_shapes",
                                                ANY),
                                        range(p, 0, 5, 1),
                                        number(p, 3),
                                        number(p, 5),
                                        number(p, 9),
                                        p.add(named("DummySeedGenerator")).edge(0))
                                .edge(0));
            family.walk(
                    "ShuffleAndRepeatDatasetV2",
                    11,
                    LONG,
                    p -> p.add(
                                    named(
                                            "ShuffleAndRepeatDatasetV2",
                                            "reshuffle_each_iteration",
                                            again,
                                            "output_types",
                                            LONG,
                                            "output_shapes",
                                            ANY),
                                    range(p, 0, 5, 1),
                                    number(p, 3),
                                    number(p, 5),
                                    number(p, 9),
                                    number(p, 2),
                                    p.add(named("DummySeedGenerator")).edge(0))
                            .edge(0));
            family.walk(
                    "RandomDatasetV2",
                    4,
                    LONG,
                    p -> p.add(
                                    named(
                                            "RandomDatasetV2",
                                            "rerandomize_each_iteration",
                                            again,
                                            "output_types",
                                            LONG,
                                            "output_shapes",
                                            ANY),
                                    number(p, 5),
                                    number(p, 9),
                                    p.add(named("DummySeedGenerator")).edge(0))
                            .edge(0));
        }
        for (String op : List.of("CacheDatasetV2", "DummyMemoryCache"))
            family.walk(
                    op,
                    7,
                    LONG,
                    p -> unary(
                            p,
                            "RepeatDataset",
                            unary(
                                    p,
                                    "CacheDatasetV2",
                                    range(p, 0, 3, 1),
                                    p.constant(Tensor.scalar("")),
                                    p.add(named("DummyMemoryCache")).edge(0)),
                            number(p, 2)));
    }

    /** An iterator and the like that only this graph can find, made, used and freed in one step. */
    private void anonymous() {
        family.program("IteratorGetNextAsOptional", p -> {
            Edge it = p.add(named(
                            "IteratorV2",
                            "shared_name",
                            "",
                            "container",
                            "",
                            "output_types",
                            LONG,
                            "output_shapes",
                            ANY))
                    .edge(0);
            var make = p.add(named("MakeIterator"), range(p, 0, 2, 1), it);
            Edge next = p.add(named("IteratorGetNextAsOptional", "output_types", LONG, "output_shapes", ANY), it)
                    .edge(0);
            Edge has = p.add(named("OptionalHasValue"), next).edge(0);
            Edge value = p.add(named("OptionalGetValue", "output_types", LONG, "output_shapes", ANY), next)
                    .edge(0);
            p.target(make).fetch(has, value).fetch(has).fetch(has).fetch(value);
        });
        for (String op : List.of("AnonymousIterator", "AnonymousIteratorV2", "AnonymousIteratorV3", "DeleteIterator"))
            family.program(op, p -> {
                String made = op.startsWith("Delete") ? "AnonymousIteratorV2" : op;
                var it = p.add(named(made, "output_types", LONG, "output_shapes", ANY));
                var make = p.add(named("MakeIterator"), range(p, 4, 6, 1), it.edge(0));
                Edge next = p.addAfter(
                                named("IteratorGetNext", "output_types", LONG, "output_shapes", ANY), make, it.edge(0))
                        .edge(0);
                p.fetch(next);
                if (op.startsWith("Delete")) p.target(p.addAfter(named(op), next.node(), it.edge(0), it.edge(1)));
            });
        seeds();
    }

    private void seeds() {
        for (String op : List.of(
                "AnonymousSeedGenerator",
                "AnonymousRandomSeedGenerator",
                "ShuffleDatasetV2",
                "DeleteSeedGenerator",
                "DeleteRandomSeedGenerator"))
            family.program(op, p -> {
                boolean drawn = op.contains("Random");
                var seeds = drawn
                        ? p.add(named("AnonymousRandomSeedGenerator"), number(p, 5), number(p, 9))
                        : p.add(named("AnonymousSeedGenerator"), number(p, 5), number(p, 9), flag(p, true));
                Edge set = unary(p, "ShuffleDatasetV2", range(p, 0, 6, 1), number(p, 6), seeds.edge(0));
                Edge all = p.add(
                                named("DatasetToSingleElement", "output_types", LONG, "output_shapes", ANY),
                                unary(p, "BatchDataset", set, number(p, 6)))
                        .edge(0);
                p.fetch(all);
                if (op.startsWith("Delete")) p.target(p.addAfter(named(op), all.node(), seeds.edge(0), seeds.edge(1)));
            });
        for (String op : List.of("AnonymousMemoryCache", "DeleteMemoryCache"))
            family.program(op, p -> {
                var cache = p.add(named("AnonymousMemoryCache"));
                Edge set = unary(
                        p,
                        "RepeatDataset",
                        unary(p, "CacheDatasetV2", range(p, 0, 3, 1), p.constant(Tensor.scalar("")), cache.edge(0)),
                        number(p, 2));
                Edge all = p.add(
                                named("DatasetToSingleElement", "output_types", LONG, "output_shapes", ANY),
                                unary(p, "BatchDataset", set, number(p, 6)))
                        .edge(0);
                p.fetch(all);
                if (op.startsWith("Delete")) p.target(p.addAfter(named(op), all.node(), cache.edge(0), cache.edge(1)));
            });
    }
}
