package dev.oxbow.data.pipeline;

import java.util.ArrayList;
import java.util.List;

/** Several cursors: all are open, or none. */
final class Opened {
    private Opened() {}

    static <T> List<Cursor<? extends T>> all(List<? extends Stage<? extends T>> stages, Setting setting) {
        List<Cursor<? extends T>> all = new ArrayList<>();
        try {
            for (Stage<? extends T> s : stages) all.add(s.open(setting));
            return all;
        } catch (RuntimeException e) {
            all.forEach(Cursor::close);
            throw e;
        }
    }
}
