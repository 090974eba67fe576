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

    /** The parts are compared: the equality of matches is part of the code under test. */
    private void finds(String path, String target, Map<String, String> parameters) {
        Match<String> found = routes.find(path).orElseThrow();
        assertEquals(target, found.target());
        assertEquals(parameters, Map.copyOf(found.parameters()));
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

        @Test
        void aSlashInAValueDividesNothing() {
            finds("/users/a%2Fb", "user", Map.of("id", "a/b"));
        }

        @Test
        void aPlusIsAPlus() {
            finds("/users/a+b", "user", Map.of("id", "a+b"));
            finds("/users/a%2Bb", "user", Map.of("id", "a+b"));
        }

        @Test
        void bracesInAPathAreText() {
            finds("/users/%7Bid%7D", "user", Map.of("id", "{id}"));
        }
    }

    @Nested
    class Order {
        @Test
        void textComesBeforeAParameterAddedEarlier() {
            routes.add("/users/me", "me");
            finds("/users/me", "me", Map.of());
            finds("/users/you", "user", Map.of("id", "you"));
        }

        @Test
        void aParameterComesBeforeTheRestAddedEarlier() {
            routes.add("/files/{name}", "file");
            finds("/files/a", "file", Map.of("name", "a"));
            finds("/files/a/b", "files", Map.of("*", "a/b"));
        }

        @Test
        void piecesFromTheLeftDecide() {
            routes.add("/{kind}/new", "new");
            routes.add("/posts/{id}", "onePost");
            finds("/posts/new", "onePost", Map.of("id", "new"));
            finds("/things/new", "new", Map.of("kind", "things"));
        }

        @Test
        void aDeadEndIsNoAnswer() {
            routes.add("/users/me/settings", "settings");
            finds("/users/me/posts/1", "post", Map.of("id", "me", "post", "1"));
        }

        @Test
        void theFirstOfTwoEqualPatternsStays() {
            routes.add("/users/{name}", "other");
            finds("/users/7", "user", Map.of("id", "7"));
        }
    }

    @Nested
    class Slashes {
        @Test
        void doNotMatterAtTheEnd() {
            finds("/users/", "users", Map.of());
            finds("/users/7/", "user", Map.of("id", "7"));
            routes.add("/about/", "about");
            finds("/about", "about", Map.of());
        }
    }
}
