package dev.oxbow.cuda;

import dev.oxbow.tensor.OxbowException;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Kernels of a graph that are on the card before those that they follow have ended, and wait for them there. */
final class Early {

    /*
     * Between two kernels of which one follows the other a card has nothing to do for about a microsecond. From compute
     * capability 9.0 on an edge of a graph may say that the later one is launched as soon as all blocks of the earlier one have
     * begun to work (programmatic dependent launch). Each of our kernels begins by waiting until those before it have ended and
     * what they wrote can be seen, and only then lets those after it come. So a kernel that has ended has seen the end of all
     * that it follows, and edges that others imply may be left out as before. Blocks that wait take
     * places of others, above all where branches of a graph run side by side: with every kernel early a small convolutional
     * network took 16 % longer on an H200. So only kernels of at most one block for each multiprocessor come early; a chain of a
     * thousand tiny ones takes 15 % less. Kernels of libraries do not wait: edges that
     * lead to them are plain ones, and so are those from and to kernels whose blocks meet, all of which must fit the card at once.
     */

    private static final Logger log = LoggerFactory.getLogger(Early.class);

    /** The first cards that can. */
    static final int CAPABILITY = 9;

    private static final Pattern KERNEL = Pattern.compile("__global__[^{;]*\\{");

    private static final String WAIT = """
            static __device__ __forceinline__ void ox_follow() {
            #if __CUDA_ARCH__ >= 900
              asm volatile("griddepcontrol.wait;" ::: "memory");
              asm volatile("griddepcontrol.launch_dependents;");
            #endif
            }
            """;

    private static volatile boolean refused =
            System.getProperty("oxbow.cuda.graph", "").equals("plain");

    private Early() {}

    /** The source of kernels that begin by waiting. */
    static String text(String source) {
        return WAIT + KERNEL.matcher(source).replaceAll(k -> k.group() + "\n  ox_follow();");
    }

    /** Whether a card of this capability, and its driver, have such edges. */
    static boolean isThere(int capability) {
        return capability >= CAPABILITY && !refused && Driver.hasEarlyEdges();
    }

    /** Makes do without them from now on. */
    static void refuse(OxbowException why) {
        refused = true;
        log.info("graphs are made without early launches: {}", why.getMessage());
    }
}
