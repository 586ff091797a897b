/**
 * TensorFlow's data sets inside of graphs. A {@code Dataset} in a variant says what an {@code Elements} of it gives; an iterator is
 * a resource that holds one. Functions run as part of the step that asks for an element, and no thread waits for them. Start with
 * {@code Dataset}.
 */
package dev.oxbow.ops.dataset;
