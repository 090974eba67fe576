//! What a container may reach: nothing, by any family of sockets.
