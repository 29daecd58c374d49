//! Which invocation owns which element of a cooperative matrix, as data.

/// Which invocation owns which element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ownership {}
