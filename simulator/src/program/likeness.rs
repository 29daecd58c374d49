//! Whether a value of one type may stand where another type is expected.
//!
//! SPIR-V wants the same type there. Types that differ in decorations alone hold the same values, and producers declare some twice, for
//! two layouts. Anything else is refused: planes of a pointer read as a number would show where the simulator keeps its variables.

use coopmat_spirv::spirv::StorageClass;

use super::types::{ImageType, Type, TypeId, Types, in_memory, in_registers};

/// How many parts are compared: more than any module has twice.
const MAXIMUM_PARTS: u32 = 1 << 14;

impl Types {
    /// Whether values of two types are the same to whatever uses them.
    pub(crate) fn alike(&self, a: TypeId, b: TypeId) -> bool {
        self.compare(a, b, &mut { MAXIMUM_PARTS })
    }

    fn compare(&self, a: TypeId, b: TypeId, parts: &mut u32) -> bool {
        if a == b {
            return true;
        }
        let Some(left) = parts.checked_sub(1) else { return false };
        *parts = left;
        match (self.get(a), self.get(b)) {
            (Type::Vector { component: a, count: n }, Type::Vector { component: b, count: m })
            | (Type::Matrix { column: a, count: n }, Type::Matrix { column: b, count: m })
            | (Type::Array { element: a, length: n, .. }, Type::Array { element: b, length: m, .. }) => {
                n == m && self.compare(*a, *b, parts)
            }
            (Type::RuntimeArray { element: a, .. }, Type::RuntimeArray { element: b, .. })
            | (Type::SampledImage(a), Type::SampledImage(b)) => self.compare(*a, *b, parts),
            (Type::Structure { members: a, .. }, Type::Structure { members: b, .. }) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.compare(a.type_, b.type_, parts))
            }
            (&Type::Image(a), &Type::Image(b)) => {
                ImageType { sampled_type: b.sampled_type, ..a } == b
                    && self.compare(a.sampled_type, b.sampled_type, parts)
            }
            (&Type::Pointer { storage: a, pointee: to_a }, &Type::Pointer { storage: b, pointee: to_b }) => {
                self.same_pointers(a, b, to_a, to_b)
            }
            (a, b) => a == b,
        }
    }

    /// An address tells all that an access needs. The index of a plane or of a descriptor leads to what its type says alone; pointers to
    /// pointers are followed no further, since types may lead back to themselves there.
    fn same_pointers(
        &self,
        a: StorageClass,
        b: StorageClass,
        to_a: Option<TypeId>,
        to_b: Option<TypeId>,
    ) -> bool {
        if in_memory(a) || in_memory(b) {
            return in_memory(a) && in_memory(b);
        }
        let held = |type_: Option<TypeId>| {
            type_.map(|type_| {
                let (matrices, handles) = (self.holds_matrices(type_), self.holds_handles(type_));
                (self.planes(type_), self.scalar(type_), matrices, handles)
            })
        };
        in_registers(a) == in_registers(b) && held(to_a) == held(to_b)
    }
}
