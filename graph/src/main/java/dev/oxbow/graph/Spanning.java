package dev.oxbow.graph;

import dev.oxbow.tensor.Fabric;

/**
 * An op that processes do together, where its tensors lie on devices that reach each other without their hosts.
 *
 * {@snippet :
 * static boolean isBetweenDevices(Node n) {
 *     return n.op() instanceof Spanning s && s.spans();
 * }
 * }
 */
public interface Spanning extends Op {

    /** Whether it is done so, rather than by the host. */
    boolean spans();

    /** The kernel of a device with such a fabric; in its order, as all kernels there are. Only where {@link #spans} says so. */
    Kernel spanning(Fabric fabric);
}
