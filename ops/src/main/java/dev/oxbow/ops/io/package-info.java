/**
 * Ops that read and write files: whole files, checkpoints, names that match a pattern, readers that give the records of files whose
 * names a queue holds. Start with {@link dev.oxbow.ops.io.SaveV2} and {@link dev.oxbow.ops.io.RestoreV2}; the format is in {@code
 * dev.oxbow.wire}; for records with {@link dev.oxbow.ops.io.FileRecords}. They write,
 * so nothing folds or repeats them.
 */
package dev.oxbow.ops.io;
