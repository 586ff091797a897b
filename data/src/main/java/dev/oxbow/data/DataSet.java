package dev.oxbow.data;

import java.util.Map;

/**
 * A public data set: its files with the MD5 sums that its authors publish.
 *
 * @param home where people find it
 */
public record DataSet(String name, String home, Map<String, String> files) {

    /** Handwritten digits of 28 x 28 pixels, 60,000 and 10,000 (LeCun et al., 1998). */
    public static final DataSet MNIST = new DataSet(
            "mnist",
            "the MNIST database of handwritten digits, four .gz files",
            Map.of(
                    "train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873",
                    "train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432",
                    "t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3",
                    "t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"));
}
