package dev.oxbow.benchmarks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class ChildProcessTest {
    private static final String ECHO =
            "while read line; do test \"$line\" = quit && exit; echo \"> ok $0 $line\"; done";

    @TempDir
    private Path folder;

    private ChildProcess start(String name, String script) throws IOException {
        return ChildProcess.start(name, List.of("sh", "-c", script, name), Map.of(), folder.resolve("log"));
    }

    @Test
    void allAreAskedAtOnceAndAnswerInTheirOrder() throws Exception {
        List<ChildProcess> all = List.of(start("a", ECHO), start("b", ECHO), start("c", ECHO));
        List<String[]> answers = ChildProcess.askAll(all, 30, "hello");
        assertArrayEquals(new String[] {"a", "hello"}, answers.get(0));
        assertArrayEquals(new String[] {"c", "hello"}, answers.get(2));
        ChildProcess.closeAll(all);
        for (ChildProcess p : all) assertFalse(p.isAlive());
    }

    @Test
    void whoKeepsSilentOrDiesIsNamed() throws Exception {
        List<ChildProcess> all = List.of(start("talks", ECHO), start("sleeps", "exec sleep 600"));
        var silent = assertThrows(ChildProcess.Failure.class, () -> ChildProcess.askAll(all, 0.5, "hello"));
        assertEquals("sleeps: no answer to 'hello' within 1 s", silent.getMessage());
        ChildProcess.closeAll(all);
        List<ChildProcess> dying = List.of(start("talks", ECHO), start("dies", "read line; exit 3"));
        var dead = assertThrows(ChildProcess.Failure.class, () -> ChildProcess.askAll(dying, 30, "hello"));
        assertEquals("dies died, see " + folder.resolve("log"), dead.getMessage());
        ChildProcess.closeAll(dying);
    }

    @Test
    void repliesAreReadByThreadsThatKeepNoCarrierFromOthers() throws Exception {
        try (ChildProcess _ = start("a child", ECHO)) {
            assertTrue(Thread.getAllStackTraces().keySet().stream()
                    .anyMatch(t -> t.getName().equals("replies of a child") && !t.isVirtual()));
        }
    }
}
