/**
 * Where pipelines begin: files of records ({@link dev.oxbow.data.source.TfRecords}, {@link dev.oxbow.data.source.Csv}, {@link
 * dev.oxbow.data.source.Lines}, {@link dev.oxbow.data.source.ImageFolder}) behind a {@link dev.oxbow.data.source.FileStore}, and
 * records from a socket. What is wrong with a record is an error in its place that names file, offset and rule.
 */
package dev.oxbow.data.source;
