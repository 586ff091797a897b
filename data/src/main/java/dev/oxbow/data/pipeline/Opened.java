package dev.oxbow.data.pipeline;

import java.util.ArrayList;
import java.util.List;

/** Several cursors: all are open, or none, and all are closed, whatever happens to one of them. */
final class Opened {
    private Opened() {}

    static <T> List<Cursor<? extends T>> all(List<? extends Stage<? extends T>> stages, Setting setting) {
        List<Cursor<? extends T>> all = new ArrayList<>();
        try {
            for (Stage<? extends T> s : stages) all.add(s.open(setting));
            return all;
        } catch (RuntimeException e) {
            close(all);
            throw e;
        }
    }

    /** Closes all, and then throws what went wrong first. */
    static void close(List<? extends Cursor<?>> all) {
        RuntimeException first = null;
        for (Cursor<?> c : all) {
            try {
                c.close();
            } catch (RuntimeException e) {
                if (first == null) first = e;
            }
        }
        if (first != null) throw first;
    }
}
