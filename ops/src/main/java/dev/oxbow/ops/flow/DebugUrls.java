package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.List;

/** Where debugging ops would publish what they see. */
final class DebugUrls {
    private DebugUrls() {}

    /** Nothing is published: a debugger's clients read files and services of TensorFlow's own. A tensor has a name as {@code node:0}. */
    static void none(String tensor, List<String> urls) {
        require(tensor.matches("[^:]+(:[0-9]+)?"), INVALID_ARGUMENT, "Failed to parse tensor name: \"%s\"", tensor);
        none(urls);
    }

    /** As above, for an op without the name of a tensor. */
    static void none(List<String> urls) {
        require(urls.isEmpty(), UNIMPLEMENTED, "nothing is published to a debugger here, got debug_urls %s", urls);
    }
}
