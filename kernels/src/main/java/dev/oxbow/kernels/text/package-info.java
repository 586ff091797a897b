/**
 * Hashes and numbers as text, byte for byte as TensorFlow's ops define them. Start with {@link
 * dev.oxbow.kernels.text.Printf}.
 */
package dev.oxbow.kernels.text;
