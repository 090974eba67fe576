//! A line that contradicts itself, its report or its run is named by every command that reads it.
