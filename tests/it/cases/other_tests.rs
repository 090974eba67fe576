//! A test that is neither a target nor a guard decides nothing, whatever it does.
