package dev.oxbow.net;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Receives that wait for their messages, by tag, in the order in which they were asked for. */
final class Tags {
    private final Map<Long, Operation> first = new HashMap<>();

    void add(Operation op) {
        op.next = null;
        op.last = op;
        Operation head = first.putIfAbsent(op.tag, op);
        if (head == null) return;
        head.last.next = op;
        head.last = op;
    }

    /** Puts an operation back in front of the others of its tag. */
    void addFirst(Operation op) {
        Operation head = first.put(op.tag, op);
        op.next = head;
        op.last = head == null ? op : head.last;
    }

    /** Takes the first one with this tag, or {@code null}. */
    Operation take(long tag) {
        Operation head = first.remove(tag);
        if (head != null && head.next != null) {
            head.next.last = head.last;
            first.put(tag, head.next);
        }
        return head;
    }

    void remove(Operation op) {
        List<Operation> rest = new ArrayList<>();
        for (Operation o = first.remove(op.tag); o != null; o = o.next) if (o != op) rest.add(o);
        rest.forEach(this::add);
    }

    List<Operation> all() {
        List<Operation> all = new ArrayList<>();
        for (Operation head : first.values()) for (Operation o = head; o != null; o = o.next) all.add(o);
        return all;
    }

    void clear() {
        first.clear();
    }
}
