//! One edit of one token of a shader ([`token`]), chosen from a seed ([`random`]), and panics as what they say ([`panics`]). Apart from the
//! fuzzing, whose other parts take long to compile, for who compares what is told of edited shaders.

pub mod panics;
pub mod random;
pub mod token;
