package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.lang.reflect.Executable;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What users of the library can see: every public and protected signature of the packages that are exported to all. */
final class SignaturesTest {
    /** Types of our own that users cannot name and yet meet; one that is gone must leave this list. */
    private static final Set<String> KNOWN = Set.of(
            // how an expression is represented, which our compilers walk
            "dev.oxbow.kernels.expr.compile.RowFormula",
            "dev.oxbow.kernels.expr.interpret.Kind",
            "dev.oxbow.kernels.expr.interpret.Primitive",
            "dev.oxbow.kernels.expr.interpret.Program",
            "dev.oxbow.kernels.expr.reduce.Reduction$Operation",
            "dev.oxbow.kernels.expr.special.Special",
            // what a job is made with; the launcher's options say it for users
            "dev.oxbow.collective.algorithm.TopKAllReduce$Kept",
            "dev.oxbow.net.shm.ShmConfig",
            // the piece of a value that a worker keeps
            "dev.oxbow.wire.TensorSlice",
            // how tasks tell each other which cluster they are of
            "dev.oxbow.wire.proto.ClusterDef",
            // what tasks of a cluster and commands read of a trace; users write it to a file
            "dev.oxbow.wire.proto.StepStats",
            "dev.oxbow.wire.trace.Span");

    /** By type that users cannot name: the signatures that have it. */
    private final Map<String, Set<String>> hidden = new TreeMap<>();

    private final Set<String> exported = new TreeSet<>();

    @Test
    void signaturesHaveTypesOfTheJdkAndOfExportedPackagesOnly() throws Exception {
        List<ModuleReference> modules = modules();
        assertTrue(modules.size() >= 15, () -> "modules " + modules);
        for (ModuleReference m : modules)
            for (Exports e : m.descriptor().exports()) if (!e.isQualified()) exported.add(e.source());
        int classes = 0;
        for (ModuleReference m : modules) {
            for (String name : classes(m)) {
                Class<?> type = Class.forName(name, false, getClass().getClassLoader());
                if (!exported.contains(type.getPackageName()) || !isVisible(type)) continue;
                check(type);
                classes++;
            }
        }
        assertTrue(classes > 300, "only " + classes + " classes were seen");
        assertEquals(new TreeSet<>(KNOWN), new TreeSet<>(hidden.keySet()), () -> "met in " + hidden);
    }

    private void check(Class<?> type) {
        String where = type.getName();
        Stream.concat(Stream.of(type.getGenericInterfaces()), Stream.ofNullable(type.getGenericSuperclass()))
                .filter(t ->
                        !(t instanceof Class<?> c && c.getPackage() == type.getPackage())) // may be hidden beside it
                .forEach(t -> see(t, where));
        bounds(type, where);
        for (var f : type.getDeclaredFields()) if (isVisible(f)) see(f.getGenericType(), where + "." + f.getName());
        for (var c : type.getDeclaredConstructors()) check(c, where);
        for (var m : type.getDeclaredMethods()) {
            if (!isVisible(m) || m.isSynthetic()) continue;
            check(m, where);
            see(m.getGenericReturnType(), where + "." + m.getName());
        }
    }

    private void check(Executable e, String where) {
        if (!isVisible(e) || e.isSynthetic()) return;
        String at = where + "." + e.getName();
        bounds(e, at);
        for (Type t : e.getGenericParameterTypes()) see(t, at);
        for (Type t : e.getGenericExceptionTypes()) see(t, at);
    }

    private void bounds(GenericDeclaration d, String where) {
        for (TypeVariable<?> v : d.getTypeParameters()) for (Type t : v.getBounds()) see(t, where);
    }

    private void see(Type type, String where) {
        switch (type) {
            case null -> {}
            case Class<?> c when c.isArray() -> see(c.componentType(), where);
            case Class<?> c -> {
                if (!c.isPrimitive() && !isKnown(c))
                    hidden.computeIfAbsent(c.getName(), _ -> new TreeSet<>()).add(where);
            }
            case ParameterizedType p -> {
                see(p.getRawType(), where);
                for (Type t : p.getActualTypeArguments()) see(t, where);
            }
            case GenericArrayType a -> see(a.getGenericComponentType(), where);
            case WildcardType w ->
                Stream.of(w.getLowerBounds(), w.getUpperBounds())
                        .flatMap(Arrays::stream)
                        .forEach(t -> see(t, where));
            default -> {} // a type variable, whose bounds are seen where it is declared
        }
    }

    private boolean isKnown(Class<?> c) {
        return c.getModule().getName() != null && c.getModule().getName().startsWith("java.")
                || exported.contains(c.getPackageName()) && isVisible(c);
    }

    private static boolean isVisible(Class<?> c) {
        for (Class<?> at = c; at != null; at = at.getEnclosingClass())
            if ((at.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0 || at.isSynthetic()) return false;
        return true;
    }

    private static boolean isVisible(Member m) {
        return (m.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
    }

    /** The modules of Oxbow among what this test runs with. */
    private static List<ModuleReference> modules() {
        List<ModuleReference> all = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            try {
                ModuleFinder.of(Path.of(entry)).findAll().stream()
                        .filter(m -> m.descriptor().name().startsWith("dev.oxbow"))
                        .forEach(all::add);
            } catch (FindException e) {
                continue; // a jar whose name is none for a module
            }
        }
        return all;
    }

    private static List<String> classes(ModuleReference m) throws IOException {
        try (ModuleReader reader = m.open();
                Stream<String> names = reader.list()) {
            return names.filter(n -> n.endsWith(".class") && !n.endsWith("-info.class"))
                    .map(n -> n.substring(0, n.length() - 6).replace('/', '.'))
                    .toList();
        }
    }
}
