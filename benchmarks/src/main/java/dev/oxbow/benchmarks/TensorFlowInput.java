package dev.oxbow.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.tensorflow.Graph;
import org.tensorflow.Operand;
import org.tensorflow.Output;
import org.tensorflow.Result;
import org.tensorflow.Session;
import org.tensorflow.ndarray.NdArrays;
import org.tensorflow.ndarray.Shape;
import org.tensorflow.ndarray.buffer.DataBuffers;
import org.tensorflow.op.Ops;
import org.tensorflow.op.core.Placeholder;
import org.tensorflow.op.core.Stack;
import org.tensorflow.op.image.DecodeAndCropJpeg;
import org.tensorflow.op.image.DecodeJpeg;
import org.tensorflow.op.image.ResizeBilinear;
import org.tensorflow.op.image.SampleDistortedBoundingBox;
import org.tensorflow.op.io.ParseExample;
import org.tensorflow.proto.ConfigProto;
import org.tensorflow.types.TFloat32;
import org.tensorflow.types.TInt32;
import org.tensorflow.types.TInt64;
import org.tensorflow.types.TString;
import org.tensorflow.types.TUint8;
import org.tensorflow.types.family.TType;

/**
 * Input as a program of TensorFlow Java has it: data sets give batches of records or lines and further ops of the same step take them
 * apart; an image is a step, whose result is copied into its batch. Steps are run by so many threads.
 */
final class TensorFlowInput implements InputTask {
    private static final long BUFFER = 1 << 18;
    private static final int SIDE = 224, PIXELS = 3 * SIDE * SIDE;

    private final String row;
    private final Path folder;
    private final int threads;
    private final Graph graph = new Graph();
    private final Ops tf = Ops.create(graph);
    private final List<Path> photos;
    private final Session session;
    private Placeholder<TString> file;
    private Operand<TUint8> whole;
    private final List<Output<?>> fetched = new ArrayList<>();

    TensorFlowInput(String row, Path folder, int threads) throws IOException {
        this.row = row;
        this.folder = folder;
        this.threads = threads;
        photos = OxbowInput.images(folder, Integer.MAX_VALUE);
        switch (row) {
            case "jpeg" -> jpeg();
            case "tfrecord" -> examples();
            case "csv" -> rows();
            default -> throw new UnsupportedOperationException("TensorFlow has no reader of " + row);
        }
        session = new Session(
                graph,
                ConfigProto.newBuilder()
                        .setIntraOpParallelismThreads(threads)
                        .setInterOpParallelismThreads(threads)
                        .build());
        if (!row.equals("jpeg")) session.runner().addTarget("start").run().close();
    }

    private void jpeg() {
        file = tf.placeholder(TString.class, Placeholder.shape(Shape.scalar()));
        Operand<TString> bytes = tf.io.readFile(file);
        whole = tf.image.decodeJpeg(bytes, DecodeJpeg.dctMethod("INTEGER_ACCURATE"));
        var box = tf.image.sampleDistortedBoundingBox(
                tf.image.extractJpegShape(bytes),
                tf.zeros(tf.constant(new int[] {1, 0, 4}), TFloat32.class),
                tf.constant(0.1f),
                SampleDistortedBoundingBox.areaRange(List.of(0.08f, 1f)),
                SampleDistortedBoundingBox.aspectRatioRange(List.of(0.75f, 1.33f)),
                SampleDistortedBoundingBox.useImageIfNoBoundingBoxes(true));
        Operand<TInt32> two = tf.constant(new int[] {2}), none = tf.constant(new int[] {0});
        Operand<TInt32> window = tf.concat(
                List.of(tf.slice(box.begin(), none, two), tf.slice(box.sizeOutput(), none, two)), tf.constant(0));
        Operand<TUint8> crop = tf.image.decodeAndCropJpeg(bytes, window, DecodeAndCropJpeg.channels(3L));
        Operand<TFloat32> x = tf.image.resizeBilinear(
                tf.expandDims(crop, tf.constant(0)),
                tf.constant(new int[] {SIDE, SIDE}),
                ResizeBilinear.halfPixelCenters(true));
        x = tf.reverse(
                x, tf.random.<TInt32>randomUniformInt(tf.constant(new int[] {1}), tf.constant(1), tf.constant(3)));
        x = tf.math.div(tf.math.sub(x, tf.constant(127f)), tf.constant(60f));
        fetched.add(tf.linalg.transpose(x, tf.constant(new int[] {0, 3, 1, 2})).asOutput());
    }

    private void examples() {
        // the second version of the op can not be rewritten by TensorFlow's own passes: one of its inputs is lost on
        // the way
        Output<TType> all = tf.scope()
                .env()
                .opBuilder("TFRecordDataset", "records", tf.scope())
                .addInput(files("records-%d.tfrecord").asOutput())
                .addInput(tf.constant("").asOutput())
                .addInput(tf.constant(BUFFER).asOutput())
                .build()
                .output(0);
        Operand<TString> records = batches(all);
        Operand<TString> noNames = tf.constant(NdArrays.ofObjects(String.class, Shape.of(0)));
        ParseExample parsed = tf.io.parseExample(
                records,
                noNames,
                noNames,
                tf.constant(NdArrays.vectorOfObjects("x", "id", "name")),
                noNames,
                List.of(
                        tf.zeros(tf.constant(new int[] {0}), TFloat32.class),
                        tf.zeros(tf.constant(new int[] {0}), TInt64.class),
                        noNames),
                0L,
                List.of(),
                List.of(),
                List.of(),
                List.of(Shape.of(InputData.FLOATS), Shape.scalar(), Shape.scalar()));
        for (Output<?> o : parsed.denseValues()) fetched.add(o);
    }

    private void rows() {
        Operand<TString> lines =
                batches(tf.data.textLineDataset(files("rows-%d.csv"), tf.constant(""), tf.constant(BUFFER)));
        List<Operand<?>> defaults = new ArrayList<>();
        for (int c = 0; c < InputData.COLUMNS; c++) defaults.add(tf.zeros(tf.constant(new int[] {0}), TFloat32.class));
        defaults.add(tf.zeros(tf.constant(new int[] {0}), TInt64.class));
        List<Operand<TFloat32>> numbers = new ArrayList<>();
        List<Output<?>> fields = tf.io.decodeCsv(lines, defaults).output();
        for (Output<?> o : fields.subList(0, InputData.COLUMNS)) numbers.add(o.expect(TFloat32.class));
        fetched.add(tf.stack(numbers, Stack.axis(1L)).asOutput());
        fetched.add(fields.getLast());
    }

    private Operand<TString> files(String pattern) {
        String[] names = new String[InputData.FILES];
        for (int f = 0; f < names.length; f++)
            names[f] = folder.resolve(pattern.formatted(f)).toString();
        return tf.constant(NdArrays.vectorOfObjects(names));
    }

    /** The records of a data set without an end, in batches. */
    private Operand<TString> batches(Operand<? extends TType> records) {
        List<Class<? extends TType>> types = List.of(TString.class);
        List<Shape> one = List.of(Shape.scalar()), many = List.of(Shape.of(Shape.UNKNOWN_SIZE));
        var again = tf.data.repeatDataset(records, tf.constant(-1L), types, one);
        var batched =
                tf.data.batchDataset(again, tf.constant((long) OxbowInput.BATCH), tf.constant(false), types, many);
        var ahead = tf.data.prefetchDataset(batched, tf.constant(2L), types, many);
        var iterator = tf.data.iterator("", "", types, many);
        tf.withName("start").data.makeIterator(ahead, iterator);
        return tf.data
                .iteratorGetNext(iterator, types, many)
                .components()
                .getFirst()
                .expect(TString.class);
    }

    @Override
    public double[] check() throws IOException {
        if (row.equals("jpeg")) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (Path p : OxbowInput.images(folder, OxbowInput.CHECKED))
                try (TString name = TString.scalarOf(p.toString());
                        Result r =
                                session.runner().feed(file, name).fetch(whole).run()) {
                    TUint8 image = (TUint8) r.get(0);
                    byte[] samples = new byte[(int) image.size()];
                    image.asRawTensor().data().read(samples);
                    all.writeBytes(samples);
                }
            Files.write(folder.resolve("decoded-tfjava"), all.toByteArray());
            return new double[0];
        }
        double sum = 0, classes = 0, count = 0;
        while (count < (double) InputData.FILES * InputData.RECORDS)
            try (Result r = step()) {
                TFloat32 x = (TFloat32) r.get(0);
                TInt64 y = (TInt64) r.get(1);
                float[] values = new float[(int) x.size()];
                x.copyTo(DataBuffers.of(values, false, false));
                for (float v : values) sum += v;
                for (long i = 0; i < y.size(); i++) classes += y.getLong(i);
                count += y.size();
            }
        return new double[] {count, sum, classes};
    }

    private Result step() {
        Session.Runner runner = session.runner();
        fetched.forEach(runner::fetch);
        return runner.run();
    }

    @Override
    public long run(long until) throws InterruptedException {
        List<float[]> batches = new ArrayList<>(Collections.nCopies(threads, null));
        int[] filled = new int[threads];
        return InputTask.loop(threads, until, t -> {
            if (!row.equals("jpeg"))
                try (Result r = step()) {
                    return r.get(1).shape().get(0);
                }
            if (filled[t] % OxbowInput.BATCH == 0) batches.set(t, new float[OxbowInput.BATCH * PIXELS]);
            Path p = photos.get(ThreadLocalRandom.current().nextInt(photos.size()));
            try (TString name = TString.scalarOf(p.toString());
                    Result r = session.runner()
                            .feed(file, name)
                            .fetch(fetched.getFirst())
                            .run()) {
                int at = filled[t]++ % OxbowInput.BATCH * PIXELS;
                ((TFloat32) r.get(0)).asRawTensor().data().asFloats().read(batches.get(t), at, PIXELS);
            }
            return 1;
        });
    }

    @Override
    public void close() {
        session.close();
        graph.close();
    }
}
