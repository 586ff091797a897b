package dev.oxbow.cuda;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.List;

/** What kernels of an engine find wrong in values, such as a label that is no class: told to whoever of it waits for the card next. */
final class Faults {

    /*
     * A kernel that finds something wrong writes the number of its node into a word of the card, if that is 0, and the
     * particulars into memory of the host; then it goes on with something harmless. Kernels that change variables look at the
     * word first, so a variable stays as it was before the step that failed. Whoever waits for the card reads the host's
     * part, clears both and throws.
     */

    /** What is wrong, of the three numbers that the kernel left. */
    @FunctionalInterface
    interface Message {
        String of(long first, long second, long third);
    }

    private record Source(String node, Message message) {}

    private final Card card;
    private final long word;
    private final long report;
    private final List<Source> sources = new ArrayList<>();

    /** What went wrong elsewhere, and is to be told as it is. */
    private OxbowException raised;

    /** With places on the card and on the host. */
    Faults(Card card, List<Long> slot) {
        this.card = card;
        this.word = slot.get(0);
        this.report = slot.get(1);
        clear();
    }

    private void clear() {
        Memory.zero(report, Slots.BYTES);
        card.commands.outside(() -> Driver.fill(word, (byte) 0, Slots.BYTES, card.commands.stream()));
    }

    /** The word on the card that is not 0 after a fault. */
    long word() {
        return word;
    }

    /** Where kernels leave the particulars: the number of the node, then three numbers. */
    long report() {
        return report;
    }

    /** The number of a node that may find something wrong. */
    synchronized int number(String node, Message message) {
        for (int i = 0; i < sources.size(); i++)
            if (sources.get(i).node.equals(node)) {
                sources.set(i, new Source(node, message));
                return i + 1;
            }
        sources.add(new Source(node, message));
        return sources.size();
    }

    /**
     * Fails whoever waits for the card next, and keeps kernels from changing variables until then. The card's stream may stand
     * still: another one is used.
     */
    synchronized void raise(OxbowException why, long aside) {
        raised = why;
        Driver.fill(word, (byte) 1, Slots.BYTES, aside);
        Driver.synchronize(aside);
    }

    /** Throws what was found wrong, once; the card has done all that was given to it. */
    synchronized void check() {
        OxbowException why = raised;
        if (why != null) {
            raised = null;
            clear();
            throw why.rethrown();
        }
        int number = (int) Memory.getLong(report);
        if (number == 0) return;
        Source s = sources.get(number - 1);
        String text =
                s.message.of(Memory.getLong(report + 8), Memory.getLong(report + 16), Memory.getLong(report + 24));
        clear();
        throw new OxbowException(INVALID_ARGUMENT, "%s (node %s, on %s)".formatted(text, s.node, card.name));
    }
}
