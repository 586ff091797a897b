package dev.oxbow.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RankEnvironmentTest {

    @Test
    void withoutVariablesAProcessIsAJobOfOneRank() {
        RankEnvironment e = read("");
        assertEquals(new RankEnvironment(0, 1, 0, 1, Optional.empty(), "oxbow", Token.NONE, "no launcher"), e);
    }

    @Test
    void ownVariablesAreRead() {
        RankEnvironment e = read("OXBOW_RANK=3 OXBOW_SIZE=8 OXBOW_LOCAL_RANK=1 OXBOW_LOCAL_SIZE=2"
                + " OXBOW_RENDEZVOUS=10.0.0.1:4000 OXBOW_JOB=night OXBOW_TOKEN=secret");
        assertEquals(
                new RankEnvironment(3, 8, 1, 2, Optional.of("10.0.0.1:4000"), "night", Token.of("secret"), "OXBOW_*"),
                e);
        assertEquals(Optional.of(new HostPort("10.0.0.1", 4000)), e.address());
        assertFalse(e.toString().contains("secret"), e.toString());
    }

    @Test
    void aDirectoryCanBeTheRendezvous() {
        RankEnvironment e = read("OXBOW_RANK=0 OXBOW_SIZE=2 OXBOW_RENDEZVOUS=file:/shared/jobs");
        assertEquals(Optional.of("/shared/jobs"), e.directory());
        assertEquals(Optional.empty(), e.address());
    }

    @Test
    void aTokenCanLieInAFile(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("token"), "secret\n");
        assertEquals(Token.of("secret"), read("OXBOW_TOKEN_FILE=" + file).token());
        assertFails("OXBOW_TOKEN_FILE=" + file + " OXBOW_TOKEN=x", "OXBOW_TOKEN and OXBOW_TOKEN_FILE are both set");
        assertFails("OXBOW_TOKEN_FILE=" + directory.resolve("none"), "can not read OXBOW_TOKEN_FILE");
        Files.writeString(file, "");
        assertFails("OXBOW_TOKEN_FILE=" + file, "has 0 bytes, 1 to 4096 are allowed");
    }

    @Test
    void torchrunIsRead() {
        RankEnvironment e =
                read("RANK=5 WORLD_SIZE=8 LOCAL_RANK=1 LOCAL_WORLD_SIZE=4 MASTER_ADDR=head MASTER_PORT=29500"
                        + " TORCHELASTIC_RUN_ID=abc");
        // the port after torchrun's own
        assertEquals(
                new RankEnvironment(5, 8, 1, 4, Optional.of("head:29501"), "torchrun-abc", Token.NONE, "torchrun"), e);
        assertEquals(
                Optional.of("head:4000"),
                read("RANK=0 WORLD_SIZE=2 MASTER_ADDR=head MASTER_PORT=1 OXBOW_PORT=4000")
                        .rendezvous());
    }

    @Test
    void openMpiIsRead() {
        String all = "OMPI_COMM_WORLD_RANK=2 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=0"
                + " OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=prterun-host-123@1";
        RankEnvironment e = read(all);
        assertEquals(
                new RankEnvironment(2, 4, 0, 2, Optional.empty(), "ompi-prterun-host-123@1", Token.NONE, "Open MPI"),
                e);
        assertEquals(Optional.of("h:1"), read(all + " OXBOW_RENDEZVOUS=h:1").rendezvous());
    }

    @Test
    void openMpiOnOneHostMeetsOnLoopback() {
        String all = "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=1"
                + " OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_NAMESPACE=";
        HostPort address = read(all + "one").address().orElseThrow();
        assertEquals("127.0.0.1", address.host());
        assertTrue(address.port() >= 20_000 && address.port() < 30_000, address.toString());
        assertEquals(address, read(all + "one").address().orElseThrow());
    }

    @Test
    void slurmIsRead() {
        RankEnvironment e = read("SLURM_PROCID=5 SLURM_NTASKS=7 SLURM_LOCALID=1 SLURM_JOB_ID=42 SLURM_STEP_ID=0"
                + " SLURM_STEP_NODELIST=node[003-004,007] SLURM_STEP_TASKS_PER_NODE=2(x2),3 SLURM_NODEID=2"
                + " OXBOW_PORT=4000");
        assertEquals(
                new RankEnvironment(5, 7, 1, 3, Optional.of("node003:4000"), "slurm-42.0", Token.NONE, "Slurm"), e);
    }

    @Test
    void slurmWithoutTasksPerNodeStillHasALocalRank() {
        String some = "SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_LOCALID=1 SLURM_JOB_ID=42 SLURM_STEP_NODELIST=";
        assertEquals(1, read(some + "a,b").localRank());
        assertEquals(2, read(some + "a,b").localSize());
        assertEquals(8, read(some + "a7").localSize());
        assertEquals(8, read(some + "a[7]").localSize());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "node1 node1",
                "node[003-006,010] node003",
                "gpu1,node[1-2] gpu1",
                "rack[1-2]node[07-09] rack1node07",
                "n[5,7-9]-ib,m1 n5-ib"
            })
    void theFirstHostOfASlurmListIsFound(String list, String first) {
        assertEquals(first, Nodes.first(list));
    }

    @Test
    void listsThatSlurmDoesNotWriteAreErrors() {
        assertFails("SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_STEP_NODELIST=node[1-2", "can not read the list of hosts");
        assertFails(
                "SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_STEP_NODELIST=a SLURM_TASKS_PER_NODE=2y",
                "can not read the tasks");
        assertFails(
                "SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_STEP_NODELIST=a SLURM_TASKS_PER_NODE=2(x3) SLURM_NODEID=3",
                "there is no node 3");
    }

    @Test
    void kubernetesIndexedJobsAreRead() {
        String pod = "JOB_COMPLETION_INDEX=2 HOSTNAME=train-2 OXBOW_SERVICE=train-svc OXBOW_PORT=4000";
        var expected = new RankEnvironment(
                2, 4, 0, 1, Optional.of("train-0.train-svc:4000"), "train", Token.NONE, "Kubernetes");
        assertEquals(expected, read(pod + " OXBOW_SIZE=4"));
        assertEquals(expected, read(pod + " JOB_COMPLETIONS=4"));
        assertFails(pod, "JOB_COMPLETION_INDEX is set, but JOB_COMPLETIONS is not");
        assertFails(
                "JOB_COMPLETION_INDEX=2 OXBOW_SIZE=4 OXBOW_SERVICE=s HOSTNAME=other",
                "HOSTNAME to end in -2, got other");
    }

    @Test
    void theInnermostLauncherWins() {
        String slurm = " SLURM_PROCID=0 SLURM_NTASKS=1 SLURM_STEP_NODELIST=a";
        String mpi = " OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4";
        String torch = " RANK=2 WORLD_SIZE=4";
        String oxbow = " OXBOW_RANK=3 OXBOW_SIZE=4";
        assertEquals("Open MPI", read(slurm + mpi).source());
        assertEquals("torchrun", read(slurm + mpi + torch).source());
        assertEquals(3, read(slurm + mpi + torch + oxbow).rank());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "OXBOW_RANK=1 | environment: OXBOW_RANK is set, but OXBOW_SIZE is not",
                "OXBOW_SIZE=1 | environment: OXBOW_SIZE is set, but OXBOW_RANK is not",
                "OXBOW_RANK=0 OXBOW_SIZE=2 OXBOW_LOCAL_RANK=0 | OXBOW_LOCAL_RANK is set, but OXBOW_LOCAL_SIZE",
                "WORLD_SIZE=4 | environment: WORLD_SIZE is set, but RANK is not",
                "RANK=0 WORLD_SIZE=4 MASTER_ADDR=h | environment: MASTER_ADDR is set, but MASTER_PORT is not",
                "OMPI_COMM_WORLD_RANK=4 | environment: OMPI_COMM_WORLD_RANK is set, but OMPI_COMM_WORLD_SIZE is not",
                "SLURM_PROCID=4 | environment: SLURM_PROCID is set, but SLURM_NTASKS is not",
                "OXBOW_RANK=4 OXBOW_SIZE=4 | OXBOW_*: rank 4 is not within 0..3",
                "OXBOW_RANK=0 OXBOW_SIZE=0 | OXBOW_*: size must be at least 1, got 0",
                "OXBOW_RANK=-1 OXBOW_SIZE=4 | environment: OXBOW_RANK is not a whole number from 0: -1",
                "OXBOW_RANK=one OXBOW_SIZE=4 | environment: OXBOW_RANK is not a whole number from 0: one",
                "RANK=1 WORLD_SIZE=4 LOCAL_RANK=2 LOCAL_WORLD_SIZE=2 | torchrun: local rank 2 is not within 0..1",
                "RANK=1 WORLD_SIZE=4 LOCAL_RANK=0 LOCAL_WORLD_SIZE=8 | torchrun: local size 8 is not within 1..4",
                "RANK=1 WORLD_SIZE=4 LOCAL_RANK=2 LOCAL_WORLD_SIZE=4 | torchrun: local rank 2 is larger than rank 1",
                "OXBOW_RENDEZVOUS=nowhere | address: \"nowhere\" is not host:port",
                "OXBOW_RENDEZVOUS=h:99999 | address: port 99999 is not within 0..65535",
            })
    void halfSetAndContradictoryVariablesAreErrors(String variables, String message) {
        assertFails(variables, message);
    }

    @Test
    void addressesAreReadAndWritten() {
        assertEquals(new HostPort("::1", 80), HostPort.parse("[::1]:80"));
        assertEquals("[::1]:80", HostPort.parse("[::1]:80").toString());
        assertEquals("a.b:1", HostPort.parse("a.b:1").toString());
        for (String bad : new String[] {"", ":", "a", "a:", ":1", "::1:80", "a:b", "a:-1", "a:123456"}) {
            assertThrows(OxbowException.class, () -> HostPort.parse(bad), bad);
        }
    }

    private static void assertFails(String variables, String message) {
        var e = assertThrows(OxbowException.class, () -> read(variables));
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }

    private static RankEnvironment read(String variables) {
        Map<String, String> map = new HashMap<>();
        for (String v : variables.strip().split(" +")) {
            if (!v.isEmpty()) map.put(v.substring(0, v.indexOf('=')), v.substring(v.indexOf('=') + 1));
        }
        return RankEnvironment.from(map);
    }
}
