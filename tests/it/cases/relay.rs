//! What a program inside may send to a model, and what it may not.
