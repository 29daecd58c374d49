//! Multiply-add of integers, exactly as OpCooperativeMatrixMulAddKHR says.
//!
//! Components are extended to the result's width by the *operands mask*, not by their declared type. The product's sum is taken
//! modulo 2^N; so is the addition of C, unless it saturates.

use super::wide::dispatch;

/// How the components of one operand are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Component {
    pub width: u32,
    /// From the operands mask.
    pub signed: bool,
}

impl Component {
    pub fn extend(self, bits: u64) -> i128 {
        let shift = 64 - self.width.clamp(1, 64);
        if self.signed {
            i128::from((bits << shift) as i64 >> shift)
        } else {
            i128::from(bits << shift >> shift)
        }
    }

    /// The same modulo 2^32, of a component in a word.
    #[inline(always)]
    fn extend_word(self, bits: u32) -> u32 {
        let shift = 32 - self.width.clamp(1, 32);
        if self.signed { ((bits << shift) as i32 >> shift) as u32 } else { bits << shift >> shift }
    }

    fn range(self) -> (i128, i128) {
        let width = self.width.clamp(1, 64);
        if self.signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.width.clamp(1, 64))
    }
}

/// The operands of one multiply-add, as `m` x `k`, `k` x `n` and `m` x `n` elements in rows.
#[derive(Clone, Copy, Debug)]
pub struct Integers {
    pub a: Component,
    pub b: Component,
    pub c: Component,
    pub result: Component,
    pub saturating: bool,
}

/// A multiply-add modulo 2^32, as loops that the compiler vectorises.
struct Wrapping<'m> {
    integers: Integers,
    a: &'m [u32],
    b: &'m [u32],
    c: &'m mut [u32],
    n: usize,
    k: usize,
}

impl pulp::NullaryFnOnce for Wrapping<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Wrapping { integers, a, b, c, n, k } = self;
        let mask = integers.result.mask() as u32;
        let mut extended = b.to_vec();
        extended.iter_mut().for_each(|b| *b = integers.b.extend_word(*b));
        if k == 0 {
            c.iter_mut().for_each(|c| *c = integers.c.extend_word(*c) & mask);
            return;
        }
        for (a, c) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)) {
            c.iter_mut().for_each(|c| *c = integers.c.extend_word(*c));
            for (a, b) in a.iter().zip(extended.chunks_exact(n)) {
                let a = integers.a.extend_word(*a);
                for (c, b) in c.iter_mut().zip(b) {
                    *c = c.wrapping_add(a.wrapping_mul(*b));
                }
            }
            c.iter_mut().for_each(|c| *c &= mask);
        }
    }
}

impl Integers {
    /// `c` holds C before and the result after. Gives the first element whose product sum overflowed although the operation
    /// saturates: its result is undefined.
    pub fn multiply_add(self, a: &[u32], b: &[u32], c: &mut [u32], shape: super::Shape) -> Option<usize> {
        let super::Shape { m, n, k } = shape;
        if a.len() < m * k || b.len() < k * n || c.len() < m * n || n == 0 {
            return None;
        }
        if self.saturating {
            return self
                .saturate(
                    |row, step| u64::from(a[row * k + step]),
                    |step, column| u64::from(b[step * n + column]),
                    |index| u64::from(c[index]),
                    shape,
                )
                .store(|index, bits| c[index] = bits as u32);
        }
        // Modulo 2^32 an extension and a product lose nothing that a narrower result has.
        dispatch(Wrapping { integers: self, a: &a[..m * k], b: &b[..k * n], c: &mut c[..m * n], n, k });
        None
    }

    /// As [`Integers::multiply_add`], for components of which one has 64 bits.
    pub fn multiply_add_wide(
        self,
        a: &[u64],
        b: &[u64],
        c: &mut [u64],
        shape: super::Shape,
    ) -> Option<usize> {
        let super::Shape { m, n, k } = shape;
        if a.len() < m * k || b.len() < k * n || c.len() < m * n {
            return None;
        }
        if self.saturating {
            return self
                .saturate(
                    |row, step| a[row * k + step],
                    |step, column| b[step * n + column],
                    |index| c[index],
                    shape,
                )
                .store(|index, bits| c[index] = bits);
        }
        for row in 0..m {
            for column in 0..n {
                let mut sum = self.c.extend(c[row * n + column]) as u64;
                for step in 0..k {
                    let a = self.a.extend(a[row * k + step]) as u64;
                    let b = self.b.extend(b[step * n + column]) as u64;
                    sum = sum.wrapping_add(a.wrapping_mul(b));
                }
                c[row * n + column] = sum & self.result.mask();
            }
        }
        None
    }

    fn saturate(
        self,
        a: impl Fn(usize, usize) -> u64,
        b: impl Fn(usize, usize) -> u64,
        c: impl Fn(usize) -> u64,
        super::Shape { m, n, k }: super::Shape,
    ) -> Saturated {
        let mut results = Vec::with_capacity(m * n);
        let mut overflow = None;
        let (lowest, highest) = self.result.range();
        for row in 0..m {
            for column in 0..n {
                // 2^64 products of 64 bits do not fit; the elements are far fewer.
                let mut sum = 0i128;
                let mut lost = false;
                for step in 0..k {
                    let product = self.a.extend(a(row, step)).checked_mul(self.b.extend(b(step, column)));
                    match product.and_then(|product| sum.checked_add(product)) {
                        Some(next) => sum = next,
                        None => lost = true,
                    }
                }
                lost |= sum < lowest || sum > highest;
                if lost {
                    overflow = overflow.or(Some(results.len()));
                    // Undefined; what wrapping gives is as good as any.
                    let wrapped = Component { signed: self.result.signed, ..self.result };
                    sum = wrapped.extend(sum as u64 & self.result.mask());
                }
                let total = sum + self.c.extend(c(results.len()));
                results.push(total.clamp(lowest, highest) as u64 & self.result.mask());
            }
        }
        Saturated { results, overflow }
    }
}

struct Saturated {
    results: Vec<u64>,
    overflow: Option<usize>,
}

impl Saturated {
    fn store(self, mut put: impl FnMut(usize, u64)) -> Option<usize> {
        for (index, bits) in self.results.into_iter().enumerate() {
            put(index, bits);
        }
        self.overflow
    }
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;

    const ONE: Shape = Shape { m: 1, n: 1, k: 2 };

    fn component(width: u32, signed: bool) -> Component {
        Component { width, signed }
    }

    fn one(integers: Integers, a: [u32; 2], b: [u32; 2], c: u32) -> (u32, Option<usize>) {
        let mut result = [c];
        let overflow = integers.multiply_add(&a, &b, &mut result, ONE);
        let wide = {
            let mut result = [u64::from(c)];
            let overflow = integers.multiply_add_wide(&a.map(u64::from), &b.map(u64::from), &mut result, ONE);
            (result[0] as u32, overflow)
        };
        assert_eq!(wide, (result[0], overflow));
        (result[0], overflow)
    }

    /// Whole matrices, for every width and sign: the words' loops give what 64 bits give.
    #[test]
    fn words_give_what_wide_numbers_give() {
        let shape = Shape { m: 3, n: 16, k: 5 };
        let mut state = 1u32;
        let mut next = |component: Component| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            state >> (32 - component.width)
        };
        let all =
            [8, 16, 32].into_iter().flat_map(|width| [true, false].map(|signed| component(width, signed)));
        for operand in all.clone() {
            for other in all.clone() {
                for sum in all.clone() {
                    let integers = Integers { a: operand, b: other, c: sum, result: sum, saturating: false };
                    let a: Vec<u32> = (0..15).map(|_| next(operand)).collect();
                    let b: Vec<u32> = (0..80).map(|_| next(other)).collect();
                    let mut c: Vec<u32> = (0..48).map(|_| next(sum)).collect();
                    let wide = |words: &[u32]| words.iter().map(|word| u64::from(*word)).collect::<Vec<_>>();
                    let mut expected = wide(&c);
                    integers.multiply_add_wide(&wide(&a), &wide(&b), &mut expected, shape);
                    integers.multiply_add(&a, &b, &mut c, shape);
                    assert_eq!(wide(&c), expected, "{integers:?}");
                }
            }
        }
    }

    /// The mask decides: the same bits are 255 or -1.
    #[test]
    fn the_mask_extends() {
        let result = component(32, true);
        let signed =
            |a, b| Integers { a: component(8, a), b: component(8, b), c: result, result, saturating: false };
        assert_eq!(one(signed(true, true), [0xff, 0], [0xff, 0], 10).0, 11);
        assert_eq!(one(signed(false, false), [0xff, 0], [0xff, 0], 10).0, 65035);
        assert_eq!(one(signed(true, false), [0xff, 0], [0xff, 0], 0).0 as i32, -255);
    }

    #[test]
    fn the_result_wraps() {
        let result = component(32, true);
        let integers = Integers { a: result, b: result, c: result, result, saturating: false };
        assert_eq!(one(integers, [0x7fff_ffff, 1], [1, 1], 5).0, 0x8000_0005);
        let narrow = component(8, true);
        let integers = Integers { a: narrow, b: narrow, c: narrow, result: narrow, saturating: false };
        assert_eq!(one(integers, [100, 100], [1, 1], 0).0, 200);
    }

    /// Only the addition of C saturates; an overflow before it is undefined, and told.
    #[test]
    fn only_c_saturates() {
        let byte = component(8, true);
        let result = component(32, true);
        let integers = Integers { a: byte, b: byte, c: result, result, saturating: true };
        assert_eq!(one(integers, [127, 127], [127, 127], 0x7fff_fff0), (0x7fff_ffff, None));
        assert_eq!(one(integers, [0x80, 0], [127, 0], 0x8000_0001), (0x8000_0000, None));
        let unsigned = Integers { result: component(32, false), c: component(32, false), ..integers };
        assert_eq!(one(unsigned, [1, 1], [1, 1], 0xffff_ffff), (0xffff_ffff, None));
        let narrow = Integers { c: byte, result: byte, ..integers };
        assert_eq!(one(narrow, [100, 100], [1, 1], 0).1, Some(0));
    }
}
