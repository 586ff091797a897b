package dev.oxbow.testing;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a machine can check of how the sources look. */
final class StyleTest {
    private static final int FILE_LINES = 400;
    private static final int METHOD_LINES = 60;
    private static final int PARAMETERS = 11;

    /** Files that may be longer, up to what they have: lists of samples, and types that have not been taken apart yet. */
    private static final Map<String, Integer> LONG_FILES = new TreeMap<>(Map.ofEntries(
            entry("Expr", 550),
            entry("FlowSamples", 600),
            entry("InstructionContext", 475),
            entry("NnSamples", 500),
            entry("Plan", 560),
            entry("Tensor", 570)));

    /** Methods that may be longer: one switch over all instructions, or a path so hot that a call in it shows. */
    private static final Set<String> LONG_METHODS =
            Set.of("BoundCall.BoundCall", "RegionRun.execute", "VectorCode.instruction");

    /** Methods that are lists: the ops of a package, the samples of a family. */
    private static final Predicate<Method> IS_LIST =
            m -> m.name.equals("ops") || m.source.path.toString().contains("/testing/samples/");

    private static final Pattern NO_CODE = Pattern.compile(
            "(?s)/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"[^\"\\\\\\n]*+(?:\\\\.[^\"\\\\\\n]*+)*+\"|'(?:\\\\.|[^'\\\\\\n])+'");
    private static final Pattern BANNER = Pattern.compile("(?m)^\\s*//\\s*[-=*#]{3,}.*$");
    private static final Pattern TYPE = Pattern.compile("\\b(?:class|interface|enum|record)\\s+(\\w+)");
    private static final Pattern METHOD = Pattern.compile("(\\w+)\\s*\\(([^{;]*)\\)[^()]*$");
    private static final Pattern ANNOTATIONS = Pattern.compile("^(?:@\\w+(?:\\([^()]*\\))?\\s*)+");
    private static final Pattern CONSTANT = Pattern.compile("(?s)[A-Z_0-9,\\s]+(?:\\(.*)?");
    private static final Pattern IMPORT = Pattern.compile("(?m)^import ([\\w.]+)\\.(\\w+);$");
    private static final Pattern HEAD = Pattern.compile("(?m)^(?:import|package) .*;$");
    private static final Pattern QUALIFIED =
            Pattern.compile("(?<![\\w.])((?:java|javax|jdk|org|com|dev)(?:\\.[a-z]\\w*)+)\\.([A-Z]\\w*)");

    /** A source file; in {@code code} all that is comment or literal is blank. */
    private record Source(Path path, String text, String code) {
        String name() {
            return path.getFileName().toString().replace(".java", "");
        }

        boolean isMain() {
            return path.toString().contains("/src/main/java/");
        }
    }

    /** A method or constructor with a body. */
    private record Method(Source source, String type, String name, int lines, int parameters) {
        @Override
        public String toString() {
            return type + "." + name;
        }
    }

    private static final List<Source> SOURCES = new ArrayList<>();

    @BeforeAll
    static void read() throws IOException {
        try (Stream<Path> files = Files.walk(root())) {
            for (Path f : files.filter(StyleTest::isSource).sorted().toList()) {
                String text = Files.readString(f);
                String code = NO_CODE.matcher(text).replaceAll(m -> m.group().replaceAll("[^\\n]", " "));
                SOURCES.add(new Source(f, text, code));
            }
        }
        assertTrue(SOURCES.size() > 1000, () -> SOURCES.size() + " sources");
    }

    private static boolean isSource(Path f) {
        String path = f.toString();
        return path.endsWith(".java")
                && !path.endsWith("module-info.java")
                && (path.contains("/src/main/java/") || path.contains("/src/test/java/"));
    }

    @Test
    void filesAreShort() {
        Set<String> wrong = new TreeSet<>();
        Set<String> known = new HashSet<>();
        for (Source s : SOURCES) {
            if (!s.isMain()) continue;
            long lines = s.text.lines().count();
            if (lines > FILE_LINES) known.add(s.name());
            if (lines > LONG_FILES.getOrDefault(s.name(), FILE_LINES)) wrong.add(s.name() + ": " + lines + " lines");
        }
        assertEquals(Set.of(), wrong);
        assertEquals(LONG_FILES.keySet(), new TreeSet<>(known), "files that may be long, and those that are");
    }

    @Test
    void methodsAreShort() {
        Set<String> wrong = new TreeSet<>();
        for (Source s : SOURCES)
            if (s.isMain())
                for (Method m : methods(s))
                    if (m.lines > METHOD_LINES && !IS_LIST.test(m) && !LONG_METHODS.contains(m.toString()))
                        wrong.add(m + ": " + m.lines + " lines");
        assertEquals(Set.of(), wrong);
    }

    @Test
    void methodsTakeFewParameters() {
        Set<String> wrong = new TreeSet<>();
        for (Source s : SOURCES)
            if (s.isMain())
                for (Method m : methods(s))
                    if (m.parameters > PARAMETERS) wrong.add(m + ": " + m.parameters + " parameters");
        assertEquals(Set.of(), wrong);
    }

    @Test
    void nothingIsUnderABanner() {
        Set<String> wrong = new TreeSet<>();
        for (Source s : SOURCES) {
            Matcher m = BANNER.matcher(s.text);
            while (m.find()) wrong.add(s.name() + ": " + m.group().strip());
        }
        assertEquals(Set.of(), wrong);
    }

    /** A name may be qualified where its file knows another one of that name: imported, or of the package. */
    @Test
    void namesAreImported() {
        Map<String, Set<String>> byPackage = new TreeMap<>();
        for (Source s : SOURCES)
            byPackage.computeIfAbsent(home(s), k -> new HashSet<>()).add(s.name());
        Set<String> wrong = new TreeSet<>();
        for (Source s : SOURCES) {
            Set<String> taken = new HashSet<>(byPackage.get(home(s)));
            Matcher imports = IMPORT.matcher(s.code);
            while (imports.find()) taken.add(imports.group(2));
            Matcher types = TYPE.matcher(s.code);
            while (types.find()) taken.add(types.group(1));
            Matcher names = QUALIFIED.matcher(HEAD.matcher(s.code).replaceAll(""));
            while (names.find()) if (!taken.contains(names.group(2))) wrong.add(s.name() + ": " + names.group());
        }
        assertEquals(Set.of(), wrong);
    }

    @Test
    void everyPackageHasAPage() {
        Set<String> with = new TreeSet<>(), without = new TreeSet<>();
        for (Source s : SOURCES) {
            if (!s.isMain()) continue;
            if (!s.name().equals("package-info")) without.add(home(s));
            else if (s.text.startsWith("/**")) with.add(home(s));
        }
        without.removeAll(with);
        assertEquals(Set.of(), without);
    }

    @Test
    void theCheckersSeeWhatIsThere() {
        Source s = new Source(Path.of("a/src/main/java/Sample.java"), "", """
            final class Sample {
                private static final int[] X = {1, 2};

                @Deprecated
                Sample(int a, List<Map<String, B>> b) {
                    this.c = () -> {
                        run(a);
                    };
                }

                enum Kind { ONE(1) { int n() { return 1; } }, TWO { int m() { return 2; } } }
            }
            """);
        assertEquals(
                List.of("Sample.Sample 5 2", "Kind.n 1 0", "Kind.m 1 0"),
                methods(s).stream()
                        .map(m -> m + " " + m.lines + " " + m.parameters)
                        .toList());
    }

    private static String home(Source s) {
        Matcher m = Pattern.compile("(?m)^package ([\\w.]+);").matcher(s.code);
        assertTrue(m.find(), () -> s.path + " is in no package");
        return m.group(1);
    }

    /** A pair of braces: the body of a type, or of a method, or neither. */
    private record Block(String type, Method method, int line) {}

    /** Goes through the braces: one that stands directly in a type, behind parentheses and no assignment, is a body. */
    private static List<Method> methods(Source s) {
        List<Method> found = new ArrayList<>();
        Deque<Block> open = new ArrayDeque<>();
        int start = 0, line = 1;
        for (int i = 0; i < s.code.length(); i++) {
            char c = s.code.charAt(i);
            if (c == '\n') line++;
            if (c != '{' && c != '}' && c != ';') continue;
            if (c == '{') {
                String head =
                        ANNOTATIONS.matcher(s.code.substring(start, i).strip()).replaceFirst("");
                int first = line - (int) head.chars().filter(x -> x == '\n').count();
                open.push(block(s, open.isEmpty() ? null : open.peek().type, head, first));
            } else if (c == '}') {
                Block b = open.pop();
                if (b.method != null)
                    found.add(new Method(s, b.method.type, b.method.name, line - b.line + 1, b.method.parameters));
            }
            start = i + 1;
        }
        return found;
    }

    private static Block block(Source s, String around, String head, int line) {
        Matcher type = TYPE.matcher(head), method = METHOD.matcher(head);
        if (type.find()) return new Block(type.group(1), null, line);
        if (around != null && CONSTANT.matcher(head).matches()) return new Block(around, null, line);
        boolean assigns = head.replaceAll("\\([^()]*\\)", "").matches("(?s).*[^=!<>]=[^=].*");
        if (around == null || assigns || !method.find()) return new Block(null, null, line);
        String list = method.group(2)
                .replaceAll("<[^<>]*>", "")
                .replaceAll("<[^<>]*>", "")
                .strip();
        int parameters = list.isEmpty() ? 0 : list.split(",").length;
        return new Block(null, new Method(s, around, method.group(1), 0, parameters), line);
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve("oxbow"))) folder = folder.getParent();
        return Objects.requireNonNull(folder, "no folder with the launcher above this one");
    }
}
