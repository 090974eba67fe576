//! A hostile site or folder: bounded, refused, and nothing left behind.
