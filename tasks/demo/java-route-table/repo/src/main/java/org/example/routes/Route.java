package org.example.routes;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One pattern and its target. */
record Route<T>(List<String> pieces, T target) {

    static List<String> pieces(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("a path begins with a slash: " + path);
        }
        String decoded = URLDecoder.decode(path, StandardCharsets.UTF_8);
        return List.of(decoded.substring(1).split("/"));
    }

    static boolean isParameter(String piece) {
        return piece.startsWith("{") && piece.endsWith("}");
    }

    Optional<Match<T>> match(List<String> path) {
        Map<String, String> parameters = new HashMap<>();
        for (int i = 0; i < pieces.size(); i++) {
            String piece = pieces.get(i);
            if (piece.equals("*") && i < path.size()) {
                parameters.put("*", String.join("/", path.subList(i, path.size())));
                return Optional.of(new Match<>(target, parameters));
            }
            if (i >= path.size()) {
                return Optional.empty();
            }
            if (isParameter(piece)) {
                parameters.put(piece.substring(1, piece.length() - 1), path.get(i));
            } else if (!piece.equals(path.get(i))) {
                return Optional.empty();
            }
        }
        return path.size() == pieces.size() ? Optional.of(new Match<>(target, parameters)) : Optional.empty();
    }
}
