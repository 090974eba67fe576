package org.example.routes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RouteTableTest {
    private final RouteTable<String> routes = new RouteTable<>();

    @BeforeEach
    void fill() {
        routes.add("/", "home");
        routes.add("/users", "users");
        routes.add("/users/{id}", "user");
        routes.add("/users/{id}/posts/{post}", "post");
        routes.add("/files/*", "files");
    }

    private void finds(String path, String target, Map<String, String> parameters) {
        assertEquals(Optional.of(new Match<>(target, parameters)), routes.find(path));
    }

    @Test
    void findsText() {
        finds("/", "home", Map.of());
        finds("/users", "users", Map.of());
    }

    @Test
    void findsParameters() {
        finds("/users/7", "user", Map.of("id", "7"));
        finds("/users/7/posts/x", "post", Map.of("id", "7", "post", "x"));
    }

    @Test
    void findsTheRest() {
        finds("/files/a/b.txt", "files", Map.of("*", "a/b.txt"));
        assertEquals(Optional.empty(), routes.find("/files"));
    }

    @Test
    void findsNothing() {
        assertEquals(Optional.empty(), routes.find("/user"));
        assertEquals(Optional.empty(), routes.find("/users/7/posts"));
    }

    @Test
    void refusesPatternsThatMakeNoSense() {
        assertThrows(IllegalArgumentException.class, () -> routes.add("users", "x"));
        assertThrows(IllegalArgumentException.class, () -> routes.add("/a/*/b", "x"));
    }

    @Nested
    class Encoded {
        @Test
        void decodesParameters() {
            finds("/users/J%C3%BCrgen%20K", "user", Map.of("id", "Jürgen K"));
        }
    }
}
