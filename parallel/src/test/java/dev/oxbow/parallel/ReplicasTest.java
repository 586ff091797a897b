package dev.oxbow.parallel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Copies of variables on the devices of one process. */
@Timeout(300)
final class ReplicasTest {
    private static final EngineOptions ONE_THREAD = EngineOptions.defaults().withThreads(1);

    private static List<List<Tensor>> batches(Model m, int count) {
        List<List<Tensor>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<Tensor> one = new ArrayList<>();
            for (Value v : m.inputs) one.add(m.numbers(v, 5, 3));
            all.add(one);
        }
        return all;
    }

    /** Reads the copy of a variable on a device. */
    private static Value variable(Graph graph, Parameter p, int device) {
        try (var _ = graph.device("cpu:" + device)) {
            VarHandleOp op =
                    new VarHandleOp("", p.name(), "", DType.F64, p.value().shape(), List.of());
            Value handle = Value.of(graph.add(op, List.of()).edge(0));
            return Value.apply(new ReadVariableOp(DType.F64), handle);
        }
    }

    @Test
    void everyDeviceHasACopyAndAllStayAlike() {
        for (boolean owners : new boolean[] {false, true}) {
            Model m = Models.MLP.model(3, DType.F64);
            Plan plan = Plan.replicas(3).withOwners(owners);
            try (Session s = plan.open(m.graph, ONE_THREAD, SessionOptions.defaults(), null)) {
                m.train(s, batches(m, 4));
                try (Results first =
                        s.fetch(m.parameters.getFirst().value().edge()).run()) {
                    for (int device = 1; device < 3; device++) {
                        Value copy = variable(m.graph, m.parameters.getFirst(), device);
                        try (Results r = s.fetch(copy.edge()).run()) {
                            assertArrayEquals(first.get(0).doubles(), r.get(0).doubles(), "device " + device);
                        }
                    }
                }
            }
        }
    }

    @Test
    void onHostThereIsOneOfEachVariable() {
        Model m = Models.MLP.model(3, DType.F64);
        try (Session s = Plan.replicas(2).onHost().open(m.graph, ONE_THREAD, SessionOptions.defaults(), null)) {
            m.train(s, batches(m, 1));
            Value copy = variable(m.graph, m.parameters.getFirst(), 1);
            OxbowException e = assertThrows(
                    OxbowException.class, () -> s.fetch(copy.edge()).run());
            assertEquals(ErrorCode.FAILED_PRECONDITION, e.code());
        }
    }

    @Test
    void aValueOfAllCopiesIsFetchedOnce() {
        Model m = Models.MLP.model(3, DType.F64);
        Value doubled = m.parameters.getFirst().value().times(2);
        try (Session s = Plan.replicas(2).open(m.graph, ONE_THREAD, SessionOptions.defaults(), null)) {
            m.start(s);
            try (Results r = s.fetch(m.parameters.getFirst().value().edge(), doubled.edge())
                    .run()) {
                assertEquals(r.get(0).shape(), r.get(1).shape());
                for (long i = 0; i < r.get(0).size(); i++)
                    assertEquals(2 * r.get(0).getDouble(i), r.get(1).getDouble(i));
            }
        }
    }

    @Test
    void anExplanationSaysWhichDeviceHasWhichCopy() {
        Model m = Models.MLP.model(3, DType.F64);
        try (Session s = Plan.replicas(2).open(m.graph, ONE_THREAD, SessionOptions.defaults(), null)) {
            String text =
                    s.explain(m.inputs.stream().map(Value::edge).toList(), List.of(m.loss.edge()), m.updates, false);
            assertTrue(text.contains("/replica_1"), text);
        }
    }
}
