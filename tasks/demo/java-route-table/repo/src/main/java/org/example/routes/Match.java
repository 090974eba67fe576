package org.example.routes;

import java.util.Map;

/** What was found for a path. */
public record Match<T>(T target, Map<String, String> parameters) {
    public Match {
        parameters = Map.copyOf(parameters);
    }
}
