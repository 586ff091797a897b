package dev.oxbow.ops.nn;

import dev.oxbow.graph.Op;
import java.util.List;

/** What the maximum over windows and its gradient have in common. */
interface MaxWindow extends Op {

    List<Long> ksize();

    String dataFormat();

    /** Whether images have this format, NHWC or NCHW, and windows stay within a channel. */
    default boolean keepsChannels(String format) {
        return dataFormat().equals(format) && ksize().get(Biases.channelAxis(4, format)) == 1;
    }
}
