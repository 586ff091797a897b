package dev.oxbow.net.launch;

import dev.oxbow.tensor.OxbowException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The places for workers that a file of hosts gives, read again when asked; a place keeps its number while its host has it. */
public final class HostSlots implements Supplier<Map<Integer, String>> {
    private final Path file;
    private final int most;
    private final Consumer<String> told;
    private final Map<Integer, String> slots = new TreeMap<>();
    private String complaint = "";

    /**
     * @param most numbers of places are below it
     * @param told is told when the file can not be read, while the places stay as they were
     */
    public HostSlots(Path file, int most, Consumer<String> told) {
        this.file = file;
        this.most = most;
        this.told = told;
        fit(HostFile.read(file));
    }

    @Override
    public Map<Integer, String> get() {
        try {
            fit(HostFile.read(file));
            complaint = "";
        } catch (OxbowException e) {
            if (!complaint.equals(e.getMessage())) told.accept(complaint = e.getMessage());
        }
        return Map.copyOf(slots);
    }

    private void fit(HostFile hosts) {
        Map<String, Integer> wanted = new TreeMap<>();
        hosts.hosts().forEach(h -> wanted.put(h.name(), h.slots()));
        for (int s = 0; s < most; s++) {
            String host = slots.get(s);
            if (host == null) continue;
            int left = wanted.getOrDefault(host, 0);
            if (left > 0) wanted.put(host, left - 1);
            else slots.remove(s);
        }
        for (HostFile.Host h : hosts.hosts())
            for (int s = 0; s < most && wanted.get(h.name()) > 0; s++)
                if (slots.putIfAbsent(s, h.name()) == null) wanted.merge(h.name(), -1, Integer::sum);
    }
}
