/**
 * Runs on disk: event files are read as they grow and kept as an index, whose size does not depend on theirs. Start with {@code
 * Runs}, which looks for them, and {@code WorkerLog}, which reads those of one process. What is large stays in the files; an
 * index knows where.
 */
package dev.oxbow.observe.run;
