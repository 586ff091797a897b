package dev.oxbow.kernels.codec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** A Huffman code to write with: the standard ones, or the best one for given counts. */
final class JpegWords {
    private static final int LONGEST = 16;

    /** How many words have 1, 2, ... bits, and the symbols in that order. */
    final byte[] lengths;

    final byte[] symbols;
    final int[] words = new int[256];
    final int[] sizes = new int[256];

    JpegWords(byte[] lengths, byte[] symbols) {
        this.lengths = lengths;
        this.symbols = symbols;
        int code = 0, k = 0;
        for (int length = 1; length <= LONGEST; length++, code <<= 1)
            for (int i = 0; i < (lengths[length - 1] & 255); i++, k++, code++) {
                words[symbols[k] & 255] = code;
                sizes[symbols[k] & 255] = length;
            }
    }

    /** The code of the standard's annex K. */
    static JpegWords standard(boolean chroma, boolean ac) {
        if (!ac) {
            byte[] symbols = new byte[12];
            for (int i = 0; i < 12; i++) symbols[i] = (byte) i;
            return new JpegWords(bytes(chroma ? "03111111111" : "01511111100"), symbols);
        }
        return chroma ? chromaAc() : lumaAc();
    }

    private static byte[] bytes(String digits) {
        byte[] b = new byte[LONGEST];
        for (int i = 0; i < digits.length(); i++) b[i] = (byte) (digits.charAt(i) - '0');
        return b;
    }

    private static JpegWords lumaAc() {
        return new JpegWords(
                new byte[] {0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d},
                hex(
                        "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435"
                                + "363738393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495"
                                + "969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8"
                                + "e9eaf1f2f3f4f5f6f7f8f9fa"));
    }

    private static JpegWords chromaAc() {
        return new JpegWords(
                new byte[] {0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77},
                hex(
                        "000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a26272829"
                                + "2a35363738393a434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92"
                                + "939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6"
                                + "e7e8e9eaf2f3f4f5f6f7f8f9fa"));
    }

    private static byte[] hex(String text) {
        byte[] b = new byte[text.length() / 2];
        for (int i = 0; i < b.length; i++) b[i] = (byte) Integer.parseInt(text, 2 * i, 2 * i + 2, 16);
        return b;
    }

    private record Item(long count, int symbol, List<Integer> below) {}

    /** The code with the fewest bits for symbols that occur so often, of words up to 16 bits, none of which has ones only. */
    static JpegWords best(long[] counts) {
        // package-merge, with one more symbol that nobody writes for the word of ones
        List<Item> leaves = new ArrayList<>();
        leaves.add(new Item(0, 256, List.of()));
        for (int s = 0; s < 256; s++) if (counts[s] > 0) leaves.add(new Item(counts[s], s, List.of()));
        if (leaves.size() == 1) leaves.add(new Item(1, 0, List.of()));
        leaves.sort(Comparator.comparingLong(Item::count).thenComparing(Item::symbol, Comparator.reverseOrder()));
        int[] size = new int[257];
        List<List<Integer>> last = List.of();
        List<long[]> level = List.of();
        List<List<Integer>> members = last;
        for (int bits = 0; bits < LONGEST; bits++) {
            List<Item> merged = new ArrayList<>(leaves);
            for (int i = 0; i + 1 < level.size(); i += 2) {
                List<Integer> all = new ArrayList<>(members.get(i));
                all.addAll(members.get(i + 1));
                merged.add(new Item(level.get(i)[0] + level.get(i + 1)[0], -1, all));
            }
            merged.sort(Comparator.comparingLong(Item::count));
            List<long[]> nextLevel = new ArrayList<>();
            List<List<Integer>> nextMembers = new ArrayList<>();
            for (Item m : merged) {
                nextLevel.add(new long[] {m.count});
                nextMembers.add(m.symbol >= 0 ? List.of(m.symbol) : m.below);
            }
            level = nextLevel;
            members = nextMembers;
        }
        for (int i = 0; i < 2 * leaves.size() - 2; i++) for (int s : members.get(i)) size[s]++;
        return ofSizes(size);
    }

    private static JpegWords ofSizes(int[] size) {
        byte[] lengths = new byte[LONGEST];
        List<Integer> order = new ArrayList<>();
        int longest = Arrays.stream(size).max().orElse(1);
        for (int bits = 1; bits <= LONGEST; bits++)
            for (int s = 0; s < 256; s++)
                if (size[s] == bits) {
                    order.add(s);
                    lengths[bits - 1]++;
                }
        // the symbol that nobody writes has the last of the longest words
        if (size[256] != longest) throw new IllegalStateException("a symbol that does not occur has a short word");
        byte[] symbols = new byte[order.size()];
        for (int i = 0; i < symbols.length; i++) symbols[i] = (byte) (int) order.get(i);
        return new JpegWords(lengths, symbols);
    }
}
