package org.example.routes;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Patterns of paths and what answers them. */
public final class RouteTable<T> {
    private final List<Route<T>> routes = new ArrayList<>();

    /** Adds a pattern; {@code *} may only be its last piece. */
    public void add(String pattern, T target) {
        List<String> pieces = Route.pieces(pattern);
        if (pieces.indexOf("*") >= 0 && pieces.indexOf("*") < pieces.size() - 1) {
            throw new IllegalArgumentException("* must be last: " + pattern);
        }
        routes.add(new Route<>(pieces, target));
    }

    /** What answers a path. */
    public Optional<Match<T>> find(String path) {
        List<String> pieces = Route.pieces(path);
        for (Route<T> route : routes) {
            Optional<Match<T>> match = route.match(pieces);
            if (match.isPresent()) {
                return match;
            }
        }
        return Optional.empty();
    }
}
