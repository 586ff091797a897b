/**
 * Random numbers, the same as TensorFlow's for the same seeds. Start with {@code Randoms}. A seeded op draws from the
 * stream of its node, a stateless one from the seeds it is given, a generated one from a variable; only the first can
 * not be folded or repeated.
 */
package dev.oxbow.ops.random;
