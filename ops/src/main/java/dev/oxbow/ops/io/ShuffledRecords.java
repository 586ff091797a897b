package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.ErrorCode.OUT_OF_RANGE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Resource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * A random one of the next records, each time; files come in another order in each epoch, and an epoch ends before the next one
 * begins.
 */
final class ShuffledRecords implements Resource {
    private final RecordInput input;
    private final List<byte[]> buffer = new ArrayList<>();
    private final Random random;
    private List<String> files = List.of();
    private int next;
    private int epoch;
    private boolean some = true;
    private FileRecords open;

    ShuffledRecords(RecordInput input) {
        this.input = input;
        random = new Random(input.fileRandomSeed());
    }

    synchronized byte[] next() {
        while (buffer.isEmpty() && next == files.size() && open == null) begin();
        fill();
        if (buffer.isEmpty()) return next();
        int at = random.nextInt(buffer.size());
        byte[] taken = buffer.get(at);
        buffer.set(at, buffer.getLast());
        buffer.removeLast();
        return taken;
    }

    private void begin() {
        require(some, OUT_OF_RANGE, "the files of '%s' have no record", input.filePattern());
        TreeSet<String> found = new TreeSet<>();
        MatchingFiles.match(input.filePattern(), found);
        require(!found.isEmpty(), NOT_FOUND, "Found no files at %s", input.filePattern());
        files = new ArrayList<>(found);
        Collections.shuffle(files, new Random(input.fileRandomSeed() + epoch++));
        Collections.rotate(files, -(int) (files.size() * input.fileShuffleShiftRatio()));
        next = 0;
        some = false;
    }

    private void fill() {
        while (buffer.size() < input.fileBufferSize() && (open != null || next < files.size())) {
            if (open == null) open = FileRecords.frames(files.get(next++), input.compressionType(), 0);
            byte[] record = open.next();
            if (record != null) {
                buffer.add(record);
                some = true;
                continue;
            }
            open.close();
            open = null;
        }
    }

    @Override
    public synchronized void close() {
        if (open != null) open.close();
        open = null;
        buffer.clear();
    }

    @Override
    public String kind() {
        return "records";
    }
}
