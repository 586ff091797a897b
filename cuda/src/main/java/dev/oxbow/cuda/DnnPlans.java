package dev.oxbow.cuda;

import dev.oxbow.cuda.Descriptor.Sort;
import dev.oxbow.cuda.Descriptor.Type;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ways in which cuDNN computes a graph of operations. */
final class DnnPlans {

    /*
     * Which plan is fastest may differ from run to run, so none is taken whose results are far from others': engines that do not
     * repeat their results, that sum up in fewer bits than f32 has, or that go through other products than the sums say
     * (Winograd's, Fourier's) are left out, and, where true f32 is asked for, those that use tensor cores or round their inputs.
     * The order is the heuristic's.
     */

    /** A finished plan, and the bytes that it wants beside its tensors. */
    record Plan(long descriptor, long workspace) {}

    private static final Logger log = LoggerFactory.getLogger(DnnPlans.class);
    private static final int TENSOR_CORE = 0;
    private static final int DOWN_CONVERTS = 1;

    /** From here on: sums in fewer bits, Fourier's products, results that do not repeat, Winograd's products. */
    private static final int FIRST_STRAYING = 2;

    private static final int LAST_STRAYING = 8;
    private static final int NOTES = 16;
    private static final int HEURISTICS_A = 3;
    private static final int FALLBACK = 2;

    /** Beyond this a plan takes memory that others want. */
    private static final long MOST_WORKSPACE = 1L << 30;

    private final long handle;
    private final long properties;

    /** For the card of a handle. */
    DnnPlans(long handle) {
        this.handle = handle;
        this.properties = 0;
    }

    /** For a card that is not there, which is described as cuDNN does it: plans can be made, but not run. */
    DnnPlans(String card) {
        this.handle = 0;
        this.properties = new Descriptor(Sort.DEVICE_PROPERTIES).set(2702, card).done();
    }

    /** Up to {@code most} plans, the likely fastest first; none where there is no engine. */
    List<Plan> of(boolean trueF32, int most, long... operations) {
        long graph = target(new Descriptor(Sort.OPERATION_GRAPH), 800, 0)
                .set(801, Type.DESCRIPTOR, operations)
                .done();
        List<Plan> all = new ArrayList<>();
        for (int mode : new int[] {HEURISTICS_A, FALLBACK}) {
            if (mode == FALLBACK && !all.isEmpty()) break;
            for (long configuration : configurations(graph, mode)) {
                if (all.size() == most) break;
                if (!isWanted(configuration, trueF32)) continue;
                Plan p = plan(configuration);
                if (p != null && p.workspace <= MOST_WORKSPACE) all.add(p);
            }
        }
        return all;
    }

    /** Says for which card something is, by the handle or by the card's properties, where it takes one. */
    private Descriptor target(Descriptor d, int byHandle, int byProperties) {
        if (handle != 0) return byHandle == 0 ? d : d.set(byHandle, Type.HANDLE, handle);
        return byProperties == 0 ? d : d.set(byProperties, Type.DESCRIPTOR, properties);
    }

    private long[] configurations(long graph, int mode) {
        long heuristics;
        try {
            heuristics = target(new Descriptor(Sort.HEURISTICS), 0, 204)
                    .set(201, Type.DESCRIPTOR, graph)
                    .set(200, Type.HEURISTICS_MODE, mode)
                    .done();
        } catch (OxbowException e) {
            log.debug("no engine by heuristic {}: {}", mode, e.getMessage());
            return new long[0];
        }
        long[] empty = new long[Descriptor.fill(heuristics, 202)];
        for (int i = 0; i < empty.length; i++) empty[i] = new Descriptor(Sort.ENGINE_CONFIGURATION).empty();
        int n = empty.length == 0 ? 0 : Descriptor.fill(heuristics, 202, empty);
        long[] filled = new long[n];
        System.arraycopy(empty, 0, filled, 0, n);
        return filled;
    }

    private static boolean isWanted(long configuration, boolean trueF32) {
        long engine = new Descriptor(Sort.ENGINE).empty();
        Descriptor.fill(configuration, 300, engine);
        for (long note : Descriptor.get(engine, 1303, Type.NUMERICAL_NOTE, NOTES)) {
            boolean rounds = note == TENSOR_CORE || note == DOWN_CONVERTS;
            boolean strays = note >= FIRST_STRAYING && note <= LAST_STRAYING;
            if (strays || trueF32 && rounds) return false;
        }
        return true;
    }

    /** The plan of a configuration; null where cuDNN does not make one after all. */
    private Plan plan(long configuration) {
        try {
            long plan = target(new Descriptor(Sort.PLAN), 400, 407)
                    .set(401, Type.DESCRIPTOR, configuration)
                    .done();
            return new Plan(plan, Descriptor.get(plan, 402, Type.INT64, 1)[0]);
        } catch (OxbowException e) {
            log.debug("a configuration makes no plan: {}", e.getMessage());
            return null;
        }
    }

    /** Puts a plan into a stream, with its tensors by their numbers; the status. */
    int run(Plan p, long[] numbers, long[] places, long workspace, long stream) {
        long pack = new Descriptor(Sort.VARIANT_PACK)
                .set(1000, Type.INT64, numbers)
                .set(1001, Type.POINTER, places)
                .set(1003, Type.POINTER, workspace)
                .done();
        try {
            return Dnn.execute(handle, p.descriptor, pack, stream);
        } finally {
            Dnn.destroy(pack);
        }
    }
}
