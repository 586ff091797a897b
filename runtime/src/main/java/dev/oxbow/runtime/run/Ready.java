package dev.oxbow.runtime.run;

import java.util.ArrayDeque;

/**
 * What one thread does next for the steps that it works on: regions that became ready, and functions that were called. A loop
 * takes them one after the other, so neither a call nor its return needs the thread's stack.
 */
final class Ready {

    /*
     * Calls are taken last in, first out, and only when no region is ready: what was begun ends before something else begins,
     * so a tree of calls holds the memory of its depth, not of its width.
     */

    private static final ThreadLocal<Ready> CURRENT = new ThreadLocal<>();

    final ArrayDeque<RegionRun> queue = new ArrayDeque<>();

    /** Those of waiting ops, which start before anything else goes on, so that what they wait for is on its way. */
    final ArrayDeque<RegionRun> waiting = new ArrayDeque<>();

    /** Those that were put off until nothing else is ready; the last of them goes first. */
    final ArrayDeque<RegionRun> putOff = new ArrayDeque<>();

    private ArrayDeque<DeviceStep> calls;
    private boolean starting;
    private DeviceStep returnsTo;

    /** What this thread is working through; null when it does not work on steps. */
    static Ready current() {
        return CURRENT.get();
    }

    /** What this thread is working through, when it is just handing the results of a call to this step; else null. */
    static Ready ofReturn(DeviceStep to) {
        Ready r = CURRENT.get();
        return r != null && r.returnsTo == to ? r : null;
    }

    /** Does {@code first} on this thread and everything that it makes ready. */
    void work(Runnable first) {
        Ready outer = CURRENT.get();
        CURRENT.set(this);
        try {
            first.run();
            drain();
        } finally {
            CURRENT.set(outer);
        }
    }

    /** Has a step begin when there is nothing else to do. */
    void call(DeviceStep s) {
        if (calls == null) calls = new ArrayDeque<>();
        calls.push(s);
    }

    /** Hands the results of a call to the step that made it, by {@code then}: its region goes on here. */
    void giveBack(DeviceStep to, Runnable then) {
        DeviceStep outer = returnsTo;
        returnsTo = to;
        try {
            then.run();
        } finally {
            returnsTo = outer;
        }
    }

    private void drain() {
        while (true) {
            startWaiting();
            RegionRun r = queue.poll();
            if (r != null) r.run(this);
            else if (!putOff.isEmpty()) while ((r = putOff.poll()) != null) r.run(this);
            else if (calls != null && !calls.isEmpty()) calls.pop().begin(this);
            else return;
        }
    }

    /** Starts waiting ops that became ready, also in the middle of a region: it takes a moment, the wait is long. */
    void startWaiting() {
        if (starting || waiting.isEmpty()) return;
        starting = true;
        RegionRun r;
        while ((r = waiting.poll()) != null) r.run(this);
        starting = false;
    }
}
