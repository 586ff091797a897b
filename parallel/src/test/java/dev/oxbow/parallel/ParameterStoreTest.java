package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.parallel.ParameterStore.Rule;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Parameters on servers, pulled and pushed by hand. */
@Timeout(300)
final class ParameterStoreTest {
    private static Map<String, Tensor> start() {
        return Map.of("w", Tensor.of(Shape.of(3, 2), 1f, 2f, 3f, 4f, 5f, 6f), "b", Tensor.of(Shape.of(2), 10f, 20f));
    }

    private static float[] pulled(ParameterStore s, String key) {
        try (Results r = s.pull(List.of(key))) {
            return r.get(0).floats();
        }
    }

    @Test
    void everyPushOfEveryWorkerChangesWhatAllPull() {
        try (Team team = new Team(Plan.parameterServer(2, 3).async())) {
            team.run(w -> {
                Plan plan = team.plan.at(team.cluster.server("worker", w).target());
                try (ParameterStore s = ParameterStore.open(plan, w, start(), Rule.descent(0.5))) {
                    for (int i = 0; i < 4; i++) s.push(Map.of("b", Tensor.of(Shape.of(2), 1f, w)));
                    return null;
                }
            });
            Plan plan = team.plan.at(team.cluster.server("worker", 0).target());
            try (ParameterStore s = ParameterStore.open(plan, 0, start(), Rule.descent(0.5))) {
                assertArrayEquals(new float[] {10 - 12 * 0.5f, 20 - 4 * 3 * 0.5f}, pulled(s, "b"));
                assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6}, pulled(s, "w"));
            }
        }
    }

    @Test
    void rowsArePulledAndPushedByThemselves() {
        try (Team team = new Team(Plan.parameterServer(1, 1).async())) {
            Plan plan = team.plan.at(team.cluster.server("worker", 0).target());
            try (ParameterStore s = ParameterStore.open(plan, 0, start(), Rule.adagrad(1))) {
                s.push("w", Tensor.of(Shape.of(1), 2L), Tensor.of(Shape.of(1, 2), 1f, 3f));
                float first = 1 / (float) Math.sqrt(1.1), second = 3 / (float) Math.sqrt(9.1);
                try (Results r = s.pull("w", Tensor.of(Shape.of(2), 2L, 0L))) {
                    assertArrayEquals(
                            new float[] {5 - first, 6 - second, 1, 2}, r.get(0).floats(), 1e-5f);
                }
                OxbowException e = assertThrows(OxbowException.class, () -> s.pull(List.of("x")));
                assertEquals(ErrorCode.NOT_FOUND, e.code());
            }
        }
    }

    @Test
    void workersThatWaitForEachOtherHaveNoStore() {
        OxbowException e = assertThrows(
                OxbowException.class,
                () -> ParameterStore.open(Plan.parameterServer(1, 1), 0, start(), Rule.descent(1)));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    }
}
