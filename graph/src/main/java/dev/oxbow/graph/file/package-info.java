/** Graphs in files and streams, as TensorFlow reads and writes them. */
package dev.oxbow.graph.file;
