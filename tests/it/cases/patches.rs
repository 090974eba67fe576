//! A patch is read leniently where its intent is certain, and refused with its line where it is not.
