package dev.oxbow.cuda;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which of several ways was found to be fastest, kept in a file from process to process. Thread-safe. */
final class Choices {

    /*
     * A way is a number in a list that a library gives, so the file is named after the card and the library's version. A line is
     * added for each choice, in one write, so processes may share the file; of two lines for the same work the last one holds.
     * What is no such line, as after a full disk, is passed over.
     */

    private static final Logger log = LoggerFactory.getLogger(Choices.class);

    private final Path file;
    private final Map<String, Integer> known = new ConcurrentHashMap<>();
    private volatile boolean cannotKeep;

    /** Of a library in its version on a kind of card; without a folder, null, nothing is kept beyond the process. */
    Choices(Path folder, String library, int version, String card) {
        String name = "%s-%d-%s.choices".formatted(library, version, card.replaceAll("[^A-Za-z0-9]+", "-"));
        this.file = folder == null ? null : folder.resolve(name);
        if (file != null) read();
    }

    private void read() {
        try {
            for (String line : Files.readString(file, StandardCharsets.UTF_8).split("\n")) {
                int tab = line.lastIndexOf('\t');
                if (tab > 0 && line.substring(tab + 1).matches("-?\\d{1,6}"))
                    known.put(line.substring(0, tab), Integer.valueOf(line.substring(tab + 1)));
            }
        } catch (NoSuchFileException e) {
            log.debug("{} is new", file);
        } catch (IOException e) {
            log.warn("choices of algorithms can not be read from {}: {}", file, e.toString());
        }
    }

    /** What was chosen before for a work, unless that is {@code most} or more; else what {@code trial} finds, from now on. */
    int way(String work, int most, IntSupplier trial) {
        Integer before = known.get(work);
        if (before != null && before < most) return before;
        int found = trial.getAsInt();
        known.put(work, found);
        keep(work + "\t" + found + "\n");
        return found;
    }

    private void keep(String line) {
        if (file == null || cannotKeep) return;
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            cannotKeep = true;
            log.warn("choices of algorithms can not be kept in {}: {}", file, e.toString());
        }
    }
}
