//! A provider's odd answers: conversations too long, bad characters, empty or cut bodies, absurd counts.
