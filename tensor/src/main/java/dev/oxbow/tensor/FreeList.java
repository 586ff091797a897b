package dev.oxbow.tensor;

import java.util.Arrays;

/** Free blocks of one size; those of slabs can not be returned one by one. */
final class FreeList {
    long[] places = new long[8];
    int count;
    final boolean inSlabs;

    FreeList(boolean inSlabs) {
        this.inSlabs = inSlabs;
    }

    void push(long place, boolean ordered) {
        if (count == places.length) places = Arrays.copyOf(places, 2 * count);
        int at = count++;
        for (; ordered && at > 0 && places[at - 1] < place; at--) places[at] = places[at - 1];
        places[at] = place;
    }
}
