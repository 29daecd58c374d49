//! What is known of matrices, tensors and the memory that they lie in, whoever asks: lowering as it types a call, or a check of a
//! finished body.

pub mod lines;
pub mod memory;
pub mod tensors;
