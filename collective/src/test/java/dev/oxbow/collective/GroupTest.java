package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class GroupTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 7})
    void tensorsOfAllRanksAreAddedInPlace(int size) {
        try (Job job = new Job(size)) {
            List<float[]> sums = job.run(c -> {
                try (Tensor t = Tensor.of(Shape.of(2, 2), c.rank(), 1f, 10f * c.rank(), -1f)) {
                    c.world().allReduce(t).await();
                    return t.floats();
                }
            });
            float n = size * (size - 1) / 2f;
            for (float[] s : sums) assertArrayEquals(new float[] {n, size, 10 * n, -size}, s);
        }
    }

    @Test
    void namedCallsMeetInAnyOrder() {
        try (Job job = new Job(3)) {
            job.run(c -> {
                int n = 20;
                Tensor[] tensors = new Tensor[n];
                Pending[] pending = new Pending[n];
                for (int i = 0; i < n; i++) tensors[i] = Tensor.of(Shape.of(1), i * (c.rank() + 1));
                for (int i = 0; i < n; i++) {
                    int k = c.rank() == 1 ? n - 1 - i : c.rank() == 2 ? (i + 7) % n : i;
                    pending[k] = c.world().allReduce(tensors[k], Reduction.SUM, Options.named("t" + k));
                }
                for (int i = 0; i < n; i++) {
                    pending[i].await();
                    assertEquals(6 * i, tensors[i].ints()[0]);
                    tensors[i].close();
                }
                return null;
            });
        }
    }
}
