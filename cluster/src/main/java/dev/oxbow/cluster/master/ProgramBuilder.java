package dev.oxbow.cluster.master;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.worker.Worker;
import dev.oxbow.collective.keyed.Meeting;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.RendezvousKey;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Retval;
import dev.oxbow.graph.pass.ClientEnds;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.LaterAttributes;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.compile.Part;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.ConfigProto;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.RegisterGraphRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Registers the parts of a graph with the workers of their devices. */
final class ProgramBuilder {

    /** What one task gets before it has given it a handle. */
    private static final class Draft {
        final GraphDef.Builder graph = GraphDef.newBuilder();
        final List<Integer> feeds = new ArrayList<>();
        final List<String> feedKeys = new ArrayList<>();
        final List<Integer> fetches = new ArrayList<>();
        final List<String> fetchKeys = new ArrayList<>();
        boolean meets;
    }

    private final String session;
    private final Map<TaskName, Worker> workers;
    private final ConfigProto config;

    ProgramBuilder(String session, Map<TaskName, Worker> workers, ConfigProto config) {
        this.session = session;
        this.workers = workers;
        this.config = config;
    }

    /** Registers all parts at once, unless a task is {@code lost} meanwhile; {@code then} gets the program when all are, or the first error. */
    void register(List<Part> parts, int fetches, Cancellation lost, BiConsumer<ClusterProgram, OxbowException> then) {
        Map<TaskName, Draft> drafts = new LinkedHashMap<>();
        for (Part p : parts)
            add(p, drafts.computeIfAbsent(TaskName.ofDevice(p.device().name()), _ -> new Draft()));
        checkMeeting(drafts, error -> {
            if (error == null) register(drafts, fetches, lost, then);
            else then.accept(null, error);
        });
    }

    /** Refuses collectives in tasks of TensorFlow's, which are told by the clock that they do not show. */
    private void checkMeeting(Map<TaskName, Draft> drafts, Consumer<OxbowException> then) {
        List<Worker> all = new ArrayList<>();
        drafts.forEach((task, d) -> {
            if (d.meets) all.add(workers.get(task));
        });
        checkMeeting(all, 0, then);
    }

    private void checkMeeting(List<Worker> all, int i, Consumer<OxbowException> then) {
        if (i == all.size()) {
            then.accept(null);
            return;
        }
        all.get(i).clock((reading, error) -> {
            if (error == null && reading == null)
                error = new OxbowException(
                        UNIMPLEMENTED,
                        "%s is a task of TensorFlow's, which does no collectives with ours"
                                .formatted(all.get(i).task()));
            if (error == null) checkMeeting(all, i + 1, then);
            else then.accept(error);
        });
    }

    private void register(
            Map<TaskName, Draft> drafts,
            int fetches,
            Cancellation lost,
            BiConsumer<ClusterProgram, OxbowException> then) {
        ClusterProgram.TaskPart[] made = new ClusterProgram.TaskPart[drafts.size()];
        OxbowException[] first = {null};
        AtomicInteger left = new AtomicInteger(drafts.size() + 1);
        Runnable one = () -> {
            if (left.decrementAndGet() > 0) return;
            List<ClusterProgram.TaskPart> all = new ArrayList<>();
            for (ClusterProgram.TaskPart p : made) if (p != null) all.add(p);
            ClusterProgram program = new ClusterProgram(session, List.copyOf(all), fetches);
            if (first[0] == null) then.accept(program, null);
            else {
                program.deregister();
                then.accept(null, first[0]);
            }
        };
        int i = 0;
        for (var d : drafts.entrySet()) {
            int at = i++;
            Worker w = workers.get(d.getKey());
            Draft draft = d.getValue();
            w.register(request(draft), lost, (handle, error) -> {
                synchronized (first) {
                    if (error != null && first[0] == null) first[0] = error;
                }
                if (error == null) made[at] = taskPart(w, handle, draft);
                one.run();
            });
        }
        one.run();
    }

    private RegisterGraphRequest request(Draft d) {
        return RegisterGraphRequest.newBuilder()
                .setSessionHandle(session)
                .setCreateWorkerSessionCalled(true)
                .setGraphDef(d.graph)
                .setGraphOptions(config.getGraphOptions())
                .setConfigProto(config)
                .build();
    }

    private static ClusterProgram.TaskPart taskPart(Worker w, String handle, Draft d) {
        return new ClusterProgram.TaskPart(
                w,
                handle,
                d.feeds.stream().mapToInt(Integer::intValue).toArray(),
                List.copyOf(d.feedKeys),
                d.fetches.stream().mapToInt(Integer::intValue).toArray(),
                List.copyOf(d.fetchKeys));
    }

    /** Adds what one device does, with receives and sends for what a client feeds and fetches. */
    private static void add(Part p, Draft to) {
        DeviceSpec d = p.device();
        for (Node n : p.graph().graph().nodes()) {
            if (n.op() instanceof Arg a) {
                to.feeds.add(a.index());
                to.feedKeys.add(key(d, ClientEnds.feed(a.index())));
            }
            to.meets |= n.op().service() == Meeting.class;
            if (n.op() instanceof Retval r) {
                to.fetches.add(r.index());
                to.fetchKeys.add(key(d, ClientEnds.fetch(r.index())));
            }
        }
        Graph travels = new ClientEnds(d.name(), d.incarnation()).run(p.graph()).graph();
        GraphDef def = LaterAttributes.leftOut(GraphExporter.writeReachable(travels));
        to.graph.addAllNode(def.getNodeList()).setVersions(def.getVersions());
        for (var f : def.getLibrary().getFunctionList())
            if (!to.graph.getLibrary().getFunctionList().contains(f))
                to.graph.getLibraryBuilder().addFunction(f);
        for (var g : def.getLibrary().getGradientList())
            if (!to.graph.getLibrary().getGradientList().contains(g))
                to.graph.getLibraryBuilder().addGradient(g);
    }

    private static String key(DeviceSpec d, String tensor) {
        return new RendezvousKey(d.name(), d.incarnation(), d.name(), tensor, 0, 0).toString();
    }
}
