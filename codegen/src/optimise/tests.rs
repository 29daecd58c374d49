//! What the passes make of small shaders.
