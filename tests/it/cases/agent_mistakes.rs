//! A path that a model gets wrong is answered, in Docker as in a local sandbox, and never ends an attempt.
