package dev.oxbow.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.HostPort;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ClusterSpecTest {
    private static final String JSON = "{\"ps\": [\"a:1\"], \"worker\": {\"0\": \"b:2\", \"3\": \"c:3\"}}";

    @Test
    void jobsAreListsOrHaveNumberedTasks() {
        ClusterSpec c = ClusterSpec.json(JSON);
        assertEquals(List.of(new TaskName("ps", 0), new TaskName("worker", 0), new TaskName("worker", 3)), c.tasks());
        assertEquals(new HostPort("c", 3), c.address(new TaskName("worker", 3)));
        OxbowException e = assertThrows(OxbowException.class, () -> c.address(new TaskName("worker", 1)));
        assertEquals(ErrorCode.NOT_FOUND, e.code());
    }

    @Test
    void theMessageOfTensorFlowSaysTheSame() {
        ClusterSpec c = ClusterSpec.json(JSON);
        assertEquals(c.toString(), ClusterSpec.of(c.definition()).toString());
    }

    @Test
    void tfConfigSaysWhichTaskItIs() {
        ClusterSpec.Place p =
                ClusterSpec.tfConfig("{\"cluster\": " + JSON + ", \"task\": {\"type\": \"worker\", \"index\": 3}}");
        assertEquals("/job:worker/replica:0/task:3", p.task().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{\"worker\": 3}", "{\"worker\": [\"no port\"]}", "{}", "{\"a b\": [\"a:1\"]}"})
    void whatIsNoClusterIsRefused(String text) {
        OxbowException e = assertThrows(OxbowException.class, () -> ClusterSpec.json(text));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
    }

    @Test
    void aTaskOwnsItsDevicesOnly() {
        TaskName one = new TaskName("worker", 1);
        assertTrue(one.owns("/job:worker/replica:0/task:1/device:CPU:0"));
        assertTrue(!one.owns("/job:worker/replica:0/task:11/device:CPU:0"));
        assertEquals(one, TaskName.ofDevice("/job:worker/replica:0/task:1/device:CPU:0"));
        assertEquals(1, ClusterSpec.of(Map.of("w", List.of("a:1"))).tasks().size());
    }
}
