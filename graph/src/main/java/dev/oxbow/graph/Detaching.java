package dev.oxbow.graph;

/**
 * An op whose functions run in steps of their own ({@link FunctionCaller#detached}): these take their turns, not the step that it is in.
 *
 * {@snippet :
 * static boolean endsWithItsStep(Node call) {
 *     return !(call.op() instanceof Detaching);
 * }
 * }
 */
public interface Detaching extends Op {}
