package dev.oxbow.cuda;

import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceProvider;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.Width;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the cards of this machine. {@code -Doxbow.cuda=off} has it look for none, {@code -Doxbow.cuda=0,2} take those alone.
 */
public final class CudaDevices implements DeviceProvider {

    private static final Logger log = LoggerFactory.getLogger(CudaDevices.class);

    /** What was found once and for all: the cards, or why there are none. */
    private static final class Found {
        static final List<Integer> CARDS = new ArrayList<>();
        static final String WHY;

        static {
            String why = null;
            try {
                why = look();
            } catch (OxbowException e) {
                why = e.getMessage();
            }
            WHY = why;
            if (why != null) log.info("{}; computing goes on without a card", why);
        }

        /** Fills the list of cards; or says why there are none. */
        private static String look() {
            String wanted = System.getProperty("oxbow.cuda", "");
            if (wanted.equals("off")) return "CUDA: is switched off by -Doxbow.cuda=off";
            for (Libraries.Name n : Libraries.Name.values()) {
                Libraries.Found found = Libraries.find(n);
                if (n.needed && !found.isThere()) return "CUDA: " + found.missing();
            }
            int status = initialised();
            if (status != Driver.SUCCESS) return "CUDA: the driver finds no card: " + Driver.errorName(status);
            int n = Driver.cards();
            if (n == 0) return "CUDA: the driver finds no card";
            List<Integer> chosen =
                    wanted.isBlank() ? IntStream.range(0, n).boxed().toList() : chosen(wanted, n);
            for (int card : chosen) {
                Card.of(card); // fails for one that is too old
                CARDS.add(card);
            }
            return null;
        }

        /** The driver's status; an old one lacks functions, which is found where its class is made. */
        private static int initialised() {
            try {
                return Driver.initialise();
            } catch (ExceptionInInitializerError e) {
                if (e.getCause() instanceof OxbowException known) throw known;
                throw e;
            }
        }

        private static List<Integer> chosen(String wanted, int n) {
            List<Integer> all = new ArrayList<>();
            for (String part : wanted.split(",")) {
                boolean valid = part.strip().matches("[0-9]{1,4}") && Integer.parseInt(part.strip()) < n;
                if (!valid)
                    throw new OxbowException(
                            ErrorCode.INVALID_ARGUMENT,
                            "CUDA: -Doxbow.cuda wants numbers of cards below %d or 'off', got '%s'"
                                    .formatted(n, wanted));
                all.add(Integer.parseInt(part.strip()));
            }
            return all;
        }
    }

    @Override
    public List<Device> devices(EngineOptions options, Width parallel) {
        List<Device> all = new ArrayList<>();
        for (int number : Found.CARDS) {
            Card card = Card.of(number);
            if (card.isLost()) log.warn("{} is lost to this process, which goes on without it", card);
            else all.add(new CudaDevice(card, options.task(), all.size(), parallel));
        }
        return all;
    }

    @Override
    public String type() {
        return "GPU";
    }

    @Override
    public boolean has(Class<?> op) {
        return CardOps.has(op);
    }

    @Override
    public List<Finding> findings() {
        List<Finding> all = new ArrayList<>();
        for (Libraries.Name n : Libraries.Name.values()) {
            Libraries.Found f = Libraries.find(n);
            String text = f.isThere() ? f.where() : f.missing();
            if (f.isThere() && n == Libraries.Name.NVRTC) text += ", version " + Nvrtc.version();
            if (f.isThere() && n == Libraries.Name.DNN) text += ", version " + Libraries.text(Dnn.version());
            if (f.isThere() && n == Libraries.Name.DRIVER) text += ", for CUDA " + driverVersion();
            boolean there = f.isThere();
            if (there && n == Libraries.Name.NCCL) {
                String missing = Libraries.missingNccl();
                there = missing == null;
                text = there ? text + ", version " + Libraries.text(Nccl.version()) : missing;
            }
            all.add(new Finding("CUDA: " + n.title, there, text));
        }
        if (Found.WHY != null) all.add(new Finding("CUDA: cards", false, Found.WHY));
        for (int card : Found.CARDS)
            all.add(new Finding("CUDA: card " + card, true, Card.of(card).toString()));
        return all;
    }

    private static String driverVersion() {
        try {
            int v = Driver.version();
            return v / 1000 + "." + v % 1000 / 10;
        } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
            return "versions before those that are needed";
        }
    }
}
