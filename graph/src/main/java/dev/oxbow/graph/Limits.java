package dev.oxbow.graph;

/**
 * The most that a graph may ask for. A file of a few bytes can spell constants of gigabytes, nodes with billions of
 * outputs and functions that double at every call; what is beyond these limits is refused before memory is taken.
 *
 * @param constantBytes the constants of a graph and its functions together, objects of the heap included
 * @param repeatedBytes the part of them that no byte of the file stands for, since messages repeat their last value
 * @param inputs the inputs of a node
 * @param outputs the outputs of a node
 * @param calledNodes the nodes that calls make of a graph when they are replaced by the bodies of their functions, and
 *     those of all functions read
 * @param callDepth how deep functions may call each other before one is reached that calls no other
 * @param attributeValues the values inside one attribute that is a function
 */
public record Limits(
        long constantBytes,
        long repeatedBytes,
        int inputs,
        int outputs,
        int calledNodes,
        int callDepth,
        int attributeValues) {

    /** Beyond any model that is known to us, and within what half a gigabyte of heap can hold. */
    public static Limits defaults() {
        return new Limits(1L << 32, 1L << 26, 1 << 20, 1 << 16, 1 << 17, 10_000, 1_000);
    }

    public Limits withConstantBytes(long bytes) {
        return new Limits(bytes, repeatedBytes, inputs, outputs, calledNodes, callDepth, attributeValues);
    }

    public Limits withRepeatedBytes(long bytes) {
        return new Limits(constantBytes, bytes, inputs, outputs, calledNodes, callDepth, attributeValues);
    }

    public Limits withInputs(int most) {
        return new Limits(constantBytes, repeatedBytes, most, outputs, calledNodes, callDepth, attributeValues);
    }

    public Limits withOutputs(int most) {
        return new Limits(constantBytes, repeatedBytes, inputs, most, calledNodes, callDepth, attributeValues);
    }

    public Limits withCalledNodes(int most) {
        return new Limits(constantBytes, repeatedBytes, inputs, outputs, most, callDepth, attributeValues);
    }

    public Limits withCallDepth(int deepest) {
        return new Limits(constantBytes, repeatedBytes, inputs, outputs, calledNodes, deepest, attributeValues);
    }

    public Limits withAttributeValues(int most) {
        return new Limits(constantBytes, repeatedBytes, inputs, outputs, calledNodes, callDepth, most);
    }
}
