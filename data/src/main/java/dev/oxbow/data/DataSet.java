package dev.oxbow.data;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Properties;

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

    /** Pictures of clothes in the form of MNIST (Xiao et al., 2017). */
    public static final DataSet FASHION_MNIST = new DataSet(
            "fashion-mnist",
            "Fashion-MNIST, four .gz files",
            Map.of(
                    "train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
                    "train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe",
                    "t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79",
                    "t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"));

    /** Photos of 32 x 32 pixels in ten classes, 50,000 and 10,000 (Krizhevsky, 2009). */
    public static final DataSet CIFAR10 = new DataSet(
            "cifar10",
            "the binary version of CIFAR-10",
            Map.of("cifar-10-binary.tar.gz", "c32a1d4ab5d03f1284b67883e8d87530"));

    /** A million characters of Shakespeare (Karpathy, 2015). */
    public static final DataSet SHAKESPEARE = new DataSet(
            "shakespeare",
            "input.txt of tiny shakespeare",
            Map.of("tinyshakespeare.txt", "6fb458f1232090904fb40fe944165e91"));

    /** The census of 1994: who earns more than 50,000 dollars, 32,561 and 16,281 people (Kohavi, 1996). */
    public static final DataSet ADULT = new DataSet(
            "adult",
            "the Adult data set of UCI, adult.data and adult.test",
            Map.of(
                    "adult.data", "5d7c39d7b8804f071cdd1f2a7c460872",
                    "adult.test", "35238206dfdf7f1fe215bbb874adecdc"));

    /** All that are known by name. */
    public static List<DataSet> all() {
        return List.of(ADULT, CIFAR10, FASHION_MNIST, MNIST, SHAKESPEARE);
    }

    /** Addresses that are known to have its files, or the one file. */
    public List<String> mirrors() {
        try (InputStream in = DataSet.class.getResourceAsStream("mirrors.properties")) {
            Properties all = new Properties();
            all.load(in);
            String mirrors = all.getProperty(name, "").strip();
            return mirrors.isEmpty() ? List.of() : List.of(mirrors.split("\\s+"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
