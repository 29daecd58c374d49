//! Descriptors: how large they are, and where they lead.

/// Bytes of every descriptor: of buffers, images and samplers alike.
pub const DESCRIPTOR_SIZE: u32 = 64;

/// What a descriptor of the program refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Nothing,
    /// The address of a buffer.
    Buffer(u64),
    /// The index of an image.
    Image(u32),
}
