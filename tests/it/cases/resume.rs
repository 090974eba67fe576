//! A resumed run pays for nothing twice, and every command ends with its documented exit code.
