/**
 * Data sets: readers of file formats ({@link dev.oxbow.data.Idx}), and {@link dev.oxbow.data.DataFolder}, which keeps checked
 * copies of the files of a {@link dev.oxbow.data.DataSet}.
 */
package dev.oxbow.data;
