package dev.oxbow.runtime.plan;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.compile.FrameProgram;
import dev.oxbow.runtime.compile.Instruction;
import dev.oxbow.runtime.compile.LocalCompiler;
import dev.oxbow.runtime.compile.Part;
import dev.oxbow.runtime.compile.Region;
import dev.oxbow.runtime.compile.Stages;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** A region of a graph written by hand, as it is without any pass, and what a forecast knows of a run of it. */
record OneRegion(FrameProgram frame, Region of, Forecast forecast) {

    /** The region where {@code node} runs, when all inputs are fed; {@code arguments} may be null. */
    static OneRegion with(String node, HandMade made, List<Edge> fetches, List<Node> targets, Tensor... arguments) {
        Device device = HandMade.device(0);
        Subgraph cut = made.cut(fetches, targets);
        FrameProgram f = LocalCompiler.compile(
                        new Part(device.spec(), cut),
                        device,
                        SessionOptions.defaults().withOptimise(false),
                        ForeseenKernels::of,
                        new Stages(SessionOptions.defaults()::service, null))
                .root();
        for (Region r : f.regions())
            for (Instruction i : r.instructions())
                if (i.node.name().equals(node))
                    return new OneRegion(
                            f, r, new Forecast(r.instructions(), arguments.length == 0 ? null : arguments));
        throw new IllegalArgumentException(node);
    }

    static OneRegion with(String node, HandMade made, Edge... fetches) {
        return with(node, made, List.of(fetches), List.of());
    }

    Instruction[] instructions() {
        return of.instructions();
    }

    int at(String node) {
        for (int i = 0; i < of.instructions().length; i++)
            if (of.instructions()[i].node.name().equals(node)) return i;
        throw new IllegalArgumentException(node + " is not in " + Arrays.toString(of.instructions()));
    }

    /** The slot of a node's first output. */
    int slot(String node) {
        return of.instructions()[at(node)].out[0];
    }

    RegionFacts facts() {
        return new RegionFacts(frame.slots(), of.instructions(), forecast.record, true);
    }

    List<Fusion> fusions(boolean joins) {
        RegionFacts f = facts();
        Fuser fuser = new Fuser(
                of.instructions(),
                forecast.record,
                f.producer,
                f.readers,
                joins,
                f::isFusible,
                new Device.Fusing(120, 32, 16, false));
        List<Fusion> all = fuser.fuse();
        fuser.reduce(all, f::axes);
        return all;
    }

    /** The names of the members of each fused kernel. */
    List<List<String>> fused(boolean joins) {
        return fusions(joins).stream().map(f -> names(f.members())).toList();
    }

    List<String> names(int... members) {
        return Arrays.stream(members)
                .mapToObj(m -> of.instructions()[m].node.name())
                .toList();
    }

    Units units(boolean fuses, boolean sectioned) {
        return new Units(facts(), fusions(fuses), sectioned);
    }

    /** The members of each unit by name, in order. */
    static List<List<String>> members(OneRegion r, Units units) {
        return IntStream.range(0, units.count())
                .mapToObj(u -> r.names(units.get(u).members()))
                .toList();
    }

    RegionPlan plan(Device device, boolean fuses, boolean sectioned) {
        return new Planner(frame.slots(), of.instructions(), forecast.record, device, fuses, sectioned).plan();
    }
}
