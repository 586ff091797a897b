/**
 * Where pipelines begin: files of records ({@link dev.oxbow.data.source.TfRecords}, {@link dev.oxbow.data.source.Csv}, {@link
 * dev.oxbow.data.source.Lines}, {@link dev.oxbow.data.source.ImageFolder}) behind a {@link dev.oxbow.data.source.FileStore}, and
 * records from a socket. What is wrong with a record is an error in its place that names file, offset and rule.
 *
 * {@snippet :
 * ExampleFormat format = ExampleFormat.of().with("image", DType.F32, 28, 28, 1).with("class", DType.I64);
 * Pipeline<Batch> images = TfRecords.of("data/train-*.tfrecord").map("parse", 0, format).batch(64);
 * Pipeline<Batch> rows = Csv.of(65).with(DType.F32, 0, 64).with(DType.I32, 64, 1).read("digits.csv").batch(32);
 * Pipeline<String> text = Lines.in(FileStore.local(), "book.txt").map(Record::text);
 * Pipeline<Record> arriving = Sockets.records("localhost", 4711, Duration.ofSeconds(30));
 * List<String> classes = ImageFolder.of("photographs").classes();
 * }
 */
package dev.oxbow.data.source;
