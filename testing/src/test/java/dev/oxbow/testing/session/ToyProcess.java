package dev.oxbow.testing.session;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A process of its own that runs nodes on whatever devices it finds, and prints where they ran and what they gave. */
final class ToyProcess {
    private ToyProcess() {}

    public static void main(String[] arguments) {
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            System.out.println("devices: "
                    + engine.devices().stream()
                            .map(Device::name)
                            .map(ToyProcess::brief)
                            .collect(Collectors.joining(" ")));
            SessionOptions plain = SessionOptions.defaults(), soft = plain.withSoftPlacement(true);
            String toy = "/device:TOY:0";
            show(engine, plain, "wished", toy, Value::negated);
            show(engine, plain, "unwished", "", Value::negated);
            show(engine, plain, "pinned to the CPU", "cpu:0", Value::negated);
            show(engine, plain, "without a kernel of its own", toy, Value::sum);
            show(engine, plain, "not supported, without a wish", "", Value::square);
            show(engine, plain, "not supported, wished", toy, Value::square);
            show(engine, soft, "not supported, wished, softly", toy, Value::square);
        }
    }

    private static void show(
            Engine engine, SessionOptions options, String what, String device, Function<Value, Value> op) {
        Graph graph = new Graph();
        Value x = Ops.in(graph).placeholder("x", DType.F32, Shape.of(2)), y;
        try (var _ = graph.device(device)) {
            y = op.apply(x);
        }
        Set<String> where = new ConcurrentSkipListSet<>();
        RunOptions run = RunOptions.none()
                .withTracer((on, nodes, from, to) -> nodes.stream()
                        .filter(n -> n.name().equals(y.edge().node().name()))
                        .forEach(n -> where.add(brief(on))));
        try (Session s = Session.open(graph, engine, options);
                Results r = s.feed(x.edge(), Tensor.of(Shape.of(2), 3f, 3f))
                        .fetch(y.edge())
                        .options(run)
                        .run()) {
            System.out.println(what + ": " + r.get(0).floats()[0] + " on " + String.join(" ", where));
        } catch (OxbowException e) {
            System.out.println(what + ": " + e.code() + " " + e.getMessage());
        }
    }

    private static String brief(String device) {
        return device.replaceAll(".*/device:", "");
    }
}
