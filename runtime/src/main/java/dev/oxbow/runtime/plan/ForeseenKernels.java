package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.pass.JoinedNodes;
import dev.oxbow.runtime.compile.DeviceProgram;
import dev.oxbow.runtime.compile.FrameProgram;
import dev.oxbow.runtime.compile.Region;

/** What the plans of a program will be, as far as types tell, for whoever has to make it fit its memory. */
public final class ForeseenKernels {
    private ForeseenKernels() {}

    /** Which nodes of {@code graph} the plans of its program join, and what they take. */
    public static JoinedNodes of(Graph graph, DeviceProgram program) {
        JoinedNodes joined = new JoinedNodes(graph);
        for (FrameProgram f : program.frames()) {
            for (Region r : f.regions()) {
                Recording record = new Forecast(r.instructions(), null).record;
                new Planner(f.slots(), r.instructions(), record, program.device(), true, false).tell(joined);
                record.drop();
            }
        }
        return joined;
    }
}
