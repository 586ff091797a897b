package dev.oxbow.train;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.ops.Parameter;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.layer.Layer;
import dev.oxbow.wire.SafeTensors;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Outputs and gradients of layers that other software has recorded. */
final class LayerAnswers implements AutoCloseable {
    private final SafeTensors answers;

    LayerAnswers(String file) {
        this.answers = SafeTensors.open(Path.of("src/test/answers", file));
    }

    /** The cases that are there. */
    Set<String> cases() {
        return answers.names().stream()
                .map(n -> n.substring(0, n.indexOf('/')))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    DType dtype(String name) {
        return answers.dtype(name + "/y");
    }

    /** Fails unless a layer with the recorded parameters gives what was recorded, gradients too unless it only evaluates. */
    void check(String name, Layer layer, DType dtype, boolean training) {
        double tolerance = dtype == DType.F64 ? 1e-7 : 1e-5; // some constants of Keras are f32 in f64 too
        try (Tensor x = answers.read(name + "/x");
                LayerCheck check = LayerCheck.on(layer, dtype, x)) {
            for (Parameter p : check.model().variables())
                if (answers.names().contains(name + "/p/" + p.name()))
                    try (Tensor recorded = answers.read(name + "/p/" + p.name())) {
                        check.assign(p, LayerCheck.as(dtype, recorded));
                    }
            assertArrayEquals(doubles(name + "/y"), training ? check.trained() : check.evaluated(), tolerance, name);
            if (!training) return;
            Map<String, double[]> gradients = check.gradients();
            for (Parameter p : check.model().parameters()) {
                assertTrue(answers.names().contains(name + "/d/" + p.name()), p.name());
                assertArrayEquals(doubles(name + "/d/" + p.name()), gradients.get(p.name()), tolerance, p.name());
            }
            if (gradients.containsKey("input"))
                assertArrayEquals(doubles(name + "/dx"), gradients.get("input"), tolerance, "input");
        }
    }

    private double[] doubles(String name) {
        try (Tensor t = answers.read(name)) {
            double[] all = new double[(int) t.size()];
            for (int i = 0; i < all.length; i++) all[i] = t.getDouble(i);
            return all;
        }
    }

    @Override
    public void close() {
        answers.close();
    }
}
