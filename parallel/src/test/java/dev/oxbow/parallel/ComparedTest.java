package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Fill;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks compare what they would exchange, and not only the graphs that it follows from. */
@Timeout(300)
final class ComparedTest {

    @Test
    void ranksWhoseExchangesDifferAreToldBeforeDataMoves() {
        try (Workers team = new Workers(2)) {
            List<Long> sent = team.run(job -> {
                Graph g = new Graph();
                Ops ops = Ops.in(g);
                Value x = ops.placeholder("x", DType.F32, Shape.of(-1));
                // nine dimensions are a constant that is too large to be compared, as start values of parameters are
                long[] dims = {1, 1, 1, 1, 1, 1, 1, 2, 3 + job.rank()};
                Value ones = Value.apply(new Fill(), ops.constant(Tensor.of(Shape.of(9), dims)), ops.constant(1f));
                Value sums =
                        x.reshape(-1, 1, 1, 1, 1, 1, 1, 1, 1, 1).times(ones).sum(0);
                try (Session s = Plan.ring()
                                .open(g, EngineOptions.defaults().withThreads(1), SessionOptions.defaults(), job);
                        Tensor t = Tensor.of(Shape.of(2), 1f, 2f)) {
                    OxbowException e = assertThrows(
                            OxbowException.class,
                            () -> s.feed(x.edge(), t).fetch(sums.edge()).run());
                    assertEquals(ErrorCode.FAILED_PRECONDITION, e.code());
                    int other = 1 - job.rank();
                    assertTrue(
                            e.getMessage()
                                    .contains("rank " + job.rank() + " would exchange other values than ranks [" + other
                                            + "], though all have the same graph"),
                            e.getMessage());
                    return job.trace().bytesSent();
                }
            });
            for (long bytes : sent) assertTrue(bytes < 4096, bytes + " bytes");
        }
    }
}
