//! Encodings of floating-point types: rspirv's and those that it lacks, as one type.

use super::enumeration::enumeration;

enumeration! {
    /// The encoding of a floating-point type that is not IEEE's.
    FPEncoding
    rspirv { BFloat16KHR Float8E4M3EXT Float8E5M2EXT }
    ours {
        Float6E2M3EXT = 4223,
        Float6E3M2EXT = 4224,
        Float4E2M1EXT = 4225,
        Float8UnsignedE8M0EXT = 4226,
        MXInt8EXT = 4227,
    }
}
