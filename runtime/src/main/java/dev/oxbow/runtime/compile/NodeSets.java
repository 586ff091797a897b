package dev.oxbow.runtime.compile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sets of nodes or conditions as numbers: equal sets have equal numbers, 0 is the empty set. */
final class NodeSets {

    /*
     * A set is a binary tree of its elements' bits, highest first, without branches that have one side only. Equal
     * trees are one, so sets that share most of their elements share most of their memory: the sets of a chain of n
     * waiting nodes take n log n, not n * n. (Okasaki and Gill, Fast mergeable integer maps, 1998.)
     */

    /** Elements that agree above {@code bit} with {@code prefix}; a single element where it is 0. */
    private record Tree(int prefix, int bit, int left, int right) {
        boolean covers(int element) {
            return above(element, bit) == prefix;
        }
    }

    private final List<Tree> trees = new ArrayList<>();
    private final Map<Tree, Integer> numbers = new HashMap<>();
    private final Map<Long, Integer> unions = new HashMap<>();

    NodeSets() {
        trees.add(null);
    }

    int single(int element) {
        return number(new Tree(element, 0, 0, 0));
    }

    int union(int a, int b) {
        if (a == b || b == 0) return a;
        if (a == 0) return b;
        long key = (long) Math.min(a, b) << 32 | Math.max(a, b);
        Integer known = unions.get(key);
        if (known != null) return known;
        Tree x = trees.get(a), y = trees.get(b);
        int order = Integer.compareUnsigned(x.bit, y.bit);
        int made;
        if (order == 0 && x.prefix == y.prefix)
            made = number(new Tree(x.prefix, x.bit, union(x.left, y.left), union(x.right, y.right)));
        else if (order > 0 && x.covers(y.prefix)) made = into(x, b, y.prefix);
        else if (order < 0 && y.covers(x.prefix)) made = into(y, a, x.prefix);
        else made = beside(a, x.prefix, b, y.prefix);
        unions.put(key, made);
        return made;
    }

    /** The union of a tree with a set that belongs to one of its sides. */
    private int into(Tree t, int set, int prefix) {
        boolean left = (prefix & t.bit) == 0;
        return number(
                new Tree(t.prefix, t.bit, left ? union(t.left, set) : t.left, left ? t.right : union(t.right, set)));
    }

    private int beside(int a, int prefixOfA, int b, int prefixOfB) {
        int bit = Integer.highestOneBit(prefixOfA ^ prefixOfB);
        boolean left = (prefixOfA & bit) == 0;
        return number(new Tree(above(prefixOfA, bit), bit, left ? a : b, left ? b : a));
    }

    private static int above(int element, int bit) {
        return bit == 0 ? element : element & ~((bit << 1) - 1);
    }

    private int number(Tree t) {
        return numbers.computeIfAbsent(t, k -> {
            trees.add(k);
            return trees.size() - 1;
        });
    }
}
