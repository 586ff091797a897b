package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.parallel.ParameterStore.Rule;
import dev.oxbow.tensor.DType;
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

    private static void refused(String text, Runnable what) {
        OxbowException e = assertThrows(OxbowException.class, what::run);
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertEquals(text, e.text());
    }

    @Test
    void rowsThatAreNotThereAreRefusedAndOthersGoOnThoughServersHaveSharesOfThem() {
        try (Team team = new Team(Plan.parameterServer(2, 1).async())) {
            Plan plan = team.plan.at(team.cluster.server("worker", 0).target());
            Map<String, Tensor> start = Map.of("table", Tensor.zeros(DType.F32, Shape.of(100, 4)));
            try (ParameterStore s = ParameterStore.open(plan, 0, start, Rule.descent(1))) {
                Tensor one = Tensor.zeros(DType.F32, Shape.of(1, 4));
                Tensor far = Tensor.of(Shape.of(1), 100L), negative = Tensor.of(Shape.of(1), -1L);
                refused("ParameterStore: 'table' has 100 rows, got row 100", () -> s.pull("table", far));
                refused("ParameterStore: 'table' has 100 rows, got row -1", () -> s.push("table", negative, one));
                refused(
                        "ParameterStore: 'table' has gradients of shape [2,4] for 2 rows, got [1,4]",
                        () -> s.push("table", Tensor.of(Shape.of(2), 0L, 99L), one));
                refused(
                        "ParameterStore: rows of 'table' are an i64 vector, got i32[1]",
                        () -> s.pull("table", Tensor.of(Shape.of(1), 3)));
                s.push("table", Tensor.of(Shape.of(2), 0L, 99L), Tensor.of(Shape.of(2, 4), 1f, 1, 1, 1, 2, 2, 2, 2));
                try (Results r = s.pull("table", Tensor.of(Shape.of(3), 99L, 50L, 0L))) {
                    assertArrayEquals(
                            new float[] {-2, -2, -2, -2, 0, 0, 0, 0, -1, -1, -1, -1},
                            r.get(0).floats());
                }
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
